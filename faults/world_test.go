package faults_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

func TestRunGivesBackWhatThePlayReturns(t *testing.T) {
	t.Parallel()
	for _, want := range []error{nil, errors.New("hm"), context.Canceled, fmt.Errorf("wrapped: %w", os.ErrNotExist)} {
		timeline, err := faults.Run(watched, func(*faults.World) error { return want })
		require.Equal(t, want, err)
		require.NotNil(t, timeline)
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	_, err := faults.Run(watched, func(w *faults.World) error { return w.Broken("sold %d times", 2) })
	require.ErrorIs(t, err, faults.ErrBroken)
	require.EqualError(t, err, "sold 2 times")
	require.NotErrorIs(t, err, faults.ErrPlay)
}

// A play that is wrong as well as broken is wrong by its verbs, but its own
// verdict goes first.
func TestBrokenComesBeforeAFaultThatNeverStruck(t *testing.T) {
	t.Parallel()
	_, err := faults.Run(watched, func(w *faults.World) error {
		w.Client("A").PauseBefore("DEL")
		return w.Broken("sold twice")
	})
	require.EqualError(t, err, "sold twice")
}

func TestPlayThatPanics(t *testing.T) {
	t.Parallel()
	for says, play := range map[string]func(w *faults.World){
		"it panicked: no stock":                 func(*faults.World) { panic("no stock") },
		"it panicked: runtime error: index out": func(w *faults.World) { _ = w.Keys()[len(w.Keys())] },
		"it panicked: panic called with nil":    func(*faults.World) { panic(nil) },
		"world_test.go":                         func(*faults.World) { panic("with its stack") },
		"A panicked in pay: no money": func(w *faults.World) {
			w.Client("A").Do("pay", func(context.Context) { panic("no money") })
		},
		"A panicked in sell: sold out": func(w *faults.World) {
			w.Client("A").Do("sell", func(context.Context) {
				time.Sleep(time.Second)
				panic("sold out")
			})
			w.Sleep(time.Minute)
		},
		"its goroutine ended early": func(*faults.World) { runtime.Goexit() },
	} {
		said, timeline := fail(t, faults.ErrPlay, func(w *faults.World) {
			w.Note("so far")
			play(w)
		})
		require.Contains(t, said, says)
		require.Equal(t, "so far", timeline.Steps[0].Note)
	}
}

// Code under study that panics and recovers has not broken the play.
func TestRecoveredPanic(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		w.Client("A").Do("pay", func(context.Context) {
			defer func() { _ = recover() }()
			panic("no money")
		})
	})
}

// A play that waits for itself is ended, and told who else waits.
func TestPlayThatBlocks(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]func(){
		"channel": func() { <-make(chan int) },
		"select":  func() { select {} },
		"group": func() {
			var wg sync.WaitGroup
			wg.Add(1)
			wg.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, timeline := fail(t, faults.ErrStuck, func(w *faults.World) {
				a, b, c := w.Client("A"), w.Client("B"), w.Client("C")
				a.PauseBefore("DEL")
				send(a, "DEL", "lock")
				b.Delay("SET", time.Hour)
				send(b, "SET", "lock", "b")
				c.Do("nap", func(context.Context) { time.Sleep(300 * 24 * time.Hour) })
				block()
			})
			require.Contains(t, said, "the play itself waits for something that never comes")
			require.Contains(t, said, "\nA is in DELlock, paused before DEL lock")
			require.Contains(t, said, "\nB is in SETlockb, held at the door with SET lock b")
			require.Contains(t, said, "\nC is in nap, waiting for something that is not Redis")
			require.Len(t, timeline.Steps, 2)
		})
	}
}

// A play that calls Redis itself waits for a door that only its own verbs open.
func TestPlayThatCallsRedis(t *testing.T) {
	t.Parallel()
	said, _ := fail(t, faults.ErrStuck, func(w *faults.World) {
		w.Client("A").Redis().Get(context.Background(), "lock")
	})
	require.Contains(t, said, "and in no call: has the play called Redis itself, outside of Do?")
}

// Code under study that waits for what never comes is found when the world ends.
func TestClientThatBlocks(t *testing.T) {
	t.Parallel()
	said, timeline := fail(t, faults.ErrStuck, func(w *faults.World) {
		a := w.Client("A")
		a.Do("wait", func(context.Context) { <-make(chan int) })
		require.True(t, a.Waiting())
		w.Note("so far")
	})
	require.Contains(t, said, "the world is stuck: goroutines are left in TestClientThatBlocks (world_test.go:1")
	require.Contains(t, said, ") that nothing can wake, not even the end of their context\nA is")
	require.NotContains(t, said, "bubble")
	require.Contains(t, said, "\nA is in wait, waiting for something that is not Redis")
	require.Len(t, timeline.Steps, 1)
}

