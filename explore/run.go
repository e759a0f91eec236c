package explore

import (
	"fmt"
	"slices"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// run is one run of the real code along a schedule.
type run struct {
	Question
	scene   *hazards.Scene
	clients []*client
	path    faults.Schedule
	spent   Budget
	broken  map[Property]int // how many choices it took
	outcome string
}

func newRun(q Question) *run { return &run{Question: q.withDefaults(), broken: map[Property]int{}} }

// names of the clients, and of the newcomer who comes after them; a schedule
// calls them by these.
const names = "ABCDEF"

// MostClients is how many clients a search can have.
const MostClients = len(names) - 1

// begin brings the cast on and lets everybody start.
func (r *run) begin(scene *hazards.Scene) {
	r.scene = scene
	scene.Lease = time.Duration(r.Lease) * Poll
	scene.Restock(r.Budget.Clients)
	for i := range r.Budget.Clients {
		r.clients = append(r.clients, &client{Client: r.cast(i), scene: scene})
	}
	for _, c := range r.clients {
		c.Do(c.serve(r.Program))
	}
}

// cast brings on client number i: a service, or, where the draft is about the
// flows of one service or the numbers of their threads, such a flow.
func (r *run) cast(i int) *hazards.Client {
	name := names[i : i+1]
	switch {
	case r.Stage.Name == stages.SharedOwner.Name && i > 0:
		return r.clients[0].Thread(i + 1)
	case r.Stage.Name == stages.ThreadNamedKey.Name && i > 0:
		return r.scene.Client(name).Thread(i + 1)
	}
	return r.scene.Client(name)
}

// take makes a choice and pays for it.
func (r *run) take(c faults.Choice) error {
	r.spent = r.spent.plus(cost(c, r.scene.Choices()))
	if err := r.scene.Take(c, Poll, r.scene.Lease+Poll); err != nil {
		return err
	}
	r.path = append(r.path, c)
	return nil
}

// cost is what a choice costs where there are these. Time is slow while a command
// waits.
func cost(c faults.Choice, offers []faults.Choice) (b Budget) {
	switch c.Kind {
	case faults.Tick:
		if waits(offers) {
			b.Slow = 1
		}
	case faults.Crash:
		b.Crashes = 1
	case faults.Lose:
		b.Lost = 1
	case faults.Freeze:
		b.Freezes = 1
	case faults.Pass:
	}
	return b
}

// waits reports whether a command waits where there are these choices.
func waits(offers []faults.Choice) bool {
	return slices.ContainsFunc(offers, func(c faults.Choice) bool { return c.Kind == faults.Pass })
}

// affordable lists those of the offers that the budget allows after what was spent.
func (q Question) affordable(offers []faults.Choice, spent Budget) []faults.Choice {
	return slices.DeleteFunc(slices.Clone(offers), func(c faults.Choice) bool {
		return !spent.plus(cost(c, offers)).within(q.Budget)
	})
}

// over reports whether everybody is done or dead.
func (r *run) over() bool {
	return !slices.ContainsFunc(r.clients, func(c *client) bool { return c.Waiting() })
}

// asked lists the properties that the stage's locks can keep.
func (r *run) asked() []Property {
	if len(r.clients) > 0 && r.clients[0].tells() {
		return Properties()
	}
	return slices.DeleteFunc(Properties(), func(p Property) bool { return p == ToldInTime })
}

// breaks notes that a property is broken, if it was not before, and marks the step.
func (r *run) breaks(p Property) {
	if _, ok := r.broken[p]; ok {
		return
	}
	r.broken[p] = len(r.path)
	if mark, ok := marks[p]; ok {
		r.scene.Mark("%s", mark)
	}
}

// marks say how a step breaks a property, of which the scene itself says nothing.
var marks = map[Property]string{
	NoDeadlock: "from here on nobody gets the lock",
	ToldInTime: "it sells, and knows of no loss",
	TrueBooks:  "an item is sold twice",
	AnAnswer:   "somebody is served, and gets no answer",
}

// check looks at the properties that can be seen after each step.
func (r *run) check() {
	inside := 0
	for _, c := range r.clients {
		if c.Inside() {
			inside++
		}
	}
	if inside > 1 {
		r.breaks(OneInside)
	}
	if r.scene.Robberies > 0 {
		r.breaks(OwnHand)
	}
	for _, c := range r.clients {
		if sent, late := c.Late(); late && c.tells() && !c.toldBefore(sent) {
			r.breaks(ToldInTime)
		}
	}
	if r.scene.Books().SoldTwice() > 0 {
		r.breaks(TrueBooks)
	}
}

// longestWait is how long a newcomer lets a lease end that is left over: one of years,
// which a lock may ask for by mistake, is as bad as none.
const longestWait = time.Hour

// finish is the end of a run, when everybody is done or dead. If a lock is left,
// nobody comes until the lease that it has must be over. Then a newcomer asks for
// what is left yet, and gets three leases of time: a lock that has no lease, or
// one that is renewed for ever.
func (r *run) finish() error {
	var ends time.Duration
	for _, lock := range r.scene.Watched() {
		if lock.Ends-r.scene.Now() < longestWait {
			ends = max(ends, lock.Ends)
		}
	}
	if err := r.passUntil(func() bool { return r.scene.Held() == 0 || r.scene.Now() >= ends }); err != nil {
		return err
	}
	if r.scene.Held() > 0 {
		newcomer := r.scene.Client(names[len(r.clients):][:1])
		r.scene.Note("%s comes, and asks for the lock", newcomer.Name())
		newcomer.Lock()
		end := r.scene.Now() + 3*r.scene.Lease
		if err := r.passUntil(func() bool { return !newcomer.Waiting() || r.scene.Now() >= end }); err != nil {
			return err
		}
		if newcomer.Waiting() {
			r.breaks(NoDeadlock)
		}
	}
	s := r.state()
	if r.unanswered(s, r.spent) {
		r.breaks(AnAnswer)
	}
	r.outcome = s.outcome()
	return nil
}

// unanswered reports whether somebody who was served got no answer, though nothing
// befell it.
func (q Question) unanswered(end state, spent Budget) bool {
	return q.Program != Tries && end.served() < end.World.Books.Sold && spent.Crashes == 0 && spent.Lost == 0
}

// outcome is what came of it all.
func (s state) outcome() string {
	return fmt.Sprintf("%v, answers %d, robberies %d", s.World.Books, s.served(), s.World.Robberies)
}

// passUntil lets everything happen in its order, until enough says so.
func (r *run) passUntil(enough func() bool) error {
	for !enough() {
		if err := r.scene.Take(r.scene.Choices()[0], Poll, 0); err != nil {
			return err
		}
	}
	return nil
}
