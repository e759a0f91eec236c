package explore

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// poll is how often a waiter of every stage tries.
const poll = 20 * time.Millisecond

// DefaultLease is the lease of a search, in polls: short, so that a schedule in
// which it ends can be read.
const DefaultLease = 3

// Property is a promise of a lock, in words.
type Property string

// The promises, in the order in which a report lists them.
const (
	OwnHand    Property = "a lock goes by its owner's hand or its lease's end"
	OneInside  Property = "at most one is inside"
	NoDeadlock Property = "somebody can still get the lock"
	ToldInTime Property = "who loses the lock is told before it sells"
	TrueBooks  Property = "no item is sold twice"
	AnAnswer   Property = "who is served gets an answer"
)

// Properties lists them all.
func Properties() []Property {
	return []Property{OwnHand, OneInside, NoDeadlock, ToldInTime, TrueBooks, AnAnswer}
}

// Budget bounds a search.
type Budget struct {
	Clients int // 2 or 3
	Slow    int // steps of time that pass while a command waits
	Crashes int
	Lost    int // replies
	Freezes int // of a client, each for a lease and a bit
}

// ErrBudget means that a budget makes no sense.
var ErrBudget = errors.New("this budget is impossible")

// check refuses what can't be searched.
func (b Budget) check() error {
	switch {
	case b.Clients < 1 || b.Clients > mostClients:
		return fmt.Errorf("%w: %d clients; between 1 and %d, please", ErrBudget, b.Clients, mostClients)
	case min(b.Slow, b.Crashes, b.Lost, b.Freezes) < 0:
		return fmt.Errorf("%w: nothing in it may be negative", ErrBudget)
	case b.Crashes > b.Clients:
		return fmt.Errorf("%w: %d clients can't crash %d times", ErrBudget, b.Clients, b.Crashes)
	}
	return nil
}

// within reports whether b is no more than limit.
func (b Budget) within(limit Budget) bool {
	return b.Slow <= limit.Slow && b.Crashes <= limit.Crashes && b.Lost <= limit.Lost && b.Freezes <= limit.Freezes
}

// Program is what each client does, once.
type Program string

// The programs.
const (
	Plain  Program = "lock, sell, unlock"
	Long   Program = "lock, sell for two leases, unlock"
	Nested Program = "lock, lock again, unlock once, sell, unlock"
	Panics Program = "lock, panic"
	Tries  Program = "try to lock; if that worked, sell and unlock"
)

// Question is what a search is to find out.
type Question struct {
	Stage   stages.Stage
	Budget  Budget
	Program Program  // Plain if empty
	Lease   int      // in polls; DefaultLease if zero
	Until   Property // stop at the shortest break of this; empty to search all

	// NoRetries turns off go-redis's habit of sending a command again when its
	// connection broke: a lost reply is an error then.
	NoRetries bool

	whole bool // cut off no states: for the proof that cutting is sound
}

// Break is the shortest schedule found that breaks a property.
type Break struct {
	Property Property
	Schedule faults.Schedule
}

// Report is what a search has found.
type Report struct {
	Asked     []Property // a lock that can't tell of its loss is not asked for ToldInTime
	Schedules int        // that were run
	States    int        // that were seen
	Deepest   int        // the longest schedule
	Breaks    []Break    // in the order of Properties
	Exhausted bool       // all schedules within the budget are covered
	Elapsed   time.Duration

	outcomes map[string]bool
}

// Broken returns the shortest break of a property.
func (r Report) Broken(p Property) (Break, bool) {
	for _, b := range r.Breaks {
		if b.Property == p {
			return b, true
		}
	}
	return Break{}, false
}

// deepest is the most choices of a schedule. Within a budget there is an end to
// what can happen, so only code that loops on by itself comes here.
const deepest = 500

// Search looks for the schedules that break a stage.
//
// It runs the real code again and again, each time along one schedule. A run
// follows the choices that it was given, then takes the first that offers; what
// else it could have done at each step is put down for later. Shorter schedules
// come first, and a state that was reached before, with no more choices than
// now, is not followed again; so the first break of a property that is left
// when all shorter schedules are done is a shortest one.
//
// The error is ErrBudget, or that of a run that failed. When ctx ends, the
// report says what was found so far.
func Search(ctx context.Context, q Question) (Report, error) {
	if err := q.Budget.check(); err != nil {
		return Report{}, err
	}
	s := &search{Question: q.withDefaults(), seen: map[string][]visit{}, best: map[Property]faults.Schedule{}}
	s.report.outcomes = map[string]bool{}
	begun := time.Now()
	s.report.Exhausted = true
	for s.todo = (todo{{}}); len(s.todo) > 0; {
		next := heap.Pop(&s.todo).(branch)
		if best, ok := s.best[q.Until]; ok && len(next.schedule) >= len(best) {
			s.report.Exhausted = false
			break
		}
		if ctx.Err() != nil {
			s.report.Exhausted = false
			break
		}
		if err := s.run(next); err != nil {
			return s.sum(begun), err
		}
	}
	return s.sum(begun), nil
}

