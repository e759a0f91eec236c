package stages_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
	"lockstep/stages"
	v1 "lockstep/v1_setnx"
	v2 "lockstep/v2_spin"
	v3 "lockstep/v3_expire"
	v4 "lockstep/v4_owner"
	v5 "lockstep/v5_lua_release"
	v6 "lockstep/v6_reentrant_hash"
	v7 "lockstep/v7_watchdog"
)

// A maker is one way of a stage to come by a lock, with what it says to input
// that it can't take. An error is nil where it does not take that input at all.
type maker struct {
	name                               string
	make                               func(rdb *redis.Client, key, owner string, lease time.Duration) (any, error)
	noClient, noKey, noOwner, badLease error
}

var makers = []maker{
	{
		"v1_setnx", func(rdb *redis.Client, key, _ string, _ time.Duration) (any, error) { return v1.New(rdb, key) },
		v1.ErrNoClient, v1.ErrNoKey, nil, nil,
	},
	{
		"v2_spin", func(rdb *redis.Client, key, _ string, _ time.Duration) (any, error) { return v2.New(rdb, key) },
		v2.ErrNoClient, v2.ErrNoKey, nil, nil,
	},
	{
		"v3_expire", func(rdb *redis.Client, key, _ string, lease time.Duration) (any, error) {
			return v3.New(rdb, key, lease)
		},
		v3.ErrNoClient, v3.ErrNoKey, nil, v3.ErrLease,
	},
	{
		"v4_owner", func(rdb *redis.Client, key, _ string, lease time.Duration) (any, error) {
			return v4.New(rdb, key, lease)
		},
		v4.ErrNoClient, v4.ErrNoKey, nil, v4.ErrLease,
	},
	{
		"v5_lua_release", func(rdb *redis.Client, key, _ string, lease time.Duration) (any, error) {
			return v5.New(rdb, key, lease)
		},
		v5.ErrNoClient, v5.ErrNoKey, nil, v5.ErrLease,
	},
	{
		"v5_watch_release", func(rdb *redis.Client, key, _ string, lease time.Duration) (any, error) {
			return v5.NewWatch(rdb, key, lease)
		},
		v5.ErrNoClient, v5.ErrNoKey, nil, v5.ErrLease,
	},
	{
		"v6_reentrant_hash", func(rdb *redis.Client, key, owner string, lease time.Duration) (any, error) {
			return v6.New(rdb, key, owner, lease)
		},
		v6.ErrNoClient, v6.ErrNoKey, v6.ErrNoOwner, v6.ErrLease,
	},
	{
		"v6_factory", func(rdb *redis.Client, key, _ string, lease time.Duration) (any, error) {
			f, err := v6.NewFactory(rdb, lease)
			if err != nil {
				return f, err
			}
			return f.New(v6.Redis, key)
		},
		v6.ErrNoClient, v6.ErrNoKey, nil, v6.ErrLease,
	},
	{
		"v7_watchdog", func(rdb *redis.Client, key, owner string, lease time.Duration) (any, error) {
			return v7.New(rdb, key, owner, lease)
		},
		v7.ErrNoClient, v7.ErrNoKey, v7.ErrNoOwner, v7.ErrLease,
	},
	{
		"v7_factory", func(rdb *redis.Client, key, _ string, lease time.Duration) (any, error) {
			f, err := v7.NewFactory(rdb, lease)
			if err != nil {
				return f, err
			}
			return f.New(v7.Redis, key)
		},
		v7.ErrNoClient, v7.ErrNoKey, nil, v7.ErrLease,
	},
}

// A stage without a maker would not be asked.
func TestEveryStageHasAMaker(t *testing.T) {
	t.Parallel()
	for _, stage := range stages.All()[1:] {
		has := slices.ContainsFunc(makers, func(m maker) bool { return m.name == stage.Name })
		require.True(t, has, "add %s to makers in badinput_test.go, so that its New is given bad input", stage)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			perform(t, stages.V1, func(s *scene) {
				a := s.Client("A")
				refuses := func(want error, rdb *redis.Client, key, owner string, lease time.Duration) {
					if want == nil {
						return
					}
					lock, err := m.make(rdb, key, owner, lease)
					s.ErrorIs(err, want)
					s.ErrorContains(err, "lock: ")
					s.Nil(lock)
				}
				refuses(m.noClient, nil, "k", "o", lease)
				refuses(m.noKey, a.Redis(), "", "o", lease)
				refuses(m.noOwner, a.Redis(), "k", "", lease)
				for _, bad := range []time.Duration{
					0,                       // go-redis: no lease at all
					time.Microsecond,        // go-redis: 1 ms, and a line in the log
					999 * time.Microsecond,  // the same
					1500 * time.Microsecond, // go-redis: 1 ms
					-1,                      // go-redis: KEEPTTL, so no lease either
					-time.Second,            // Redis: invalid expire time
				} {
					refuses(m.badLease, a.Redis(), "k", "o", bad)
				}
				s.Zero(a.Sent(), "nothing is sent")
				s.Empty(s.Keys())
			})
		})
	}
}

