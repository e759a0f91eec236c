package stages_test

import (
	"context"
	"io"
	"testing"
	"time"

	"lockstep/stages"
)

// The promises that all stages have in common. Where a stage can't keep one,
// because that is its lesson, it is named here with the reason.

func TestLockBlocksUntilTheHolderUnlocks(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a, b := s.client("A"), s.client("B")

		a.Lock()
		s.NoError(a.err)
		b.Lock()
		s.Sleep(time.Second)
		s.True(b.Waiting())

		a.Unlock()
		s.NoError(a.err)
		s.LessOrEqual(s.ends(b, poll), time.Second+poll)
		s.NoError(b.err)

		b.Unlock()
		s.NoError(b.err)
		s.free()
	})
}

func TestLockEndsWithItsDeadline(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a, b := s.client("A"), s.client("B")

		a.Lock()
		b.LockWithin(50 * time.Millisecond)
		s.Equal(50*time.Millisecond, s.ends(b, poll*4))
		s.ErrorIs(b.err, context.DeadlineExceeded)

		s.leavesNothing(a, b)
	})
}

func TestLockEndsWhenItIsCancelled(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a, b := s.client("A"), s.client("B")
		ctx, cancel := context.WithCancel(context.Background())

		a.Lock()
		b.LockUnder(ctx)
		s.Sleep(50 * time.Millisecond)
		s.True(b.Waiting())
		cancel()
		s.Equal(50*time.Millisecond, s.ends(b, poll), "B waits on, though nobody waits for it")
		s.ErrorIs(b.err, context.Canceled)

		s.leavesNothing(a, b)
	})
}

// leavesNothing insists that the end of b's wait is the end: the lock is still
// a's, b tries no more, and when a has left nobody is inside.
func (s *scene) leavesNothing(a, b *client) {
	sent := b.Sent()
	s.Sleep(time.Second)
	s.Equal(sent, b.Sent(), "B has given up, and still tries")
	a.Unlock()
	s.NoError(a.err)
	s.Sleep(time.Second)
	s.free()
	s.True(b.TryLock())
}

func TestTryLockDoesNotWait(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a, b := s.client("A"), s.client("B")

		s.True(a.TryLock())
		sent := b.Sent()
		s.False(b.TryLock())

		s.False(b.Waiting())
		s.NoError(b.err, "a lock that is taken is an answer, not an error")
		if s.stage.Acquire != "" {
			s.Equal(1, b.Sent()-sent, "one try is one command")
		}
	})
}

func TestCancelledContextSendsNothing(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a := s.client("A")

		a.LockUnder(cancelled())
		s.ErrorIs(a.err, context.Canceled)

		a.Do("TryLock", func(context.Context) { a.got, a.err = a.lock.TryLock(cancelled()) })
		s.False(a.got)
		s.ErrorIs(a.err, context.Canceled)

		s.Zero(a.Sent())
		s.free()
	})
}

// saysNotHeld insists that an Unlock had nothing to unlock, in the stage's way.
//
// v1, v2 and v3 have none: their Unlock deletes whatever is there and says that
// all is well. That is their lesson (ForeignUnlock), and v4 repairs it.
func (s *scene) saysNotHeld(err error) {
	switch want := s.stage.NotHeld; {
	case want != nil:
		s.ErrorIs(err, want)
		s.EqualError(err, "release lock:stock: lock: not held")
	case s.stage.Name == "v0_mutex": // it has no package to export an error from
		s.EqualError(err, "release: lock: not held")
	default:
		s.NoError(err, "%s can't know", s.stage)
	}
}

func TestUnlockBeforeLock(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a := s.client("A")
		a.Unlock()
		s.saysNotHeld(a.err)
		s.free()
	})
}

// Who does not hold the lock leaves it as it is, and gets no nearer to it.
func TestUnlockOfAStranger(t *testing.T) {
	t.Parallel()
	for _, stage := range onRedis() {
		if stage.NotHeld == nil {
			continue // that is its lesson: ForeignUnlock
		}
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			perform(t, stage, func(s *scene) {
				a, b := s.client("A"), s.client("B")
				a.Lock()
				before := s.held()
				b.Unlock()
				s.saysNotHeld(b.err)
				s.Equal(before, s.held())
				s.False(b.TryLock())
				a.Unlock()
				s.NoError(a.err)
				s.free()
			})
		})
	}
}

func TestUnlockTwice(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a := s.client("A")
		a.Lock()
		a.Unlock()
		s.NoError(a.err)
		a.Unlock()
		s.saysNotHeld(a.err)
		s.free()
	})
}

// A lease that ended before the Unlock is no silent matter either.
func TestUnlockAfterTheLease(t *testing.T) {
	t.Parallel()
	for _, stage := range onRedis() {
		if !stage.Lease || stage.Renew != "" {
			continue // no lease, or one that does not end while the lock is held
		}
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			perform(t, stage, func(s *scene) {
				a := s.client("A")
				a.Lock()
				s.Sleep(lease)
				s.free()
				a.Unlock()
				s.saysNotHeld(a.err)
			})
		})
	}
}

// Nor is one that ends within the Unlock, after the look at the owner. v5's
// transaction sees that the key has changed, and looks again.
func TestUnlockInWhichTheLeaseEnds(t *testing.T) {
	t.Parallel()
	onEach(t, []stages.Stage{stages.V4, stages.V5Watch}, func(s *scene) {
		a := s.client("A")
		a.Lock()
		a.PauseBefore(s.stage.Release)
		a.Unlock()
		s.True(a.Waiting())
		s.Sleep(lease)
		a.Resume()
		s.saysNotHeld(a.err)
	})
}

