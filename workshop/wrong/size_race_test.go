//go:build race

package wrong

// raced means that the race detector is at work, and everything slower.
const raced = true