// The shortest lease that Redis can keep is a lease.
func TestOneMillisecondIsALease(t *testing.T) {
	t.Parallel()
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			perform(t, stages.V1, func(s *scene) {
				a := s.Client("A")
				lock, err := m.make(a.Redis(), lockKey, "o", time.Millisecond)
				s.NoError(err)
				s.Zero(a.Sent(), "New sends nothing")
				a.Do("TryLock", func(ctx context.Context) {
					ok, err := lock.(stages.Lock).TryLock(ctx)
					s.NoError(err)
					s.True(ok)
				})
			})
		})
	}
}

// A factory that is asked for what it doesn't have returns an error, never a nil
// lock that a caller would fall over later.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	perform(t, stages.V7, func(s *scene) {
		rdb := s.Client("A").Redis()
		six, err := v6.NewFactory(rdb, lease)
		s.NoError(err)
		seven, err := v7.NewFactory(rdb, lease)
		s.NoError(err)
		for _, kind := range []string{"MYSQL", "ZOOKEEPER", "", "redis"} {
			lock6, err := six.New(v6.Kind(kind), "k")
			s.ErrorIs(err, v6.ErrKind)
			s.ErrorContains(err, `"`+kind+`"; this factory makes "REDIS"`)
			s.Nil(lock6)

			lock7, err := seven.New(v7.Kind(kind), "k")
			s.ErrorIs(err, v7.ErrKind)
			s.ErrorContains(err, `"`+kind+`"; this factory makes "REDIS"`)
			s.Nil(lock7)
		}
	})
}

// A dialer stands for a server that is of no use.
type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// useless lists such servers, with what a caller gets to know of them.
var useless = []struct {
	name string
	dial dialer
	says func(error) bool
}{
	{"refuses", func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}, func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
	{"is not there", func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done() // nobody answers the SYN
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
	}, timedOut},
	{"closes at once", func(context.Context, string, string) (net.Conn, error) {
		client, _ := net.Pipe()
		return hungUp{client}, nil
	}, func(err error) bool { return errors.Is(err, io.EOF) }},
	{"never answers", func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, server) }() // ends when the client closes the connection
		return client, nil
	}, timedOut},
}

// timedOut reports whether err says that time was up. Where a deadline ends a
// command that is under way, go-redis returns the error of the context or that
// of the connection, whichever comes first.
func timedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// hungUp is a connection that the other end has closed: what you write still
// leaves, and there is nothing to read.
type hungUp struct{ net.Conn }

func (hungUp) Read([]byte) (int, error)    { return 0, io.EOF }
func (hungUp) Write(b []byte) (int, error) { return len(b), nil }

// newClient is a go-redis client with its default retries, in fake time.
func newClient(dial dialer) *redis.Client {
	return redis.NewClient(&redis.Options{
		Dialer: dial,

		// A context is the only limit: go-redis reckons its own ones by a
		// clock that is not fake.
		ContextTimeoutEnabled: true,
		ReadTimeout:           -1,
		WriteTimeout:          -1,
		ConnMaxIdleTime:       -1,

		DialerRetries:            1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// No call hangs: the deadline of its context is its end. v7 takes two seconds
// more to give back what it may have got.
func TestUselessServer(t *testing.T) {
	t.Parallel()
	const limit, more = 10 * time.Second, 2 * time.Second
	for _, server := range useless {
		for _, stage := range onRedis() {
			t.Run(server.name+"/"+stage.Name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					rdb := newClient(server.dial)
					defer func() {
						require.NoError(t, rdb.Close())
						time.Sleep(time.Minute) // a dial of go-redis's outlives the call that wanted it
					}()
					lock, err := stage.New(stages.Flow{Redis: rdb, Key: lockKey, Lease: lease})
					require.NoError(t, err)

					longest := limit
					if stage.Renew != "" {
						longest += more
					}
					fails := func(doing string, call func(ctx context.Context) error) {
						ctx, cancel := context.WithTimeout(t.Context(), limit)
						defer cancel()
						start := time.Now()
						err := call(ctx)
						require.True(t, server.says(err), "got %v", err)
						require.ErrorContains(t, err, doing+" lock:stock: ")
						require.LessOrEqual(t, time.Since(start), longest)
					}
					fails("acquire", func(ctx context.Context) error {
						ok, err := lock.TryLock(ctx)
						require.False(t, ok)
						return err
					})
					fails("acquire", lock.Lock)
					if stage.Renew != "" { // its handle knows that it has no entry
						require.ErrorIs(t, lock.Unlock(t.Context()), stage.NotHeld)
						return
					}
					fails("release", lock.Unlock)
				})
			})
		}
	}
}

