//go:build !race

package marking

// raced means that the race detector is at work.
const raced = false
