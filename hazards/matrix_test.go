package hazards

import (
	"slices"
	"testing"

	"lockstep/stages"
)

// Every hazard on every stage and draft, and beyond, comes out as the table says, for the
// reason that the table gives.
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
					if got.Cell != want {
						t.Errorf("got %q (%s), and the table says %q (%s)\n\n%s",
							got.Outcome, got.Why, want.Outcome, want.Why, got.Timeline)
					}
				})
			}
		})
	}
}

// A mark at a step says what is wrong there, and not only that something is.
func TestMarksSaySomething(t *testing.T) {
	for _, h := range All() {
		for _, stage := range slices.Concat(stages.All(), stages.Drafts()) {
			r, err := h.Run(stage)
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range r.Timeline.Steps {
				if step.Broken == "here" {
					t.Errorf("%s on %s:\n\n%s", h.Name, stage, r.Timeline)
				}
			}
		}
	}
}
