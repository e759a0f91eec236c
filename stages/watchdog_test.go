package stages_test

import (
	"io"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/faults"
	"lockstep/stages"
	v7 "lockstep/v7_watchdog"
)

// v7's watchdog, between one renewal and the next. It asks after a third of the
// lease, and, when that fails, again after a tenth.
const (
	third = lease / 3
	tenth = lease / 10
)

// watchdog performs a play on v7_watchdog. A is at work, and the server knows
// the scripts, so that one command is one line of the timeline.
func watchdog(t *testing.T, opts faults.Options, play func(s *scene, a *client)) {
	t.Helper()
	performWith(t, stages.V7, opts, func(s *scene) {
		x := s.client("X")
		x.Lock()
		s.Sleep(third)
		x.Unlock()
		play(s, s.client("A"))
	})
}

// lost is the channel by which c's watchdog tells of a loss.
func (c *client) lost() <-chan struct{} { return c.lock.(*v7.Lock).Lost() }

// isLost reports whether c has been told that its lock is lost.
func (c *client) isLost() bool {
	select {
	case <-c.lost():
		return true
	default:
		return false
	}
}

// entries are the entries of the lock's owner that Redis counts.
func (s *scene) entries() string {
	for _, f := range s.held().Fields {
		if f.Name != "" { // that one is the lock's own
			return f.Value
		}
	}
	return ""
}

func TestWatchdogRenewsEachThird(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		for range 10 {
			s.Equal(s.Now()+lease, s.held().Ends)
			sent := a.Sent()
			s.Sleep(third)
			s.Equal(1, a.Sent()-sent)
		}
		s.False(a.isLost())
		a.Unlock()
		s.NoError(a.err)
		s.free()
		s.False(a.isLost(), "an Unlock is no loss")
	})
}

func TestWatchdogTriesAgain(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		end := s.Now() + lease

		a.LoseRequest("renewIfOwner")
		a.LoseRequest("renewIfOwner")
		s.Sleep(third + tenth + tenth/2)
		s.Equal(end, s.held().Ends, "both renewals were lost")
		s.Sleep(tenth / 2)
		s.Equal(s.Now()+lease, s.held().Ends, "the third came through")

		s.Sleep(third)
		s.Equal(s.Now()+lease, s.held().Ends, "and it goes on as before")
		s.False(a.isLost())
	})
}

// A renewal whose reply is lost is one that failed, as far as A can tell.
func TestWatchdogTriesAgainAfterALostReply(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		a.LoseReply("renewIfOwner")
		s.Sleep(third)
		s.Equal(s.Now()+lease, s.held().Ends)
		s.Sleep(tenth)
		s.Equal(s.Now()+lease, s.held().Ends)
		s.False(a.isLost())
	})
}

func TestWatchdogFindsTheKeyDeleted(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		b := s.client("B")
		a.Lock()
		b.send("DEL", lockKey)
		b.Lock()
		s.NoError(b.err)

		s.Sleep(third - time.Millisecond)
		s.False(a.isLost(), "it has not looked yet")
		s.Sleep(time.Millisecond)
		s.True(a.isLost())

		sent := a.Sent()
		s.Sleep(time.Hour)
		s.Equal(sent, a.Sent(), "a lock that is lost is renewed no more")

		a.Unlock()
		s.ErrorIs(a.err, v7.ErrNotHeld)
		s.False(b.isLost())
		b.Unlock()
		s.NoError(b.err)
	})
}

// An Unlock that finds the lock gone ends the hold, however many entries it had.
func TestUnlockFindsTheKeyDeleted(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		a.Lock()
		s.client("B").send("DEL", lockKey)
		a.Unlock()
		s.ErrorIs(a.err, v7.ErrNotHeld)

		sent := a.Sent()
		s.Sleep(time.Hour)
		s.Equal(sent, a.Sent())
	})
}

// The connection breaks each time. After a whole lease A must take the lock for
// lost, because Redis does.
func TestWatchdogGetsNothingThrough(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		for range 7 { // after a third of the lease, and then each tenth
			a.LoseRequest("renewIfOwner")
		}
		s.Sleep(lease - time.Millisecond)
		s.False(a.isLost())
		s.Sleep(time.Millisecond)
		s.True(a.isLost())
		s.free()

		sent := a.Sent()
		s.Sleep(time.Hour)
		s.Equal(sent, a.Sent())
	})
}

