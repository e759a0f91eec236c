package workshop

import (
	"testing"
)

// Each stage solves its exercise.
func TestStagesSolveTheExercises(t *testing.T) {
	for _, e := range All() {
		entry := e.Solution()
		for _, c := range e.Checks() {
			t.Run(e.Name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				if !e.Playable() {
					t.Skip("a real server carries no subscriptions")
				}
				if r := entry.Examine(c); !r.OK {
					t.Errorf("%s\n\n%s", c.Story, r)
				}
			})
		}
	}
}
