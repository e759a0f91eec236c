package workshop

import (
	"os"
	"testing"
)

// Each stage solves its exercise. The schedules of the later ones are searched with
// LOCKSTEP_TEST_ALL=1, and by the tests of package explore.
func TestStagesSolveTheExercises(t *testing.T) {
	for _, e := range All() {
		entry := e.Solution()
		for _, c := range e.Checks() {
			t.Run(e.Name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				if !e.Playable() {
					t.Skip("a real server carries no subscriptions")
				}
				if c.Name == schedulesName && e.Name > E4.Name && os.Getenv("LOCKSTEP_TEST_ALL") == "" {
					t.Skip("it takes long")
				}
				if raced && e.Name != E7.Name && e.Name != E8.Name {
					t.Skip("the race detector finds what there is where most goes on at once")
				}
				if r := entry.Examine(c); !r.OK {
					t.Errorf("%s\n\n%s", c.Story, r)
				}
			})
		}
	}
}
