//go:build !race

package workshop

// raced means that the race detector is at work, and everything slower.
const raced = false
