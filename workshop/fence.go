package workshop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
)

// numbered is a lock whose holds have numbers.
type numbered interface{ Token() int64 }

// token is the number of a client's hold.
func token(c *hazards.Client) int64 {
	if lock, ok := c.Handle().(numbered); ok {
		return lock.Token()
	}
	return 0
}

// afterWrite is how a fault calls what a sale sends when it has written the stock;
// empty if it sends nothing more.
func afterWrite(s *hazards.Scene, sale []*faults.Step) string {
	wrote := slices.IndexFunc(sale, func(step *faults.Step) bool { return writing(step, hazards.StockKey) == s.Stage.Write })
	if wrote < 0 || wrote+1 == len(sale) {
		return ""
	}
	words := sale[wrote+1].Commands[0]
	return strings.Join(words[:min(2, len(words))], " ")
}

// What is asked of a lock that counts its holds, and of the shop that looks at
// the number.
var (
	// TokenGrows: A, B and C hold the lock, one after the other, and over again.
	TokenGrows = hazards.Hazard{
		Name:  "TokenGrows",
		Story: "Each hold has a higher number than all holds before it.",
		Play: func(s *hazards.Scene) error {
			a, b := s.Client("A"), s.Client("B")
			last := int64(0)
			for range 3 {
				for _, c := range []*hazards.Client{a, b} {
					c.Lock()
					n := token(c)
					if n == 0 {
						return s.Broken("%s holds the lock, and its hold has no number", c.Name())
					}
					if n <= last {
						return s.Broken("%s holds the lock with the number %d, and the hold before had %d", c.Name(), n, last)
					}
					last = n
					c.Unlock()
				}
			}
			a.Lock()
			s.Sleep(31 * time.Second) // A's lease ends
			b.Lock()
			if token(b) <= token(a) {
				return s.Broken("A's hold with the number %d ended with its lease, and B holds the lock with %d", token(a), token(b))
			}
			b.Unlock()
			s.Sleep(24 * time.Hour) // nobody buys
			a.Lock()
			if token(a) <= token(b) {
				return s.Broken("after a quiet day A holds the lock with the number %d, and the last hold had %d", token(a), token(b))
			}
			return nil
		},
	}

	// TokenInOrder: A is held up before it takes the lock, and another time after.
	// Meanwhile B takes it.
	TokenInOrder = hazards.Hazard{
		Name:  "TokenInOrder",
		Story: "A hold gets its number when it gets the lock, not before and not after.",
		Play: func(s *hazards.Scene) error {
			if s.Stage.Acquire == "" {
				return s.CantArise("it asks Redis for nothing")
			}
			a, b := s.Client("A"), s.Client("B")
			next := "" // the command that follows the one that takes the lock
			taken, left := false, false
			s.Observe(func(step *faults.Step) {
				switch {
				case len(step.Commands) == 0 || left:
				case taken && next == "":
					next = called(step)
				case len(step.After) > 0:
					taken = true
				}
			})

			b.Lock()
			left = true
			b.Unlock()
			a.PauseBefore(s.Stage.Acquire)
			a.Lock()
			b.Lock()
			b.Unlock()
			a.Resume() // A gets in after B
			switch {
			case token(a) == 0:
				return s.Broken("A holds the lock, and its hold has no number")
			case token(a) == token(b):
				return s.Broken("A got in after B, and both have the number %d: who overtakes whom?", token(a))
			case token(a) < token(b):
				return s.Broken("A got in after B, and has the number %d, where B had %d: it was counted before it had the lock", token(a), token(b))
			}
			a.Unlock()
			if next == "" {
				return nil
			}
			a.PauseBefore(next)
			a.Lock() // A has the lock, and no number yet
			s.Sleep(31 * time.Second)
			b.Lock()
			a.Resume()
			if token(a) == token(b) {
				return s.Broken("A got in before B, and both have the number %d: who overtakes whom?", token(a))
			}
			if token(a) > token(b) {
				return s.Broken("A got in before B, and has the number %d, where B has %d: it was counted after its lease had ended", token(a), token(b))
			}
			return nil
		},
	}

	// TokenIsShared: Redis forgets everything.
	TokenIsShared = hazards.Hazard{
		Name:  "TokenIsShared",
		Story: "The number is counted where every server sees it.",
		Play: func(s *hazards.Scene) error {
			a, b, operator := s.Client("A"), s.Client("B"), s.Client("operator")

			a.Lock()
			first := token(a)
			a.Unlock()
			operator.Do("FLUSHALL", func(ctx context.Context) { operator.Redis().FlushAll(ctx) })
			b.Lock()
			if n := token(b); n > first {
				return s.Broken("Redis has forgotten everything, and the number still grows, from %d to %d: "+
					"it is counted in this process, and another server counts for itself", first, n)
			}
			return nil
		},
	}

	// StaleSale: A's lease has ended, B has sold. Then A sells, from the beginning.
	StaleSale = hazards.Hazard{
		Name:  "StaleSale",
		Story: "Who comes after a later holder is refused, is told so, and can come again with a new number.",
		Play: func(s *hazards.Scene) error {
			s.Restock(3)
			a, b := s.Client("A"), s.Client("B")

			refused := func(when string) error {
				a.Sell(0)
				switch {
				case a.Err() == nil:
					return s.Broken("%s, and A, whose lease ended before that, sells one more", when)
				case s.Stage.Stale == nil || !errors.Is(a.Err(), s.Stage.Stale):
					return s.Broken("%s, and A's sale says %v: it should be ErrStale", when, a.Err())
				}
				return nil
			}

			a.Lock()                  // lease: 30 s
			s.Sleep(31 * time.Second) // A is still working
			b.Lock()
			b.Sell(0)
			if b.Err() != nil {
				return s.Broken("B holds the lock, and its sale says: %v", b.Err())
			}
			if err := refused("B is inside and has sold"); err != nil {
				return err
			}
			b.Unlock()
			if err := refused("B has sold and left"); err != nil {
				return err
			}
			s.Sleep(24 * time.Hour)
			if err := refused("B has sold a day ago"); err != nil {
				return err
			}
			a.Lock()
			a.Sell(0)
			if a.Err() != nil {
				return s.Broken("A has the lock again, and its sale says: %v", a.Err())
			}
			if left := s.Books().Left; left != 1 {
				return s.Broken("of 3 items B has sold one and A one, and %d are left", left)
			}
			return nil
		},
	}

	// HalfSale: B has written the stock and is held up, in the middle of its sale.
	HalfSale = hazards.Hazard{
		Name:  "HalfSale",
		Story: "From its first write on, a later holder has overtaken who comes late.",
		Play: func(s *hazards.Scene) error {
			s.Restock(3)
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			before := len(a.Did())
			a.Sell(0)
			next := afterWrite(s, a.Did()[before:])
			a.Unlock()
			if next == "" {
				return nil // it sells in one step
			}
			a.Lock()                  // lease: 30 s
			s.Sleep(31 * time.Second) // A is still working
			b.Lock()
			b.PauseBefore(next)
			b.Sell(0)
			b.Disarm()
			if s.Books().Left > 1 {
				return nil // it sends the same before it writes
			}
			a.Sell(0)
			if a.Err() == nil {
				s.Mark("A sells after B")
				return s.Broken("B has written the stock, and A, whose lease ended before that, sells one more: the shop notes B's number too late")
			}
			return nil
		},
	}

	// TenthHold: nine holds went before B's, and A's was the last of them.
	TenthHold = hazards.Hazard{
		Name:  "TenthHold",
		Story: "Ten comes after nine: the shop compares numbers, and no text.",
		Play: func(s *hazards.Scene) error {
			s.Restock(2)
			a, b := s.Client("A"), s.Client("B")

			for range 8 {
				b.Lock()
				b.Unlock()
			}
			a.Lock()
			s.Sleep(31 * time.Second) // A is still working
			b.Lock()
			if token(b) == 0 {
				return s.Broken("B holds the lock, and its hold has no number")
			}
			b.Sell(0)
			if b.Err() != nil {
				return s.Broken("B holds the lock with the number %d, and its sale says: %v", token(b), b.Err())
			}
			a.Sell(0)
			if a.Err() == nil {
				s.Mark("A sells after B")
				return s.Broken("B has sold with the number %d, and A sells one more with %d", token(b), token(a))
			}
			return nil
		},
	}

	// SecondSale: A sells twice, and B after it.
	SecondSale = hazards.Hazard{
		Name:  "SecondSale",
		Story: "The holder sells as often as it likes, and who is sold out says so.",
		Play: func(s *hazards.Scene) error {
			s.Restock(3)
			a, b := s.Client("A"), s.Client("B")

			a.Lock()
			a.Sell(0)
			a.Sell(0)
			if a.Err() != nil {
				return s.Broken("A is inside, and its second sale says: %v", a.Err())
			}
			a.Unlock()
			b.Lock()
			b.Sell(0)
			if b.Err() != nil {
				return s.Broken("A has left, B is inside, and its sale says: %v", b.Err())
			}
			if left := s.Books().Left; left != 0 {
				return s.Broken("three of three items are sold, and %d are left", left)
			}
			b.Sell(0)
			if b.Err() == nil {
				return s.Broken("nothing is left, and B sells one more")
			}
			if s.Stage.Stale != nil && errors.Is(b.Err(), s.Stage.Stale) {
				return s.Broken("B is inside, nothing is left, and its sale says ErrStale: nobody has overtaken it")
			}
			return nil
		},
	}

	// LateButFirst: A sleeps through its lease. B is inside and has read the stock.
	// A wakes up and writes, and then B does. No exercise asks for it: a fence
	// orders writes, and keeps nobody out.
	LateButFirst = hazards.Hazard{
		Name:  "LateButFirst",
		Story: "The late one writes before the new holder does, and the shop can't know it.",
		Play: func(s *hazards.Scene) error {
			s.Restock(1)
			a, b := s.Client("A"), s.Client("B")

			a.Lock() // lease: 30 s
			a.PauseBeforeWrite()
			a.Sell(0)
			s.Sleep(31 * time.Second)
			b.Lock()
			b.PauseBeforeWrite()
			b.Sell(0) // B has read, and is about to write
			a.Resume()
			b.Resume()

			if s.Books().SoldTwice() > 0 {
				return s.Broken("the last item was sold twice: when A wrote, the shop had not seen B's number yet")
			}
			return nil
		},
	}
)