// All replies within a lease are lost, and Redis has renewed it all the same: a last try
// finds that out.
func TestWatchdogTriesOnceMoreAfterTheLease(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		for range 7 { // after a third of the lease, and then each tenth
			a.LoseReply("renewIfOwner")
		}
		s.Sleep(lease + time.Second)
		s.False(a.isLost())
		s.Equal("1", s.entries())
	})
}

// A lease begins when Redis renews it, which may be as early as the question. So it is
// reckoned from there, however late the answer is heard.
func TestWatchdogReckonsFromTheQuestion(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		a.Delay("renewIfOwner", time.Millisecond)
		s.Sleep(third)
		a.Pause()
		s.Sleep(time.Second)
		a.Resume()
		for range 8 { // a third of the lease after the answer, each tenth, and at the end
			a.LoseRequest("renewIfOwner")
		}
		s.Sleep(lease - time.Second - time.Millisecond)
		s.False(a.isLost())
		s.Sleep(time.Millisecond)
		s.True(a.isLost())
		s.Sleep(time.Millisecond)
		s.free()
	})
}

// The server is silent instead, and no error comes back in time.
func TestWatchdogGetsNoAnswer(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		s.Sleep(time.Second)
		a.Pause()
		s.Sleep(lease - time.Second - time.Millisecond)
		s.False(a.isLost())
		s.Sleep(time.Millisecond)
		s.True(a.isLost())

		sent := a.Sent()
		a.Resume()
		s.Sleep(time.Hour)
		s.Equal(sent, a.Sent(), "what was held up comes late, and from somebody who has lost the lock")
		s.free()
	})
}

// byDefault gives c another client, one without ContextTimeoutEnabled, as go-redis
// makes them by default: no context ends a command that is under way, but only
// ReadTimeout. Here that is never, since go-redis reckons it by a clock that is not
// fake. It returns what closes the client.
func (c *client) byDefault() (closes func()) {
	opts := *c.Redis().Options()
	opts.ContextTimeoutEnabled = false
	opts.ReadTimeout, opts.WriteTimeout, opts.MaxRetries = -1, -1, -1
	rdb := redis.NewClient(&opts)
	lock, err := v7.New(rdb, lockKey, "a", lease)
	c.scene.NoError(err)
	c.lock = lock
	return func() { c.scene.NoError(rdb.Close()) }
}

// go-redis waits for longer than the renewal's context lasts. Lost does not.
func TestLostComesInTimeByDefault(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		defer a.byDefault()()
		a.Lock()
		s.Sleep(time.Second)
		a.Pause()
		s.Sleep(lease - time.Second - time.Millisecond)
		s.False(a.isLost())
		s.Sleep(time.Millisecond)
		s.True(a.isLost())

		s.Sleep(time.Second)
		a.Resume() // the renewal gets its answer, which comes too late
		sent := a.Sent()
		s.Sleep(time.Hour)
		s.Equal(sent, a.Sent())
		s.free()
	})
}

// Lost has told, and the renewal is still under way; Redis has the key yet, for it
// got the renewals whose replies were lost. A, who locks again, has a watchdog again,
// and the old one ends when its answer comes.
func TestLockAfterLostByDefault(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		defer a.byDefault()()
		a.Lock()
		for range 7 { // as many as come within the lease
			a.LoseReply("renewIfOwner")
		}
		a.Delay("renewIfOwner", third)
		s.Sleep(lease + tenth)
		s.True(a.isLost())
		s.Equal("1", s.entries())

		a.Lock()
		s.NoError(a.err)
		s.Equal("2", s.entries())
		s.False(a.isLost())
		s.Sleep(third)
		sent := a.Sent()
		s.Sleep(2 * lease)
		s.Equal(6, a.Sent()-sent, "one watchdog")
		s.False(a.isLost())
		a.Unlock()
		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

// The context bounds the wait for the lock, and not the hold.
func TestWatchdogOutlivesTheWait(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		b := s.client("B")
		b.Lock()
		a.LockWithin(time.Second) // its context ends with the call
		s.Sleep(poll / 2)
		b.Unlock()
		s.LessOrEqual(s.ends(a, poll), poll)
		s.NoError(a.err)

		s.Sleep(10 * lease)
		s.held()
		s.False(a.isLost())
		a.Unlock()
		s.NoError(a.err)
	})
}

