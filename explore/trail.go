package explore

import (
	"context"
	"maps"

	"lockstep/faults"
	"lockstep/hazards"
)

// Deepest is the most choices of a schedule. Within a budget there is an end to
// what can happen, so only code that loops on by itself comes here, or that waits
// for a lease of many tries.
const Deepest = 500

// trail is what a run leaves behind. It travels between processes.
type trail struct {
	Path    faults.Schedule
	Places  []landing        // where it came through after the schedule that it was given
	Broken  map[Property]int // how many choices it took
	Outcome string           // empty if the run was not followed to its end
	Asked   []Property
}

// landing is a state that a run came to, and what could happen next.
type landing struct {
	State   string
	Spent   Budget
	Choices []faults.Choice
}

// follow runs a schedule and then the first choice at each step, to the end, to
// a state that it has passed, or to one that need not be followed. When ctx ends,
// it stops where it is, with ctx's error.
func (r *run) follow(ctx context.Context, schedule faults.Schedule, covered func(state string, v visit) bool) (trail, error) {
	var t trail
	_, err := r.perform(func() error {
		for _, c := range schedule {
			r.check()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := r.take(c); err != nil {
				return err
			}
		}
		for at := (*place)(nil); ; {
			r.check()
			if r.over() {
				return r.finish()
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			at = r.place(at)
			choices := r.affordable()
			t.Places = append(t.Places, landing{at.state, at.spent, choices})
			if at.wasPassed() || covered(at.state, visit{r.spent, len(r.path)}) || len(r.path) >= r.deepest {
				return nil
			}
			if err := r.take(choices[0]); err != nil {
				return err
			}
		}
	})
	t.Path, t.Outcome, t.Asked = r.path, r.outcome, r.asked()
	t.Broken = maps.Clone(r.broken)
	return t, err
}

// place is a state on the way of a run.
type place struct {
	state string
	spent Budget
	from  *place
}

func (r *run) place(from *place) *place { return &place{r.state(), r.spent, from} }

// wasPassed reports whether the way here led through the same state before, and
// has cost nothing since.
func (p *place) wasPassed() bool {
	for before := p.from; before != nil && before.spent == p.spent; before = before.from {
		if before.state == p.state {
			return true
		}
	}
	return false
}

// perform sets the scene for a run, and has direct direct it.
func (r *run) perform(direct func() error) (*faults.Timeline, error) {
	return hazards.Perform(r.Stage, faults.Options{Directed: true, NoRetries: r.NoRetries}, func(scene *hazards.Scene) error {
		r.begin(scene)
		return direct()
	})
}
