//go:build race

package explore

// The race detector makes every run ten times slower.
const (
	raced            = true
	slowerThanALease = 1
)
