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
	TrueBooks  Property = "no item is sold twice"
	AnAnswer   Property = "who is served gets an answer"
)

// Properties lists them all.
func Properties() []Property {
	return []Property{OwnHand, OneInside, NoDeadlock, TrueBooks, AnAnswer}
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
	case b.Clients < 1 || b.Clients > 5:
		return fmt.Errorf("%w: %d clients; between 1 and 5, please", ErrBudget, b.Clients)
	case min(b.Slow, b.Crashes, b.Lost, b.Freezes) < 0:
		return fmt.Errorf("%w: nothing in it may be negative", ErrBudget)
	case b.Crashes > b.Clients:
		return fmt.Errorf("%w: %d clients can't crash %d times", ErrBudget, b.Clients, b.Crashes)
	}
	return nil
}

// Program is what each client does, once.
type Program string

// The programs.
const (
	Plain  Program = "lock, sell, unlock"
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

	whole bool // cut off no states: for the proof that cutting is sound
}

// Break is the shortest schedule found that breaks a property.
type Break struct {
	Property Property
	Schedule faults.Schedule
}

// Report is what a search has found.
type Report struct {
	Schedules int     // that were run
	States    int     // that were seen
	Deepest   int     // the longest schedule
	Breaks    []Break // in the order of Properties
	Exhausted bool    // all schedules within the budget are covered
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
	s := &search{Question: q.withDefaults(), seen: map[string]int{}, best: map[Property]faults.Schedule{}}
	s.report.outcomes = map[string]bool{}
	begun := time.Now()
	s.report.Exhausted = true
	for s.todo = (todo{nil}); len(s.todo) > 0; {
		prefix := heap.Pop(&s.todo).(faults.Schedule)
		if best, ok := s.best[q.Until]; ok && len(prefix) >= len(best) {
			s.report.Exhausted = false
			break
		}
		if ctx.Err() != nil {
			s.report.Exhausted = false
			break
		}
		if err := s.run(prefix); err != nil {
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
	seen   map[string]int // state: the fewest choices that led there
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

// run follows prefix and then the first choice at each step, to the end or to a
// state that was seen before.
func (s *search) run(prefix faults.Schedule) error {
	s.report.Schedules++
	r := &run{Question: s.Question, broken: map[Property]int{}}
	_, err := r.perform(func() error {
		onPath := map[string]bool{}
		for {
			r.check()
			if r.over() {
				return r.finish()
			}
			depth := len(r.path)
			if depth >= deepest {
				s.report.Exhausted = false
				return nil
			}
			choices := r.affordable()
			state := r.state()
			if onPath[state] {
				r.breaks(NoDeadlock) // nothing is left to happen but the same again
				return nil
			}
			onPath[state] = true
			if depth < len(prefix) {
				if err := r.take(prefix[depth]); err != nil {
					return err
				}
				continue
			}
			if s.known(state, depth) {
				r.cut = true
				return nil
			}
			for _, other := range choices[1:] {
				heap.Push(&s.todo, append(slices.Clone(r.path), other))
			}
			if err := r.take(choices[0]); err != nil {
				return err
			}
		}
	})
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

// known reports whether a state has been seen with no more choices, and notes
// it otherwise.
func (s *search) known(state string, depth int) bool {
	before, ok := s.seen[state]
	if s.whole {
		s.seen[state] = depth
		return false
	}
	if ok && before <= depth {
		return true
	}
	s.seen[state] = depth
	return false
}

// todo is a heap of schedules, the shortest first.
type todo []faults.Schedule

func (t todo) Len() int           { return len(t) }
func (t todo) Less(i, j int) bool { return len(t[i]) < len(t[j]) }
func (t todo) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *todo) Push(x any)        { *t = append(*t, x.(faults.Schedule)) }
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
	return hazards.Perform(r.Stage, faults.Options{Directed: true}, func(scene *hazards.Scene) error {
		r.begin(scene)
		return direct()
	})
}
