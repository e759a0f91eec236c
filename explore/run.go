package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// run is one run of the real code along a schedule.
type run struct {
	Question
	scene   *hazards.Scene
	clients []*hazards.Client
	path    faults.Schedule
	spent   Budget
	broken  map[Property]int // how many choices it took
	outcome string
	cut     bool
}

// names of the clients; a schedule calls them by these.
const names = "ABCDE"

// begin brings the cast on and lets everybody start.
func (r *run) begin(scene *hazards.Scene) {
	r.scene = scene
	scene.Lease = time.Duration(r.Lease) * poll
	scene.Restock(r.Budget.Clients)
	for i := range r.Budget.Clients {
		r.clients = append(r.clients, r.cast(i))
	}
	for _, c := range r.clients {
		c.Do(r.Program.of(c))
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

// of is the program as c runs it.
func (p Program) of(c *hazards.Client) (what string, request func(ctx context.Context)) {
	inside := func(business stages.Business) stages.Business {
		return func(ctx context.Context) (string, error) {
			c.Enter()
			defer c.Leave()
			return business(ctx)
		}
	}
	sell := c.Sale(0)
	switch p {
	case Nested:
		sell = func(ctx context.Context) (string, error) {
			if err := c.Handle().Lock(ctx); err != nil {
				return "", err
			}
			if err := c.Handle().Unlock(ctx); err != nil {
				return "", err
			}
			return c.Sale(0)(ctx)
		}
	case Panics:
		sell = func(context.Context) (string, error) { panic("no such voucher") }
	case Tries:
		return "Try", func(ctx context.Context) {
			if ok, err := c.Handle().TryLock(ctx); err != nil || !ok {
				return
			}
			defer func() { _ = c.Handle().Unlock(ctx) }()
			_, _ = inside(sell)(ctx)
		}
	}
	return "Serve", c.Request(inside(sell))
}

// take makes a choice and pays for it.
func (r *run) take(c faults.Choice) error {
	r.pay(&r.spent, c)
	if err := r.scene.Take(c, poll, r.scene.Lease+poll); err != nil {
		return err
	}
	r.path = append(r.path, c)
	return nil
}

func (r *run) pay(b *Budget, c faults.Choice) {
	switch c.Kind {
	case faults.Tick:
		if slices.ContainsFunc(r.scene.Choices(), func(c faults.Choice) bool { return c.Kind == faults.Pass }) {
			b.Slow++
		}
	case faults.Crash:
		b.Crashes++
	case faults.Lose:
		b.Lost++
	case faults.Freeze:
		b.Freezes++
	case faults.Pass:
	}
}

// affordable lists the choices that the budget allows, the first one free.
func (r *run) affordable() []faults.Choice {
	return slices.DeleteFunc(r.scene.Choices(), func(c faults.Choice) bool {
		b := r.spent
		r.pay(&b, c)
		return b.Slow > r.Budget.Slow || b.Crashes > r.Budget.Crashes || b.Lost > r.Budget.Lost || b.Freezes > r.Budget.Freezes
	})
}

// over reports whether everybody is done or dead.
func (r *run) over() bool {
	return !slices.ContainsFunc(r.clients, (*hazards.Client).Waiting)
}

// state is what the rest of the run depends on.
func (r *run) state() string {
	var b strings.Builder
	b.WriteString(r.scene.State(r.Stage.Renew != ""))
	for _, c := range r.clients {
		fmt.Fprintf(&b, "%v ", c.Inside())
	}
	fmt.Fprintf(&b, "%v %v %d", r.spent, r.scene.Books(), len(r.broken))
	return b.String()
}

// breaks notes that a property is broken, if it was not before.
func (r *run) breaks(p Property) {
	if _, ok := r.broken[p]; !ok {
		r.broken[p] = len(r.path)
	}
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
	if r.scene.Books().SoldTwice() > 0 {
		r.breaks(TrueBooks)
	}
}

// finish lets leases end and late timers fire when everybody is done, and asks
// whether the lock is free then.
func (r *run) finish() error {
	for end := r.scene.Now() + 3*r.scene.Lease; r.scene.Held() > 0 && r.scene.Now() < end; {
		if err := r.scene.Take(r.scene.Choices()[0], poll, 0); err != nil {
			return err
		}
	}
	if r.scene.Held() > 0 {
		r.breaks(NoDeadlock)
	}
	served := 0
	for _, c := range r.clients {
		if c.Answer() != "" {
			served++
		}
	}
	if r.Program != Tries && served < r.scene.Books().Sold && r.spent.Crashes == 0 && r.spent.Lost == 0 {
		r.breaks(AnAnswer)
	}
	r.outcome = fmt.Sprintf("%v, answers %d, robberies %d", r.scene.Books(), served, r.scene.Robberies)
	return nil
}
