//go:build !race

package explore

const (
	raced = false

	// slowerThanALease is the most slow steps in which no lease ends.
	slowerThanALease = DefaultLease - 1
)
