//go:build !race

package explore

const (
	thorough = true

	// slowerThanALease is the most slow steps in which no lease ends.
	slowerThanALease = DefaultLease - 1
)