func TestHandleCanBeUsedAgain(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a, b := s.client("A"), s.client("B")
		for range 3 {
			a.Lock()
			s.NoError(a.err)
			s.False(b.TryLock())
			a.Unlock()
			s.NoError(a.err)
		}
		s.True(b.TryLock())
	})
}

// Redis freed A's lock, the reply is lost, and go-redis sends the release again.
// By then B is inside. RetriedDelete plays what that does to B; this is what A is
// told.
func TestReleaseThatIsSentTwice(t *testing.T) {
	t.Parallel()
	onEach(t, onRedis(), func(s *scene) {
		a, b := s.client("A"), s.client("B")

		a.Lock()
		a.LoseReply(s.stage.Release)
		a.PauseBefore(s.stage.Release) // the second time
		a.Unlock()
		s.free()
		b.Lock()
		s.NoError(b.err)

		switch s.stage.Name {
		case "v5_watch_release": // go-redis sends no transaction again
			a.Disarm()
			s.ErrorIs(a.err, io.EOF)
			s.held()
		case "v1_setnx", "v2_spin", "v3_expire", "v4_owner": // it was B's
			a.Resume()
			s.NoError(a.err)
			s.free()
		default:
			a.Resume()
			s.saysNotHeld(a.err)
			s.held()
		}
	})
}

// The same with an inner Unlock of v6, of which both count. v7 knows them apart.
func TestInnerUnlockThatIsSentTwice(t *testing.T) {
	t.Parallel()
	perform(t, stages.V6, func(s *scene) {
		a := s.client("A")
		a.Lock()
		a.Lock()
		a.LoseReply("releaseOnce")
		a.Unlock()
		s.NoError(a.err)
		s.free() // and A is still inside, it thinks
	})
}

// Who enters again begins the lease again: the inner work may take as long as
// the outer.
func TestReentryRenewsTheLease(t *testing.T) {
	t.Parallel()
	onEach(t, []stages.Stage{stages.V6, stages.V7}, func(s *scene) {
		a := s.client("A")
		a.Lock()
		s.Sleep(5 * time.Second)
		a.Lock()
		s.NoError(a.err)
		s.Equal(s.Now()+lease, s.held().Ends)
	})
}

// An inner handle that never locked, or left already, unlocks. v6 asks for the
// owner, who is inside, and so the outer's entry goes: its Unlock says so. v7's
// handle knows its own entries.
func TestUnlockTooOften(t *testing.T) {
	t.Parallel()
	for name, locks := range map[string]bool{"before its Lock": false, "twice": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, []stages.Stage{stages.V6, stages.V7}, func(s *scene) {
				outer, inner := s.nested(s.Client("A"))
				outer.Lock()
				if locks {
					inner.Lock()
					inner.Unlock()
					s.NoError(inner.err)
				}
				sent := inner.Sent()
				inner.Unlock()

				if s.stage.Name == "v6_reentrant_hash" {
					s.NoError(inner.err, "it can't know")
					s.free()
					return
				}
				s.saysNotHeld(inner.err)
				s.Equal(sent, inner.Sent(), "it asks nobody")
				s.Equal("1", s.entries())
				outer.Unlock()
				s.NoError(outer.err)
				s.free()
			})
		})
	}
}

// What a lock and its unlock cost, in commands, once the server knows the
// scripts. The stages' package comments say so too.
func TestWhatALockCosts(t *testing.T) {
	t.Parallel()
	commands := map[string][2]int{
		"v1_setnx":          {1, 1},
		"v2_spin":           {1, 1},
		"v3_expire":         {1, 1},
		"v4_owner":          {1, 2}, // GET, DEL
		"v5_lua_release":    {1, 1},
		"v5_watch_release":  {1, 5}, // WATCH, GET, and MULTI DEL EXEC in one round trip
		"v6_reentrant_hash": {1, 1},
		"v7_watchdog":       {1, 1},
	}
	onEach(t, onRedis(), func(s *scene) {
		a := s.client("A")
		a.Lock()
		a.Unlock() // now the server knows the scripts

		sent := a.Sent()
		a.Lock()
		toLock := a.Sent() - sent
		a.Unlock()
		s.Equal(commands[s.stage.Name], [2]int{toLock, a.Sent() - sent - toLock})
	})
}

// A waiter asks every 20 ms.
func TestWhatWaitingCosts(t *testing.T) {
	t.Parallel()
	onEach(t, onRedis(), func(s *scene) {
		a, b := s.client("A"), s.client("B")
		a.Lock()
		b.Lock()
		sent := b.Sent()
		s.Sleep(time.Second)
		s.Equal(int(time.Second/poll), b.Sent()-sent)
	})
}

// Do, as every caller should use a lock, unlocks whatever the business does.
func TestDo(t *testing.T) {
	t.Parallel()
	onEach(t, every(), func(s *scene) {
		a := s.client("A")
		var answer string
		a.Do("sell", func(ctx context.Context) {
			answer, a.err = stages.Do(ctx, a.lock, func(context.Context) (string, error) {
				return "sold", context.DeadlineExceeded // of the payment, say
			})
		})
		s.Equal("sold", answer)
		s.ErrorIs(a.err, context.DeadlineExceeded)
		s.free()

		a.Do("sell", func(ctx context.Context) {
			defer func() { _ = recover() }()
			_, _ = stages.Do(ctx, a.lock, func(context.Context) (string, error) { panic("no stock") })
		})
		s.free()
	})
}