// A renewal is on the wire when A unlocks. It has to be over before the release,
// so that it can't prolong what comes after: B's lock, or A's own next one.
func TestNoRenewalAfterUnlock(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{"B locks": "B", "A locks again": "A", "nobody locks": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watchdog(t, faults.Options{}, func(s *scene, a *client) {
				actors := map[string]*client{"A": a, "B": s.client("B")}

				a.Lock()
				a.Delay("renewIfOwner", time.Second)
				s.Sleep(third) // the renewal is on its way
				a.Unlock()
				s.True(a.Waiting(), "A waits for the renewal")
				s.Equal(time.Second, s.ends(a, 2*time.Second))
				s.NoError(a.err)
				s.free()

				holder := actors[next]
				if holder == nil {
					sent := a.Sent()
					s.Sleep(time.Hour)
					s.Equal(sent, a.Sent())
					s.free()
					return
				}
				holder.Lock()
				s.NoError(holder.err)
				end := s.Now() + lease
				s.Sleep(third - time.Millisecond) // its own first renewal is yet to come
				s.Equal(end, s.held().Ends)
				holder.Unlock()
				s.NoError(holder.err)
				s.free()
			})
		})
	}
}

func TestUnlockWithACancelledContext(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		a.UnlockUnder(cancelled())
		s.NoError(a.err)
		s.free()
	})
}

// No deadline of A's, and a server that has fallen silent.
func TestUnlockIsBounded(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		end := s.Now() + lease
		a.Pause()
		a.Unlock()
		s.True(a.Waiting())
		s.Equal(2*time.Second, s.ends(a, 3*time.Second))
		s.True(timedOut(a.err), "got %v", a.err)

		a.Resume()
		s.Equal(end, s.held().Ends)
		s.Sleep(lease)
		s.free() // no watchdog renews what A has left
	})
}

func TestLostReplyToLockCountsOnce(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.LoseReply("acquireOrReenter")
		a.Lock()
		s.NoError(a.err)
		s.Equal("1", s.entries())

		a.LoseReply("acquireOrReenter")
		a.Lock()
		s.NoError(a.err)
		s.Equal("2", s.entries())

		a.Unlock()
		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

func TestLostReplyToInnerUnlockCountsOnce(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		a.Lock()
		a.LoseReply("releaseOnce")
		a.Unlock()
		s.NoError(a.err)
		s.Equal("1", s.entries())

		s.Sleep(2 * lease)
		s.False(a.isLost())
		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

// The last release leaves nothing that could remember it. go-redis sends it
// again, and is told that there is no lock, which is true. Whether A has lost it
// or freed it nobody knows, so Lost does not say that it was lost.
func TestLostReplyToLastUnlock(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		a.LoseReply("releaseOnce")
		a.Unlock()
		s.ErrorIs(a.err, v7.ErrNotHeld)
		s.free()
		s.False(a.isLost())

		a.Lock() // the handle is none the worse
		s.NoError(a.err)
		s.Sleep(2 * lease)
		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

// The same in a re-entry that fails for good: it is taken back, and the outer
// entry stays.
func TestReentryOfUnknownOutcomeIsTakenBack(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		a.LoseReply("acquireOrReenter")
		a.Lock()
		s.ErrorIs(a.err, io.EOF)
		s.Equal("1", s.entries())

		s.Sleep(2 * lease)
		s.False(a.isLost())
		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

// The undo's own reply is lost, and go-redis sends it again. The second finds
// nothing to take back, and the outer entry stays.
func TestUndoThatIsSentTwice(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		for range 2 { // the first time Redis doesn't know the script
			for range 4 { // as often as go-redis tries
				a.LoseReply("acquireOrReenter")
			}
			a.LoseReply("undoEntry")
			a.Lock()
			s.ErrorIs(a.err, io.EOF)
			s.Equal("1", s.entries())
		}
		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

// The request of a Lock that was given up comes when its undo has come already, and
// A has locked again. Redis can't tell it from a re-entry, and counts it: A's Unlock
// leaves the lock behind, for as long as a lease.
func TestLateRequestCountsAsAnEntry(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Delay("acquireOrReenter", 5*time.Second)
		a.LockWithin(time.Second)
		s.ends(a, 2*time.Second)
		s.True(timedOut(a.err), "got %v", a.err)

		a.Lock()
		s.NoError(a.err)
		s.Equal("1", s.entries())
		s.Sleep(4 * time.Second)
		s.Equal("2", s.entries())
		end := s.Now() + lease

		a.Unlock()
		s.NoError(a.err)
		s.Equal("1", s.entries(), "what nobody believes to have entered")
		s.Equal(end, s.held().Ends)
		s.Sleep(lease)
		s.free() // and no watchdog renewed it
	})
}

// A function that the holder calls makes its own lock with the holder's factory.
func TestHandlesOfOneFactoryNest(t *testing.T) {
	t.Parallel()
	for name, innerFirst := range map[string]bool{"inner first": true, "outer first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watchdog(t, faults.Options{}, func(s *scene, a *client) {
				outer, inner := s.nested(a.Client)
				b := s.client("B")

				outer.Lock()
				inner.Lock()
				s.NoError(inner.err)
				s.Equal("2", s.entries())

				first, last := inner, outer
				if !innerFirst {
					first, last = outer, inner
				}
				first.Unlock()
				s.NoError(first.err)
				s.Equal("1", s.entries())
				s.False(b.TryLock())

				s.Sleep(2 * lease) // the one that is left has a watchdog of its own
				s.False(last.isLost())
				last.Unlock()
				s.NoError(last.err)
				s.True(b.TryLock())

				first.Unlock()
				s.ErrorIs(first.err, v7.ErrNotHeld)
			})
		})
	}
}