func (q Question) withDefaults() Question {
	if q.Program == "" {
		q.Program = Plain
	}
	if q.Lease == 0 {
		q.Lease = DefaultLease
	}
	return q
}

type search struct {
	Question
	todo   todo
	seen   map[string][]visit // state: how it was reached, none of them better than another
	best   map[Property]faults.Schedule
	report Report
}

func (s *search) sum(begun time.Time) Report {
	r := s.report
	r.States, r.Elapsed, r.Breaks = len(s.seen), time.Since(begun), nil
	for _, p := range Properties() {
		if schedule, ok := s.best[p]; ok {
			r.Breaks = append(r.Breaks, Break{p, schedule})
		}
	}
	return r
}

// run follows a branch and then the first choice at each step, to the end or to
// a state that was seen before.
func (s *search) run(b branch) error {
	s.report.Schedules++
	r := &run{Question: s.Question, broken: map[Property]int{}}
	_, err := r.perform(func() error {
		for _, c := range b.schedule {
			r.check()
			if err := r.take(c); err != nil {
				return err
			}
		}
		for at := b.from; ; {
			r.check()
			if r.over() {
				return r.finish()
			}
			if len(r.path) >= deepest {
				s.report.Exhausted = false
				return nil
			}
			at = &place{r.state(), r.spent, at}
			if at.wasPassed() {
				r.breaks(NoDeadlock) // nothing is left to happen but the same again
				return nil
			}
			if s.known(at.state, visit{r.spent, len(r.path)}) {
				r.cut = true
				return nil
			}
			choices := r.affordable()
			for _, other := range choices[1:] {
				heap.Push(&s.todo, branch{append(slices.Clone(r.path), other), at})
			}
			if err := r.take(choices[0]); err != nil {
				return err
			}
		}
	})
	s.report.Asked = r.asked()
	s.report.Deepest = max(s.report.Deepest, len(r.path))
	for p, length := range r.broken {
		if best, ok := s.best[p]; !ok || length < len(best) {
			s.best[p] = slices.Clone(r.path[:length])
		}
		s.report.outcomes[string(p)] = true
	}
	if !r.cut {
		s.report.outcomes[r.outcome] = true
	}
	return err
}

// visit is how a state was reached.
type visit struct {
	spent Budget
	depth int // how many choices it took
}

// covers reports whether v can do all that other can, in no more choices.
func (v visit) covers(other visit) bool {
	return v.depth <= other.depth && v.spent.within(other.spent)
}

// known reports whether a state has been reached at least as well before, and
// notes the visit otherwise.
func (s *search) known(state string, v visit) bool {
	before := s.seen[state]
	covered := slices.ContainsFunc(before, func(b visit) bool { return b.covers(v) })
	if covered && !s.whole {
		return true
	}
	s.seen[state] = append(slices.DeleteFunc(before, v.covers), v)
	return false
}

// place is a state on the way of a run.
type place struct {
	state string
	spent Budget
	from  *place
}

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

// branch is a schedule that is still to be run: the way to a place, and one
// choice more.
type branch struct {
	schedule faults.Schedule
	from     *place
}

// todo is a heap of branches, the shortest first.
type todo []branch

func (t todo) Len() int           { return len(t) }
func (t todo) Less(i, j int) bool { return len(t[i].schedule) < len(t[j].schedule) }
func (t todo) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *todo) Push(x any)        { *t = append(*t, x.(branch)) }
func (t *todo) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

// Replay runs one schedule and returns its timeline. The error is
// faults.ErrSchedule, with the step, when it does not fit.
func Replay(q Question, schedule faults.Schedule) (*faults.Timeline, error) {
	if err := q.Budget.check(); err != nil {
		return nil, err
	}
	r := &run{Question: q.withDefaults(), broken: map[Property]int{}}
	return r.perform(func() error {
		for i, choice := range schedule {
			if err := r.take(choice); err != nil {
				return fmt.Errorf("step %d of %s: %w", i+1, schedule, err)
			}
			r.check()
		}
		if r.over() {
			if err := r.finish(); err != nil {
				return err
			}
		}
		for _, p := range Properties() {
			if _, ok := r.broken[p]; ok {
				return r.scene.Broken("not so: %s", p)
			}
		}
		return nil
	})
}

// perform sets the scene for a run, and has direct direct it.
func (r *run) perform(direct func() error) (*faults.Timeline, error) {
	return hazards.Perform(r.Stage, faults.Options{Directed: true, NoRetries: r.NoRetries}, func(scene *hazards.Scene) error {
		r.begin(scene)
		return direct()
	})
}