// Redis took the lock, and its caller only learns that the connection broke.
// What is left behind?
func TestErrorOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, stage := range onRedis() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			performWith(t, stage, faults.Options{NoRetries: true}, func(s *scene) {
				a, b := s.client("A"), s.client("B")
				if s.stage.Acquire != "SET" {
					b.Lock()
					b.Unlock() // Redis knows the script now, so that one command takes the lock
				}

				a.LoseReply(s.stage.Acquire)
				s.False(a.TryLock())
				s.ErrorIs(a.err, io.EOF)

				switch {
				case s.stage.Renew != "": // v7 takes the entry back
					s.free()
				case s.stage.Lease: // it ends with its lease
					s.Equal(s.Now()+lease, s.held().Ends)
					s.Sleep(lease)
					s.free()
				default: // v1 and v2 leave it for ever; that is their lesson (Crash)
					s.Equal(faults.Never, s.held().Ends)
					s.Sleep(24 * time.Hour)
					s.held()
					return
				}
				s.True(b.TryLock())
			})
		})
	}
}

// Where v7 can't take the entry back either, its lease ends it: no watchdog
// renews what nobody believes to hold.
func TestErrorOfUnknownOutcomeTwice(t *testing.T) {
	t.Parallel()
	performWith(t, stages.V7, faults.Options{NoRetries: true}, func(s *scene) {
		a := s.client("A")
		a.LoseReply("acquireOrReenter")
		a.LoseRequest("undoEntry")
		a.Lock()
		s.ErrorIs(a.err, io.EOF)

		s.Equal(lease, s.held().Ends)
		s.Sleep(lease)
		s.free()
	})
}

// A has given up, and only then does its command reach Redis: a lock that nobody
// believes to hold. v7's undo came too early for it. The lease ends it.
func TestRequestThatComesLate(t *testing.T) {
	t.Parallel()
	onEach(t, onRedis(), func(s *scene) {
		a, b := s.client("A"), s.client("B")
		b.Lock()
		b.Unlock() // Redis knows the scripts

		a.Delay(s.stage.Acquire, 5*time.Second)
		a.LockWithin(time.Second)
		s.Equal(time.Second, s.ends(a, 2*time.Second))
		s.True(timedOut(a.err), "got %v", a.err)
		s.free()

		s.Sleep(4 * time.Second)
		if !s.stage.Lease { // v1 and v2 leave it for ever (Crash)
			s.Equal(faults.Never, s.held().Ends)
			return
		}
		s.Equal(s.Now()+lease, s.held().Ends)
		s.Sleep(lease)
		s.free()
	})
}

// The server falls silent in the middle of a TryLock.
func TestServerFallsSilent(t *testing.T) {
	t.Parallel()
	onEach(t, onRedis(), func(s *scene) {
		a := s.client("A")
		a.Lock()
		a.Unlock() // so there is a connection

		a.Pause() // nothing gets through from here
		a.TryLockWithin(time.Second)
		s.True(a.Waiting())
		took := s.ends(a, time.Minute)
		s.False(a.got)
		s.True(timedOut(a.err), "got %v", a.err)

		a.UnlockWithin(time.Second)
		s.LessOrEqual(s.ends(a, time.Minute), time.Second)
		if s.stage.Renew == "" {
			s.True(timedOut(a.err), "got %v", a.err)
		} else {
			s.saysNotHeld(a.err) // without asking; TestUnlockIsBounded asks
		}

		a.Resume()
		s.Sleep(time.Minute)
		s.free() // what timed out does not come late
		if s.stage.Renew == "" {
			s.Equal(time.Second, took)
		} else {
			s.Equal(3*time.Second, took) // two of them to take back an entry that may have been
		}
	})
}

// A key that holds something else is an error where the stage can see it. SET NX
// can't: it answers nil to any key that is there, so v1 to v5 take it for a lock
// that somebody holds, and wait.
func TestKeyOfAnotherType(t *testing.T) {
	t.Parallel()
	onEach(t, onRedis(), func(s *scene) {
		a := s.client("A")
		isString := s.stage.Acquire == "SET"
		if isString {
			a.send("HSET", lockKey, "field", "value")
		} else {
			s.Put(lockKey, "value")
		}
		before := s.held()

		s.False(a.TryLock())
		if isString {
			s.NoError(a.err, "%s can't know", s.stage)
		} else {
			s.ErrorContains(a.err, "acquire lock:stock: ")
			s.ErrorContains(a.err, "WRONGTYPE")
		}
		s.Equal(before, s.held())

		a.Unlock()
		switch {
		case s.stage.NotHeld == nil:
			s.NoError(a.err)
			s.free() // v1 to v3 delete whatever is there (ForeignUnlock)
			return
		case s.stage.Renew != "":
			s.saysNotHeld(a.err) // v7 knows that without asking
		default:
			s.ErrorContains(a.err, "release lock:stock: ")
			s.ErrorContains(a.err, "WRONGTYPE")
		}
		s.Equal(before, s.held())
	})
}

// A Lock that waits for such a key waits as long as its context.
func TestWaitForAKeyOfAnotherType(t *testing.T) {
	t.Parallel()
	perform(t, stages.V5, func(s *scene) {
		a := s.client("A")
		a.send("RPUSH", lockKey, "item")
		a.LockWithin(90 * time.Millisecond)
		s.Equal(90*time.Millisecond, s.ends(a, time.Second))
		s.ErrorIs(a.err, context.DeadlineExceeded)
	})
}
