package explore

import (
	"context"
	"errors"
	"maps"
	"time"

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
	Places  []landing        // where it came through, from the place on where it was to leave what is known
	Broken  map[Property]int // how many choices it took
	Outcome string           // empty if the run was not followed to its end
	Asked   []Property
}

// landing is a state that a run came to, and what could happen next, whatever it
// costs.
type landing struct {
	State  state
	Spent  Budget
	Offers []faults.Choice
	Now    time.Duration // since the start; zero if the landing is foreseen
}

// then is where a choice leads that is foreseen to lead to a state with these offers.
func (l landing) then(c faults.Choice, to state, offers []faults.Choice) landing {
	return landing{State: to, Spent: l.Spent.plus(cost(c, l.Offers)), Offers: offers}
}

// since is the length of the path at the first of the places: the last choice that was
// given leads on from there. Of where all begin, nothing is known.
func (q Question) since(given faults.Schedule) int {
	if len(given) <= len(q.From) {
		return 0
	}
	return len(given) - 1
}

// guide knows what a run need not find out.
type guide interface {
	// covers reports whether a place need not be followed.
	covers(at *place, depth int) bool

	// pick is what to do next; ok is false if nothing is to be found out here.
	pick(at *place) (c faults.Choice, ok bool)
}

// follow runs a schedule and then what the guide picks at each step, to the end, to
// a state that it has passed, or to where nothing is to be found out. When ctx ends,
// it stops where it is, with ctx's error.
func (r *run) follow(ctx context.Context, schedule faults.Schedule, guide guide) (trail, error) {
	var t trail
	_, err := r.perform(func() error {
		for at := (*place)(nil); ; {
			r.check()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if len(r.path) >= r.since(schedule) {
				at = r.place(at)
				t.Places = append(t.Places, at.landing)
			}
			var next faults.Choice
			ok := true
			switch {
			case len(r.path) < len(schedule):
				next = schedule[len(r.path)]
			case at.wasPassed() || len(r.path) >= r.deepest:
				return nil
			case at.State.over():
				if guide.covers(at, len(r.path)) {
					return nil
				}
				return r.finish()
			default:
				next, ok = guide.pick(at)
			}
			if !ok {
				return nil
			}
			err := r.take(next)
			if errors.Is(err, faults.ErrSchedule) && len(r.path) >= len(r.From) {
				return nil // the way was foreseen, and this code does not go it
			}
			if err != nil {
				return err
			}
		}
	})
	t.Path, t.Outcome, t.Asked = r.path, r.outcome, r.asked()
	t.Broken = maps.Clone(r.broken)
	return t, err
}

// place is where a run came to, and the way there.
type place struct {
	landing
	key  string
	from *place
}

func (q Question) place(l landing, from *place) *place {
	return &place{l, l.State.key(q.alike()), from}
}

func (r *run) place(from *place) *place {
	return r.Question.place(landing{r.state(), r.spent, r.scene.Choices(), r.scene.Now()}, from)
}

// wasPassed reports whether the way here led through the same state before, and
// has cost nothing since.
func (p *place) wasPassed() bool {
	for before := p.from; before != nil && before.Spent == p.Spent; before = before.from {
		if before.key == p.key {
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
