package workshop

import (
	"os"
	"testing"
)

// Each stage solves its exercise. With LOCKSTEP_TEST_ALL=1 all do; else it is those that
// ask for most, without a search.
func TestStagesSolveTheExercises(t *testing.T) {
	all := os.Getenv("LOCKSTEP_TEST_ALL") != ""
	for _, e := range All() {
		if !all && e.Name < E7.Name {
			continue
		}
		entry := e.Solution()
		for _, c := range e.Checks() {
			t.Run(e.Name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				if !e.Playable() {
					t.Skip("a real server carries no subscriptions")
				}
				if c.Name == schedulesName && !all {
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
