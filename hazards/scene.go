package hazards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"lockstep/faults"
	"lockstep/shop"
	"lockstep/stages"
)

// What every play has unless it says otherwise.
const (
	lockKey = "lock:stock"

	// StockKey is the key of the shop's stock.
	StockKey = "inventory01"

	// Lease is the lease that the plays ask for.
	Lease = 30 * time.Second
)

// Scene is where a hazard is played: a world of its own, the stage under study,
// and the shop that its lock protects.
type Scene struct {
	*faults.World
	Stage stages.Stage
	Lease time.Duration // that locks are made with; change it before the first client

	// Robberies counts the locks that went by the hand of a service that did
	// not hold them.
	Robberies int

	takers   map[string]string      // key: the service that took it
	services map[string]stages.Lock // the one lock of each service, where there is one
	cast     []*Client
	steps    []*faults.Step
	sold     atomic.Int64
	initial  int
}

// Perform plays on a stage, in a world of its own.
func Perform(stage stages.Stage, opts faults.Options, play func(*Scene) error) (*faults.Timeline, error) {
	opts.Watch = lockKey
	return faults.Run(opts, func(w *faults.World) error {
		s := &Scene{World: w, Stage: stage, Lease: Lease, services: map[string]stages.Lock{}, takers: map[string]string{}}
		w.Observe(s.watch)
		return play(s)
	})
}

// Client is one flow of control of a service, with its handle on the lock. The
// faults of its service are those of [faults.Client].
type Client struct {
	*faults.Client
	scene  *Scene
	lock   stages.Lock
	inside atomic.Int32 // entries that it has not left
	got    bool
	err    error
	answer string
	late   *time.Duration // when it sent its last write that came after its lock was gone
}

// Client adds a service to the scene, and its first flow of control.
func (s *Scene) Client(name string) *Client {
	return s.enter(s.World.Client(name), 1)
}

// Thread adds another flow of control to c's service: its second thread, say.
func (c *Client) Thread(n int) *Client {
	return c.scene.enter(c.Flow(fmt.Sprintf("%s#%d", c.Instance(), n)), n)
}

func (s *Scene) enter(f *faults.Client, thread int) *Client {
	c := &Client{Client: f, scene: s}
	s.cast = append(s.cast, c)
	if s.Stage.PerService && s.services[f.Instance()] != nil {
		c.lock = s.services[f.Instance()]
		return c
	}
	lock, err := c.NewLock(stages.Flow{Key: lockKey, Lease: s.Lease, Thread: thread})
	if err != nil {
		panic(fmt.Sprintf("make a lock of %s: %v", s.Stage, err))
	}
	c.lock = lock
	s.services[f.Instance()] = lock
	return c
}

// NewLock makes a lock for c's service, as c itself would: one that talks to Redis
// meanwhile does so through the door.
func (c *Client) NewLock(flow stages.Flow) (lock stages.Lock, err error) {
	err = errors.New("it waits for something")
	flow.Redis = c.Redis()
	c.Do("New", func(context.Context) { lock, err = c.scene.Stage.New(flow) })
	return lock, err
}

// Lock starts a Lock. It may come back with c still waiting: see
// [faults.Client.Waiting].
func (c *Client) Lock() {
	c.Do("Lock", func(ctx context.Context) {
		c.entered(c.lock.Lock(ctx))
	})
}

// LockWithin starts a Lock that waits no longer than limit.
func (c *Client) LockWithin(limit time.Duration) {
	c.Do("Lock", func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		c.entered(c.lock.Lock(ctx))
	})
}

// TryLock tries to take the lock, and reports whether c says that it has it.
func (c *Client) TryLock() bool {
	c.got = false
	c.Do("TryLock", func(ctx context.Context) {
		ok, err := c.lock.TryLock(ctx)
		c.got = ok && err == nil
		if c.got || err != nil {
			c.entered(err)
		}
	})
	return c.got
}

// Unlock gives the lock back. What it answers is in [Client.Err].
func (c *Client) Unlock() {
	c.left()
	c.Do("Unlock", func(ctx context.Context) { c.err = c.lock.Unlock(ctx) })
}

// UnlockCancelled gives the lock back with a context that is over already, as a
// deferred unlock does when the request has timed out.
func (c *Client) UnlockCancelled() {
	c.left()
	c.Do("Unlock", func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		c.err = c.lock.Unlock(ctx)
	})
}

