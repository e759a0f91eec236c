//go:build race

package hazards

// repetitions is how often a lesson has to give the same timeline. The race
// detector makes each of them ten times slower.
const repetitions = 40
