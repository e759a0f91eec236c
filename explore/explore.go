package explore

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/faults"
	"lockstep/stages"
)

// Poll is how often a waiter of every stage tries.
const Poll = 20 * time.Millisecond

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

// Any stands for whichever property breaks first.
const Any Property = "any"

// Properties lists them all.
func Properties() []Property {
	return []Property{OwnHand, OneInside, NoDeadlock, ToldInTime, TrueBooks, AnAnswer}
}

// Budget bounds a search.
type Budget struct {
	Clients int `json:"clients"`
	Slow    int `json:"slow"` // steps of time that pass while a command waits
	Crashes int `json:"crashes"`
	Lost    int `json:"lost"`    // replies
	Freezes int `json:"freezes"` // of a client, each for a lease and a bit
}

// ErrBudget means that a question can't be searched.
var ErrBudget = errors.New("this budget is impossible")

// within reports whether b is no more than limit.
func (b Budget) within(limit Budget) bool {
	return b.Slow <= limit.Slow && b.Crashes <= limit.Crashes && b.Lost <= limit.Lost && b.Freezes <= limit.Freezes
}

func (b Budget) plus(c Budget) Budget {
	return Budget{b.Clients, b.Slow + c.Slow, b.Crashes + c.Crashes, b.Lost + c.Lost, b.Freezes + c.Freezes}
}

// minus is what is left of b. It has no clients.
func (b Budget) minus(spent Budget) Budget {
	return Budget{Slow: b.Slow - spent.Slow, Crashes: b.Crashes - spent.Crashes, Lost: b.Lost - spent.Lost, Freezes: b.Freezes - spent.Freezes}
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
	Until   Property // stop at the shortest break of this, or of Any; empty to search all

	// From is a schedule that all begin with. What it breaks already does not
	// count for Until.
	From faults.Schedule

	// NoRetries turns off go-redis's habit of sending a command again when its
	// connection broke: a lost reply is an error then.
	NoRetries bool

	// Progress, if there is one, is told now and then what was found so far, on
	// the goroutine of the search.
	Progress func(Report)

	whole   bool // cut off no states: for the proof that cutting is sound
	deepest int  // Deepest if zero: for the test of what comes there
}

// longestLease is the longest lease of a search, in polls: more, and nobody could
// read the schedule in which it ends.
const longestLease = 100

// most is the most of one fault that a budget may have.
const most = 1000

// Check returns ErrBudget, and why, if the question can't be searched.
func (q Question) Check() error {
	b := q.Budget
	switch {
	case b.Clients < 1 || b.Clients > MostClients:
		return fmt.Errorf("%w: %d clients; between 1 and %d, please", ErrBudget, b.Clients, MostClients)
	case min(b.Slow, b.Crashes, b.Lost, b.Freezes) < 0:
		return fmt.Errorf("%w: nothing in it may be negative", ErrBudget)
	case max(b.Slow, b.Crashes, b.Lost, b.Freezes) > most:
		return fmt.Errorf("%w: more than %d of a fault; no schedule is that long", ErrBudget, most)
	case b.Crashes > b.Clients:
		return fmt.Errorf("%w: %d clients can't crash %d times", ErrBudget, b.Clients, b.Crashes)
	case q.Lease < 0 || q.Lease > longestLease:
		return fmt.Errorf("%w: a lease of %d tries; between 1 and %d, please", ErrBudget, q.Lease, longestLease)
	}
	return nil
}

// Break is the shortest schedule found that breaks a property. Whether there is a
// shorter one is for [Report.Proven] to say.
type Break struct {
	Property Property
	Schedule faults.Schedule
}

// Report is what a search has found.
type Report struct {
	Asked     []Property // a lock that can't tell of its loss is not asked for ToldInTime
	Schedules int        // of which it is known where they lead
	Runs      int        // of them, that were run; the others were foreseen
	States    int        // that were seen
	Depth     int        // how long the shortest schedule is that is left: all shorter ones are done
	Deepest   int        // how long the longest of them is
	Breaks    []Break    // in the order of Properties
	Exhausted bool       // all schedules within the budget are covered
	TooDeep   bool       // not so, because some came to Deepest choices and could go on
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

// Proven reports whether b is a shortest break there is: no schedule is left that
// could break the property in fewer choices.
func (r Report) Proven(b Break) bool { return len(b.Schedule) <= r.Depth }

// Asks reports whether the search asked for a property.
func (r Report) Asks(p Property) bool { return slices.Contains(r.Asked, p) }