// Sell sells one item, in the middle of whatever c is inside of. Payment takes
// the time given.
func (c *Client) Sell(payment time.Duration) {
	c.Do("Sell", func(ctx context.Context) { c.answer, c.err = c.Sale(payment)(ctx) })
}

// PauseBeforeWrite holds c before the next command of its service that writes the
// stock.
func (c *Client) PauseBeforeWrite() {
	c.PauseBefore(c.write())
}

// write is the command that writes the stock, as a fault names it.
func (c *Client) write() string { return cmp.Or(c.scene.Stage.Write, "SET "+StockKey) }

// Did lists the steps so far in which c's service sent something.
func (c *Client) Did() []*faults.Step {
	return slices.DeleteFunc(slices.Clone(c.scene.steps), func(step *faults.Step) bool {
		return step.Client != c.Instance() || len(step.Commands) == 0
	})
}

// Renewals counts how often c's service has sent the command that renews the
// lock, and not what it sends along: a look, a transaction around it.
func (c *Client) Renewals() int {
	n := 0
	for _, step := range c.Did() {
		for _, words := range step.Commands {
			if words[0] == "EVAL" {
				words = words[1:]
			}
			if strings.HasPrefix(strings.Join(words, " ")+" ", c.scene.Stage.Renew+" ") {
				n += step.Times
			}
		}
	}
	return n
}

// Serve handles a request as callers of the stage do: lock, sell, unlock.
func (c *Client) Serve() {
	c.Bracket("Serve", c.Sale(0))
}

// ServeWithin handles a request that takes no longer than limit.
func (c *Client) ServeWithin(limit time.Duration) {
	serve := c.Request(c.Sale(0))
	c.Do("Serve", func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		serve(ctx)
	})
}

// Bracket does business under the lock as callers of the stage do. A panic ends
// the request and not the service, as in net/http.
func (c *Client) Bracket(what string, business stages.Business) {
	c.Do(what, c.Request(business))
}

// Request is a call that does business as Bracket has it.
func (c *Client) Request(business stages.Business) func(context.Context) {
	c.answer = ""
	return func(ctx context.Context) {
		defer func() {
			if p := recover(); p != nil {
				c.err = fmt.Errorf("panic: %v", p)
			}
		}()
		c.answer, c.err = c.scene.Stage.Bracket(ctx, c.lock, business)
	}
}

// Sale is the business of selling one item, whose payment takes the time given.
func (c *Client) Sale(payment time.Duration) stages.Business {
	return func(ctx context.Context) (string, error) {
		left, err := c.sell(ctx, payment)
		if err != nil {
			return "", err
		}
		c.scene.sold.Add(1)
		for _, other := range c.scene.cast {
			if other != c && other.Inside() && !c.Inside() {
				c.scene.Mark("%s sells while %s is inside", c.Name(), other.Name())
			}
		}
		return fmt.Sprintf("sold, %d left", left), nil
	}
}

// sell sells one item, in the shop of the stage if it has one of its own. That one
// knows of no payment: its write is late instead.
func (c *Client) sell(ctx context.Context, payment time.Duration) (left int, err error) {
	if sell := c.scene.Stage.Sell; sell != nil {
		if payment > 0 {
			c.Delay(c.write(), payment)
		}
		return sell(ctx, c.lock, c.Redis(), StockKey)
	}
	return c.scene.shop(c, payment).Sell(ctx)
}

// Inside reports whether c believes to hold the lock.
func (c *Client) Inside() bool { return c.inside.Load() > 0 && !c.Crashed() }

// Handle is c's handle on the lock.
func (c *Client) Handle() stages.Lock { return c.lock }

// Enter and Leave note that c is inside, for a business that Bracket runs: it
// has the lock, as far as c knows.
func (c *Client) Enter() { c.entered(nil) }

// Leave is the end of Enter.
func (c *Client) Leave() { c.left() }

// Err is what the last call that ended has returned.
func (c *Client) Err() error { return c.err }

// Answer is what the last customer of c got to see.
func (c *Client) Answer() string { return c.answer }

// left notes that c has left once, if it was inside.
func (c *Client) left() {
	if n := c.inside.Load(); n > 0 {
		c.inside.Store(n - 1)
	}
}

