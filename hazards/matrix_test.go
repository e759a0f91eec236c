package hazards

import (
	"slices"
	"testing"

	"lockstep/faults"
	"lockstep/stages"
)

// Every hazard on every stage and draft, and beyond, comes out as the table says,
// for the reason that the table gives. Where a lock breaks, a mark says at which step.
func TestMatrix(t *testing.T) {
	for _, h := range All() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			for _, stage := range append(slices.Concat(stages.All(), stages.Drafts()), stages.Fenced) {
				t.Run(stage.Name, func(t *testing.T) {
					want := h.Expected(stage)
					got, err := h.Run(stage)
					if err != nil {
						t.Fatalf("%v\n\n%s", err, got.Timeline)
					}
					if want == (Cell{}) {
						t.Fatalf("the table has no row for %s: here it %s: %s", stage, got.Outcome, got.Why)
					}
					steps := got.Timeline.Steps
					marked := slices.ContainsFunc(steps, func(step *faults.Step) bool { return step.Broken != "" })
					sent := slices.ContainsFunc(steps, func(step *faults.Step) bool { return len(step.Commands) > 0 })
					if got.Outcome == Breaks && sent && !marked {
						t.Errorf("no step is marked:\n\n%s", got.Timeline)
					}
					if got.Cell != want {
						t.Errorf("got %q (%s), and the table says %q (%s)\n\n%s",
							got.Outcome, got.Why, want.Outcome, want.Why, got.Timeline)
					}
				})
			}
		})
	}
}