func TestHandleIsWatchedAgain(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		before := a.lost()
		a.Unlock()
		s.Sleep(time.Second)

		a.Lock()
		a.Lock()
		s.NotEqual(before, a.lost(), "a hold has a channel of its own")
		s.Equal(s.Now()+lease, s.held().Ends)
		sent := a.Sent()
		s.Sleep(2 * lease)
		s.Equal(6, a.Sent()-sent, "one watchdog, however many entries")
		a.Unlock()
		s.Sleep(2 * lease)
		a.Unlock()
		s.NoError(a.err)
		s.free()
		s.False(a.isLost())
	})
}

func TestLostBeforeTheFirstHold(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		s.Nil(a.lost())
		s.False(a.isLost())

		b := s.client("B")
		b.Lock()
		s.False(a.TryLock())
		s.Nil(a.lost(), "a try that failed is no hold")

		b.Unlock()
		s.True(a.TryLock())
		s.NotNil(a.lost())
	})
}

// Somebody deletes the key, and A, who knows nothing of that, locks once more.
// It is inside, but not for the second time.
func TestLockIsLostAndTakenAgain(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		before := a.lost()
		s.client("B").send("DEL", lockKey)
		s.Sleep(time.Second)

		a.Lock()
		s.NoError(a.err)
		s.Equal("1", s.entries())
		select {
		case <-before:
		default:
			s.Fail("nobody told A that it had lost the lock")
		}
		s.False(a.isLost(), "but it has a new one")

		end := s.Now() + lease
		s.Sleep(third - time.Millisecond)
		s.Equal(end, s.held().Ends, "the old watchdog has gone")
		s.Sleep(2 * lease)
		s.False(a.isLost())

		a.Unlock()
		s.NoError(a.err)
		s.free()
	})
}

// The request of an inner Unlock is lost, and an error comes back. What could not
// be left ends with its lease; it is not renewed for ever.
func TestInnerUnlockThatFails(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		a.Lock()
		a.LoseRequest("releaseOnce")
		a.Unlock()
		s.ends(a, time.Millisecond)
		s.Error(a.err)
		a.Unlock()
		s.NoError(a.err)
		s.Sleep(10 * lease)
		s.free()
	})
}

// The last Unlock fails; within the lease the same handle locks again, and has a
// watchdog again.
func TestLockAfterAnUnlockThatFailed(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		a.LoseRequest("releaseOnce")
		a.Unlock()
		s.ends(a, time.Millisecond)
		s.Error(a.err)
		a.Lock()
		s.NoError(a.err)
		s.Sleep(2 * lease)
		s.held()
	})
}

// As before, but the watchdog has given up, all its replies lost, while Redis
// still has the key.
func TestLockAfterTheWatchdogGaveUp(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{NoRetries: true}, func(s *scene, a *client) {
		a.Lock()
		for range 8 {
			a.LoseReply("renewIfOwner")
		}
		s.Sleep(lease)
		s.True(a.isLost())
		a.Lock()
		s.NoError(a.err)
		s.Sleep(2 * lease)
		s.held()
	})
}