// entered notes the end of a Lock, and marks the step at which two are inside.
func (c *Client) entered(err error) {
	if c.err = err; err != nil {
		return
	}
	c.inside.Add(1)
	for _, other := range c.scene.cast {
		if other != c && other.Inside() {
			c.scene.Mark("%s and %s are both inside", other.Name(), c.Name())
		}
	}
}

// Restock puts n items into the shop, before the play begins.
func (s *Scene) Restock(n int) {
	s.initial = n
	s.Put(StockKey, strconv.Itoa(n))
}

func (s *Scene) shop(c *Client, payment time.Duration) shop.Shop {
	return shop.Shop{Redis: c.Redis(), Stock: StockKey, Payment: payment}
}

// Late reports whether c has changed the stock after its lock was gone, and when
// it sent the last such write: fake time since the start.
func (c *Client) Late() (sent time.Duration, ok bool) {
	if c.late == nil {
		return 0, false
	}
	return *c.late, true
}

// Books are the books of the shop. Reading them is no step of the play.
func (s *Scene) Books() shop.Books {
	books := shop.Books{Initial: s.initial, Sold: int(s.sold.Load())}
	for _, k := range s.Keys() {
		if k.Name == StockKey {
			books.Left, _ = strconv.Atoi(k.Value) // the shop writes nothing but numbers
		}
	}
	return books
}

// ErrCantArise marks the end of a play that the stage gives no occasion for.
var ErrCantArise = errors.New("can't arise")

type cantArise struct{ why string }

func (c *cantArise) Error() string        { return c.why }
func (c *cantArise) Is(target error) bool { return target == ErrCantArise }

// CantArise is what a play returns when its premise does not come about on this
// stage, for a reason that lies in the stage's kind.
func (s *Scene) CantArise(format string, args ...any) error {
	return &cantArise{fmt.Sprintf(format, args...)}
}

// Held counts the lock keys that Redis has, whoever holds them.
func (s *Scene) Held() int { return len(s.Watched()) }

// Taker is the service that took a lock; empty if it is free.
func (s *Scene) Taker(key string) string { return s.takers[key] }

// Left is how long the lock lasts yet, if nobody does anything about it.
func (s *Scene) Left() time.Duration {
	left := time.Duration(math.MaxInt64)
	for _, lock := range s.Watched() {
		if lock.Ends != faults.Never {
			left = min(left, lock.Ends-s.Now())
		}
	}
	return left
}

// watch keeps account of what was done and who took each lock, and marks the step
// at which a service takes another's away.
func (s *Scene) watch(step *faults.Step) {
	s.steps = append(s.steps, step)
	for _, before := range step.Before {
		if holds(step.After, before) {
			continue
		}
		taker := s.takers[before.Key]
		delete(s.takers, before.Key)
		if len(step.Commands) > 0 && taker != "" && taker != step.Client && s.plays(step.Client) {
			s.Robberies++
			how := "deleted"
			if slices.ContainsFunc(step.After, func(l faults.Holding) bool { return l.Key == before.Key }) {
				how = "overwrote"
			}
			step.Mark("%s %s %s's lock", step.Client, how, taker)
		}
	}
	for _, after := range step.After {
		if s.takers[after.Key] == "" {
			s.takers[after.Key] = step.Client
		}
	}
	if step.Writes(StockKey) && !s.holdsLock(step.Client) {
		for _, c := range s.cast {
			if c.Instance() == step.Client && c.Inside() {
				c.late = &step.Sent
			}
		}
	}
}

// holdsLock reports whether Redis has a lock that a service took.
func (s *Scene) holdsLock(service string) bool {
	for _, taker := range s.takers {
		if taker == service {
			return true
		}
	}
	return false
}

// plays reports whether a service is of the cast: an operator, say, who deletes a
// lock by hand, is not.
func (s *Scene) plays(service string) bool {
	return slices.ContainsFunc(s.cast, func(c *Client) bool { return c.Instance() == service })
}

// holds reports whether a lock is still there, and its owner still in it.
func holds(locks []faults.Holding, lock faults.Holding) bool {
	return slices.ContainsFunc(locks, func(l faults.Holding) bool {
		return l.Key == lock.Key && slices.Contains(strings.Fields(l.Value), owner(lock.Value))
	})
}

// owner is the owner in a value of a lock, without the count.
func owner(value string) string {
	name, _, _ := strings.Cut(value, " ")
	return name
}
