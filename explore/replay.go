package explore

import (
	"fmt"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/shop"
)

// Replay runs one schedule and returns its timeline. The error is
// faults.ErrSchedule, with the step, when it does not fit, and faults.ErrBroken
// when it breaks a property.
func Replay(q Question, schedule faults.Schedule) (*faults.Timeline, error) {
	view, err := Look(q, schedule)
	if err != nil {
		return nil, err
	}
	return view.Timeline, view.verdict
}

// View is where a world stands after a schedule.
type View struct {
	Timeline *faults.Timeline
	Now      time.Duration // fake time since the start
	Clients  []Actor
	Locks    []faults.Holding // that are taken
	Books    shop.Books
	Moves    []Move
	Left     Budget     // what is left of it, negative where more was spent; Clients is not used
	Broken   []Property // in the order of Properties
	Over     bool       // everybody is done or dead

	verdict error
}

// Actor is what is to be seen of a client.
type Actor struct {
	Name   string
	Inside bool
	Done   bool
	Dead   bool
	Frozen time.Duration // how long yet
	Sends  []string      // what it has at the door
}

// Move is what may happen next.
type Move struct {
	Choice faults.Choice
	Slow   bool // a step of time while a command waits
}

// Look runs a schedule and shows where the world stands then. It is ErrBudget,
// or faults.ErrSchedule with the step, if that can't be.
func Look(q Question, schedule faults.Schedule) (View, error) {
	if err := q.Check(); err != nil {
		return View{}, err
	}
	r := newRun(q)
	var view View
	var mistake error
	timeline, err := r.perform(func() error {
		if mistake = r.replay(schedule); mistake != nil {
			return mistake
		}
		view = r.look()
		if len(view.Broken) == 0 {
			return nil
		}
		return r.scene.Broken("not so: %s", strings.Join(wordsOf(view.Broken), "; "))
	})
	if mistake != nil {
		return View{}, mistake
	}
	view.Timeline, view.verdict = timeline, err
	return view, nil
}

// replay follows a schedule, and does what comes after the end if that is
// reached.
func (r *run) replay(schedule faults.Schedule) error {
	var at *place
	for i := 0; ; i++ {
		r.check()
		if at = r.place(at); at.wasPassed() {
			r.breaks(NoDeadlock)
		}
		if i == len(schedule) {
			break
		}
		if err := r.take(schedule[i]); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	if r.over() {
		return r.finish()
	}
	return nil
}

func wordsOf(properties []Property) (words []string) {
	for _, p := range properties {
		words = append(words, string(p))
	}
	return words
}

// look is the view of the world as it stands.
func (r *run) look() View {
	v := View{Now: r.scene.Now(), Books: r.scene.Books(), Over: r.over(), Left: r.Budget.minus(r.spent)}
	for _, c := range r.clients {
		a := Actor{Name: c.Name(), Inside: c.Inside(), Dead: c.Crashed(), Frozen: c.Frozen()}
		a.Done = !a.Dead && !c.Waiting()
		for _, visitor := range c.AtDoor() {
			a.Sends = append(a.Sends, visitor.Command)
		}
		v.Clients = append(v.Clients, a)
	}
	v.Locks = r.scene.Watched()
	if !v.Over {
		offers := r.scene.Choices()
		for _, c := range r.affordable(offers, r.spent) {
			v.Moves = append(v.Moves, Move{c, cost(c, offers).Slow > 0})
		}
	}
	for _, p := range Properties() {
		if _, broken := r.broken[p]; broken {
			v.Broken = append(v.Broken, p)
		}
	}
	return v
}
