package hazards

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/faults"
	"lockstep/stages"
)

// Hazard is a named way for a lock to break.
type Hazard struct {
	Name  string
	Story string // what happens, in a sentence

	// Play runs the hazard on the stage of its scene. It returns nil if the
	// lock kept its promise, [faults.World.Broken] if it did not, and
	// [Scene.CantArise] if the stage gives no occasion.
	Play func(*Scene) error

	// NoRetries plays it with go-redis's own retries turned off.
	NoRetries bool

	// Expect says what comes out on each stage, and why.
	Expect []Row
}

// Outcome is how a hazard ends on a stage.
type Outcome string

// The outcomes.
const (
	Breaks  Outcome = "breaks"
	Holds   Outcome = "holds"
	NoCause Outcome = "can't arise"
)

// Mark is the outcome in one character: ✗, ✓ or –.
func (o Outcome) Mark() string {
	switch o {
	case Breaks:
		return "✗"
	case Holds:
		return "✓"
	default:
		return "–"
	}
}

// Row is an expected outcome with its reason, for the stages that share it: v3
// is v3_expire; drafts go by their whole name. Where a lock breaks and where
// the hazard can't arise, the reason is what the play says, to the letter.
type Row struct {
	Outcome Outcome
	Why     string
	On      []string
}

// Cell is what is known of a hazard on a stage.
type Cell struct {
	Outcome Outcome
	Why     string
}

// Expected is the cell of the matrix for stage, or the zero Cell if the table
// does not say. A draft does as the stage that it is like, unless a row names it.
func (h Hazard) Expected(stage stages.Stage) Cell {
	names := []string{stage.Name}
	if stage.Like != "" {
		names = append(names, short(stage.Like))
	} else {
		names = append(names, short(stage.Name))
	}
	for _, name := range names {
		for _, row := range h.Expect {
			if slices.Contains(row.On, name) {
				return Cell{row.Outcome, row.Why}
			}
		}
	}
	return Cell{}
}

// short is how a table calls a stage: v4 for v4_owner.
func short(stage string) string {
	number, _, _ := strings.Cut(stage, "_")
	return number
}

// Result is one run of a hazard on a stage.
type Result struct {
	Cell
	Timeline *faults.Timeline
}

// Run plays the hazard on a stage, in a world of its own. The error is not nil
// when the play itself failed; a lock that broke is a result.
func (h Hazard) Run(stage stages.Stage) (Result, error) {
	timeline, err := Perform(stage, faults.Options{NoRetries: h.NoRetries}, h.Play)
	result := Result{Timeline: timeline}
	switch {
	case err == nil:
		result.Cell = Cell{Outcome: Holds}
		if expected := h.Expected(stage); expected.Outcome == Holds {
			result.Why = expected.Why
		}
	case errors.Is(err, faults.ErrPlay), errors.Is(err, faults.ErrStuck), errors.Is(err, faults.ErrServer):
		return result, fmt.Errorf("%s on %s: %w", h.Name, stage, err)
	case errors.Is(err, faults.ErrBroken):
		result.Cell = Cell{Breaks, err.Error()}
	case errors.Is(err, ErrCantArise):
		result.Cell = Cell{NoCause, err.Error()}
	default:
		return result, fmt.Errorf("%s on %s: %w", h.Name, stage, err)
	}
	return result, nil
}