// A call that heeds its context ends with the world.
func TestContextEndsWithTheWorld(t *testing.T) {
	t.Parallel()
	var err error
	perform(t, func(w *faults.World) {
		w.Client("A").Do("wait", func(ctx context.Context) {
			<-ctx.Done()
			err = ctx.Err()
		})
	})
	require.ErrorIs(t, err, context.Canceled)
}

// After a world that went wrong comes one that goes right.
func TestRunGoesOn(t *testing.T) {
	t.Parallel()
	for _, play := range []func(*faults.World) error{
		func(*faults.World) error { select {} },
		func(*faults.World) error { panic("no stock") },
		func(*faults.World) error { runtime.Goexit(); return nil },
		func(w *faults.World) error {
			w.Client("A").Pause()
			send(w.Client("A"), "SET", "lock", "x")
			return nil
		},
	} {
		_, err := faults.Run(watched, play)
		require.Error(t, err)
		perform(t, func(w *faults.World) {
			require.Zero(t, w.Now())
			require.Empty(t, w.Keys(), "each world has a server of its own")
			require.NoError(t, send(w.Client("A"), "SET", "lock", "a").Err())
		})
	}
}

// What a world leaves behind, whatever was under way when it ended: nothing.
func TestNoGoroutineIsLeft(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(w *faults.World, a *faults.Client){
		"nothing": func(*faults.World, *faults.Client) {},
		"done":    func(_ *faults.World, a *faults.Client) { send(a, "PING") },
		"waiting": func(w *faults.World, a *faults.Client) {
			send(a, "SET", "lock", "x")
			b := w.Client("B")
			poll(b)
			w.Sleep(time.Second)
		},
		"paused": func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("GET")
			send(a, "GET", "lock")
		},
		"crashed": func(_ *faults.World, a *faults.Client) {
			a.CrashAfter("GET")
			send(a, "GET", "lock")
		},
		"delayed": func(_ *faults.World, a *faults.Client) {
			a.Delay("GET", time.Hour)
			send(a, "GET", "lock")
		},
		"mid-pipeline": func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("GET")
			pipe(a, true, []any{"SET", "lock", "a"}, []any{"GET", "lock"}, []any{"GET", "lock"})
		},
		"mid-command": func(_ *faults.World, a *faults.Client) {
			conn, _ := a.Redis().Options().Dialer(context.Background(), "tcp", "")
			a.Do("talk", func(context.Context) { _, _ = io.WriteString(conn, "*2\r\n$3\r\nGET\r\n$10\r\nlo") })
		},
		"a reply that nobody reads": func(_ *faults.World, a *faults.Client) {
			conn, _ := a.Redis().Options().Dialer(context.Background(), "tcp", "")
			a.Do("talk", func(context.Context) { _, _ = io.WriteString(conn, "*1\r\n$4\r\nPING\r\n") })
		},
		"between WATCH and EXEC": func(_ *faults.World, a *faults.Client) {
			a.Do("take", func(ctx context.Context) {
				_ = a.Redis().Watch(ctx, func(*redis.Tx) error { time.Sleep(time.Hour); return nil }, "lock")
			})
		},
		"a watchdog": func(_ *faults.World, a *faults.Client) {
			a.Do("work", func(context.Context) {
				go func() { // ends with the process
					for {
						time.Sleep(10 * time.Second)
						a.Redis().PExpire(context.Background(), "lock", time.Minute)
					}
				}()
			})
		},
		"a panic":   func(_ *faults.World, a *faults.Client) { poll(a); panic("no stock") },
		"a mistake": func(_ *faults.World, a *faults.Client) { poll(a); poll(a); a.Resume() },
		"many connections": func(_ *faults.World, a *faults.Client) {
			a.Pause()
			a.Do("fan out", func(ctx context.Context) {
				var all sync.WaitGroup
				for range 20 {
					all.Go(func() { a.Redis().Incr(ctx, "n") })
				}
				all.Wait()
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Goroutines inherit labels, so that those of other tests don't count.
			pprof.Do(t.Context(), pprof.Labels("world", t.Name()), func(context.Context) {
				_, err := faults.Run(watched, func(w *faults.World) error {
					play(w, w.Client("A"))
					require.NotEmpty(t, goroutines(t), "labels are inherited")
					return nil
				})
				require.NotErrorIs(t, err, faults.ErrStuck)
			})
			require.Empty(t, goroutines(t))
		})
	}
}

// goroutines are the stacks of the goroutines that carry t's label, without
// those that wait for a server process: they end with that.
func goroutines(t *testing.T) []string {
	t.Helper()
	var all bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&all, 1))
	var mine []string
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, t.Name()+`"`) && !strings.Contains(stack, "faults.startReal") {
			mine = append(mine, stack)
		}
	}
	return mine
}

