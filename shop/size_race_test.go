//go:build race

package shop_test

// The race detector makes everything ten times slower, and finds its races in a
// small sale, too.
const (
	buyers = 10
	wants  = 2
)
