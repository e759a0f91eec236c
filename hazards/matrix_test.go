package hazards

import (
	"slices"
	"testing"

	"lockstep/stages"
)

// Every hazard on every stage and draft comes out as the table says, for the
// reason that the table gives.
func TestMatrix(t *testing.T) {
	for _, h := range All() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			for _, stage := range slices.Concat(stages.All(), stages.Drafts()) {
				t.Run(stage.Name, func(t *testing.T) {
					want := h.Expected(stage)
					got, err := h.Run(stage)
					if err != nil {
						t.Fatalf("%v\n\n%s", err, got.Timeline)
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
