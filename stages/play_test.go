package stages_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
	"lockstep/stages"
	v6 "lockstep/v6_reentrant_hash"
	v7 "lockstep/v7_watchdog"
)

// The words that the tests of this package share.

const (
	lockKey = "lock:stock"
	lease   = 30 * time.Second
	poll    = 20 * time.Millisecond // between two tries of a waiter
)

// every lists the mutex, the stages and v5's other release.
func every() []stages.Stage { return append(stages.All(), stages.V5Watch) }

// onRedis is every without the mutex.
func onRedis() []stages.Stage { return every()[1:] }

// scene is a world and the stage under test. A failed assertion ends the play.
type scene struct {
	*faults.World
	*require.Assertions
	stage stages.Stage
	cast  []*client
}

// perform performs a play on a stage, in a world of its own.
func perform(t *testing.T, stage stages.Stage, play func(*scene)) {
	t.Helper()
	performWith(t, stage, faults.Options{}, play)
}

func performWith(t *testing.T, stage stages.Stage, opts faults.Options, play func(*scene)) {
	t.Helper()
	opts.Watch = lockKey
	timeline, err := faults.Run(opts, func(w *faults.World) error {
		play(&scene{World: w, Assertions: require.New(t), stage: stage})
		return nil
	})
	require.NoError(t, err, "%s", timeline)
}

// onEach performs a play once on each of the stages.
func onEach(t *testing.T, on []stages.Stage, play func(*scene)) {
	t.Helper()
	for _, stage := range on {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			perform(t, stage, play)
		})
	}
}

// client is a flow of control with its handle on the lock. got and err are what
// its last call returned, and took is how long that was under way.
type client struct {
	*faults.Client
	scene *scene
	lock  stages.Lock
	got   bool
	err   error
	took  time.Duration
}

// client adds a service to the scene, or, where a service has one lock for all
// its flows, another flow.
func (s *scene) client(name string) *client {
	c := &client{scene: s}
	if s.stage.PerService && len(s.cast) > 0 {
		c.Client, c.lock = s.cast[0].Flow(name), s.cast[0].lock
	} else {
		c.Client = s.Client(name)
		c.lock = s.handle(c)
	}
	s.cast = append(s.cast, c)
	return c
}

// handle makes a lock for c's service.
func (s *scene) handle(c *client) stages.Lock {
	lock, err := s.stage.New(stages.Flow{Redis: c.Redis(), Key: lockKey, Lease: lease, Thread: 1})
	s.NoError(err)
	return lock
}

// nested makes two handles of one owner, as a function and the one that it calls
// have them, in v6 or v7.
func (s *scene) nested(a *faults.Client) (outer, inner *client) {
	outer = &client{Client: a.Flow("outer"), scene: s}
	inner = &client{Client: a.Flow("inner"), scene: s}
	six, err := v6.NewFactory(a.Redis(), lease)
	s.NoError(err)
	seven, err := v7.NewFactory(a.Redis(), lease)
	s.NoError(err)
	for _, c := range []*client{outer, inner} {
		if s.stage.Name == stages.V6.Name {
			c.lock, err = six.New(v6.Redis, lockKey)
		} else {
			c.lock, err = seven.New(v7.Redis, lockKey)
		}
		s.NoError(err)
	}
	return outer, inner
}

// call starts a call that takes no longer than limit, and forever has none.
func (c *client) call(what string, limit time.Duration, f func(ctx context.Context)) {
	c.Do(what, func(ctx context.Context) {
		if limit != forever {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		start := time.Now()
		f(ctx)
		c.took = time.Since(start)
	})
}

const forever time.Duration = 0

func (c *client) Lock() { c.LockWithin(forever) }

func (c *client) LockWithin(limit time.Duration) {
	c.call("Lock", limit, func(ctx context.Context) { c.err = c.lock.Lock(ctx) })
}

// LockUnder starts a Lock under a context of the play's.
func (c *client) LockUnder(ctx context.Context) {
	c.call("Lock", forever, func(context.Context) { c.err = c.lock.Lock(ctx) })
}

func (c *client) TryLock() bool { return c.TryLockWithin(forever) }

func (c *client) TryLockWithin(limit time.Duration) bool {
	c.got = false
	c.call("TryLock", limit, func(ctx context.Context) { c.got, c.err = c.lock.TryLock(ctx) })
	return c.got
}

func (c *client) Unlock() { c.UnlockWithin(forever) }

func (c *client) UnlockWithin(limit time.Duration) {
	c.call("Unlock", limit, func(ctx context.Context) { c.err = c.lock.Unlock(ctx) })
}

// UnlockUnder starts an Unlock under a context of the play's.
func (c *client) UnlockUnder(ctx context.Context) {
	c.call("Unlock", forever, func(context.Context) { c.err = c.lock.Unlock(ctx) })
}

// send has c send one command that is not the lock's.
func (c *client) send(words ...any) {
	c.Do("command", func(ctx context.Context) { c.err = c.Redis().Do(ctx, words...).Err() })
	c.scene.NoError(c.err)
}

// ends lets time pass, limit at most, until c's call has ended, and returns how
// long that was under way.
func (s *scene) ends(c *client, limit time.Duration) time.Duration {
	s.True(s.Await(c.Client, limit), "%s is still waiting after %v more", c.Name(), limit)
	return c.took
}

// cancelled is a context that is over.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// free insists that Redis has no lock.
func (s *scene) free() {
	s.Empty(s.Keys(), "the lock should be free")
}

// held is the lock as Redis has it, which it must.
func (s *scene) held() faults.Key {
	keys := s.Keys()
	i := slices.IndexFunc(keys, func(k faults.Key) bool { return k.Name == lockKey })
	s.GreaterOrEqual(i, 0, "the lock should be held, and Redis has %v", keys)
	return keys[i]
}