// A renewal is stuck on the wire for longer than an Unlock waits. The release goes
// out all the same, and the renewal that comes late prolongs nothing.
func TestUnlockBesideAStuckRenewal(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		a.Delay("renewIfOwner", 5*time.Second)
		s.Sleep(third)
		a.Unlock()
		s.ends(a, 3*time.Second)
		s.Sleep(3 * time.Second)
		s.free()
	})
}

// What A sent while it had the lock comes when A has left, or lost it, and has
// taken it again. It names the hold that it meant, and does nothing to this one.
func TestNothingOfAnOldHoldReachesANewOne(t *testing.T) {
	t.Parallel()
	for command, play := range map[string]func(s *scene, a *client){
		"renewIfOwner": func(s *scene, a *client) {
			a.Delay("renewIfOwner", 8*time.Second)
			s.Sleep(third)
			a.Unlock()
			s.ends(a, 3*time.Second)
			s.NoError(a.err)
		},
		"releaseOnce": func(s *scene, a *client) {
			a.Delay("releaseOnce", lease+8*time.Second)
			a.Unlock()
			s.ends(a, 3*time.Second)
			s.True(timedOut(a.err), "got %v", a.err)
			s.Sleep(lease)
			s.free()
		},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			watchdog(t, faults.Options{}, func(s *scene, a *client) {
				a.Lock()
				play(s, a)

				a.Lock()
				s.NoError(a.err)
				end := s.Now() + lease
				a.Crash() // so that no watchdog renews this hold
				s.Sleep(9 * time.Second)
				s.Equal(end, s.held().Ends)
				s.Equal("1", s.entries())
			})
		})
	}
}

// Somebody deletes the key, and the owner takes the lock anew by another handle.
// The outer handle has lost it all the same: in between anybody could be inside.
func TestOwnerTakesALostLockByAnotherHandle(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(s *scene, outer, inner *client){
		"the watchdog finds it": func(s *scene, outer, _ *client) {
			s.Sleep(third)
			s.True(outer.isLost())
		},
		"Unlock finds it": func(s *scene, outer, _ *client) {
			outer.Unlock()
			s.ErrorIs(outer.err, v7.ErrNotHeld)
			s.Equal("1", s.entries(), "that entry is the inner handle's")
		},
		"Lock finds it": func(s *scene, outer, _ *client) {
			before := outer.lost()
			outer.Lock()
			s.NoError(outer.err)
			<-before
			s.False(outer.isLost())
			outer.Unlock()
			s.NoError(outer.err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watchdog(t, faults.Options{}, func(s *scene, a *client) {
				outer, inner := s.nested(a.Client)
				outer.Lock()
				s.client("B").send("DEL", lockKey)
				inner.Lock()
				next(s, outer, inner)

				s.False(inner.isLost())
				inner.Unlock()
				s.NoError(inner.err)
				s.free()
				outer.Unlock()
				s.ErrorIs(outer.err, v7.ErrNotHeld)
			})
		})
	}
}

// An inner Unlock finds the lock gone before the watchdog does, and tells who
// selects on Lost: the outer work is still going on.
func TestInnerUnlockFindsTheLoss(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Lock()
		a.Lock()
		s.client("B").send("DEL", lockKey)
		a.Unlock()
		s.ErrorIs(a.err, v7.ErrNotHeld)
		s.True(a.isLost())
	})
}

// A renewal is stuck when A unlocks, and ends after that. What it finds then is no
// loss: the lock is gone because A has left.
func TestUnlockIsNoLossToAStuckRenewal(t *testing.T) {
	t.Parallel()
	for name, delay := range map[string]time.Duration{"finds no lock": 5 * time.Second, "finds no server": lease} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watchdog(t, faults.Options{}, func(s *scene, a *client) {
				a.Lock()
				a.Delay("renewIfOwner", delay)
				s.Sleep(third)
				a.Unlock()
				s.ends(a, 3*time.Second)
				s.NoError(a.err)
				s.Sleep(2 * lease)
				s.free()
				s.False(a.isLost())
			})
		})
	}
}

// The reply to a Lock takes most of the lease. The watchdog asks Redis before it
// says that the lock is lost.
func TestSlowLockIsNotLost(t *testing.T) {
	t.Parallel()
	watchdog(t, faults.Options{}, func(s *scene, a *client) {
		a.Delay("acquireOrReenter", 25*time.Second)
		a.Lock()
		s.ends(a, 26*time.Second)
		s.NoError(a.err)
		s.Sleep(third)
		s.False(a.isLost())
	})
}