func TestFlows(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a2 := a.Flow("A#2")
		require.Equal(t, []string{"A", "A#2", "A", "A"}, []string{a.Name(), a2.Name(), a.Instance(), a2.Instance()})
		require.Same(t, a.Redis(), a2.Redis())
		a.Do("nap", func(context.Context) { time.Sleep(time.Second) })
		require.True(t, a.Waiting())
		require.False(t, a2.Waiting())
		require.NoError(t, send(a2, "PING").Err())
		a2.Crash()
		require.True(t, a.Crashed(), "a crash strikes the whole service")
	})
}

// A flow's steps are its service's.
func TestFlowsShareAColumn(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) { send(w.Client("A").Flow("A#2"), "SET", "lock", uuid) })
	require.Equal(t, []string{"A"}, timeline.Clients)
	require.Equal(t, []string{"0s SET lock a → OK a, no lease"}, lines(timeline))
}

func TestPut(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		w.Put("stock", "500")
		w.Put("stock", "499")
		require.Equal(t, "498", send(w.Client("A"), "EVAL", "return tostring(redis.call('DECR', KEYS[1]))", 1, "stock").Val())
	})
	require.Len(t, timeline.Steps, 1, "Put is no step")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "HSET", "hash", "b", "2", "a", "1")
		send(a, "SET", "a", "x", "PX", 1500)
		send(a, "RPUSH", "list", "x")
		w.Sleep(time.Second)
		require.Equal(t, []faults.Key{
			{Name: "a", Type: "string", Value: "x", Ends: 1500 * time.Millisecond},
			{Name: "hash", Type: "hash", Fields: []faults.Field{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}, Ends: faults.Never},
			{Name: "list", Type: "list", Ends: faults.Never},
		}, w.Keys())
	})
}

func TestSentCountsCommands(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		require.Zero(t, a.Sent())
		send(a, "PING")
		pipe(a, true, []any{"PING"})
		send(b, "PING")
		require.Equal(t, 4, a.Sent(), "PING, MULTI, PING, EXEC")
		a.PauseBefore("PING")
		send(a, "PING")
		require.Equal(t, 4, a.Sent(), "it has not gone through yet")
	})
}

// A recursion shows in the number of frames, a loop does not.
func TestFrames(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		require.Zero(t, a.Frames())
		a.CountFrames()
		var dive func(ctx context.Context, depth int)
		dive = func(ctx context.Context, depth int) {
			if depth > 0 {
				dive(ctx, depth-1)
				return
			}
			a.Redis().Ping(ctx)
		}
		a.Do("dive", func(ctx context.Context) { dive(ctx, 0) })
		flat := a.Frames()
		require.Positive(t, flat)
		a.Do("dive", func(ctx context.Context) { dive(ctx, 100) })
		require.Equal(t, flat+100, a.Frames())
	})
}

// Worlds are independent of each other, in parallel too.
func TestWorldsAreIndependent(t *testing.T) {
	t.Parallel()
	for i := range 8 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			perform(t, func(w *faults.World) {
				a := w.Client("A")
				require.Equal(t, int64(1), send(a, "INCR", "n").Val())
				w.Sleep(time.Duration(i+1) * time.Hour)
				require.Equal(t, int64(2), send(a, "INCR", "n").Val())
			})
		})
	}
}

// A play may take as many days as it likes, a day at a time.
func TestLongPlay(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		for range 12 {
			w.Sleep(24 * time.Hour)
		}
	})
}

// Equal plays that panic have equal timelines.
func TestEqualPanics(t *testing.T) {
	t.Parallel()
	run := func() string {
		_, timeline := fail(t, faults.ErrPlay, func(*faults.World) { panic("no stock") })
		return timeline.String()
	}
	require.Equal(t, run(), run())
}

func TestKeysAreSorted(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		w.Put("b", "1")
		w.Put("a", "1")
		names := []string{w.Keys()[0].Name, w.Keys()[1].Name}
		require.True(t, slices.IsSorted(names), "%v", names)
	})
}

// The timeline knows what was put there.
func TestStateAfterPut(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		w.Put("lock", "a")
		w.Note("somebody left a lock")
	})
	require.Equal(t, []string{"0s ── somebody left a lock ── a, no lease"}, lines(timeline))
}

// What is put has no lease, whatever was there.
func TestPutEndsALease(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "SET", "lock", "a", "PX", 1000)
		w.Put("lock", "b")
		w.Sleep(2 * time.Second)
		require.Equal(t, "b", send(a, "GET", "lock").Val())
	})
	require.NotContains(t, timeline.String(), "ends")
}
