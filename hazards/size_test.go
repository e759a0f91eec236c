//go:build !race

package hazards

// repetitions is how often a lesson has to give the same timeline.
const repetitions = 200
