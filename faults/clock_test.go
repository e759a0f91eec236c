package faults_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

func TestSleepPassesFakeTime(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		require.Zero(t, w.Now())
		w.Sleep(time.Nanosecond)
		w.Sleep(24 * time.Hour)
		require.Equal(t, 24*time.Hour+time.Nanosecond, w.Now())
	})
}

func TestSleepRefuses(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, -1, -time.Hour, 24*time.Hour + 1, 1<<63 - 1} {
		said, timeline := fail(t, faults.ErrPlay, func(w *faults.World) {
			w.Note("before")
			w.Sleep(d)
			w.Note("never")
		})
		require.Contains(t, said, "Sleep("+d.String()+"): between 1 ns and 24h")
		require.Len(t, timeline.Steps, 1, "the play ends at the mistake")
	}
}

// What sleeps in a client wakes at its own instant, not at the end of Sleep.
func TestSleepStopsAtEachInstant(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("business", func(ctx context.Context) {
			for range 3 {
				time.Sleep(7 * time.Second)
				a.Redis().Incr(ctx, "n")
			}
		})
		w.Sleep(time.Minute)
	})
	require.Equal(t, []string{
		"7s INCR n → 1 free",
		"14s INCR n → 2 free",
		"21s INCR n → 3 free",
		"60s ── 60s passed ── free",
	}, lines(timeline))
}

func TestAwaitEndsWithTheCall(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("business", func(ctx context.Context) {
			time.Sleep(3 * time.Second)
			a.Redis().Incr(ctx, "n")
		})
		require.True(t, a.Waiting())
		require.True(t, w.Await(a, time.Minute))
		require.Equal(t, 3*time.Second, w.Now())
		require.False(t, a.Waiting())
		require.True(t, w.Await(a, time.Minute), "it has ended already")
		require.Equal(t, 3*time.Second, w.Now())
	})
	require.Equal(t, []string{"3s INCR n → 1 free", "3s ── 3s passed ── free"}, lines(timeline))
}

func TestAwaitGivesUp(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("nap", func(context.Context) { time.Sleep(time.Hour) })
		require.False(t, w.Await(a, time.Minute))
		require.Equal(t, time.Minute, w.Now())
		require.True(t, a.Waiting())
	})
}

func TestAwaitOfACrashedClient(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.PauseBefore("SET")
		send(a, "SET", "lock", "a")
		a.Crash()
		require.True(t, w.Await(a, time.Minute))
		require.Zero(t, w.Now(), "a dead client waits for nothing")
	})
}

func TestLeaseEndsAtItsInstant(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "SET", "lock", "a", "PX", 1000)
		w.Sleep(time.Second - time.Nanosecond)
		require.Equal(t, "a", send(a, "GET", "lock").Val())
		require.Equal(t, time.Second, w.Keys()[0].Ends)
		w.Sleep(time.Nanosecond)
		require.Nil(t, send(a, "GET", "lock").Val())
		require.Empty(t, w.Keys())
	})
	require.Contains(t, lines(timeline), "1s ── the lease of lock ends ── free")
}

// A command that leaves at the very instant at which a lease ends comes too late.
func TestCommandAtTheEndOfALease(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		send(a, "SET", "lock", "a", "PX", 1000)
		var got string
		b.Do("look", func(ctx context.Context) {
			time.Sleep(time.Second)
			got = b.Redis().Get(ctx, "lock").Val()
		})
		w.Sleep(time.Second)
		require.False(t, b.Waiting())
		require.Empty(t, got)
	})
}

// A lease may be given, renewed and taken away by any command.
func TestLeaseFollowsCommands(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		for _, step := range []struct {
			words []any
			ends  time.Duration // after the step, which takes 2 s
		}{
			{[]any{"SET", "lock", "a"}, faults.Never},
			{[]any{"PEXPIRE", "lock", 30000}, 32 * time.Second},
			{[]any{"SET", "lock", "b", "KEEPTTL"}, 32 * time.Second},
			{[]any{"EXPIRE", "lock", 5}, 11 * time.Second},
			{[]any{"PERSIST", "lock"}, faults.Never},
			{[]any{"EVAL", "return redis.call('PEXPIRE', KEYS[1], 12000)", 1, "lock"}, 22 * time.Second},
			{[]any{"SET", "lock", "c"}, faults.Never},
		} {
			require.NoError(t, send(a, step.words...).Err())
			require.Equal(t, step.ends, w.Keys()[0].Ends, "%v", step.words)
			w.Sleep(2 * time.Second)
		}
	})
}

// A call may end without a word to Redis.
func TestAwaitACallWithoutRedis(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("nap", func(context.Context) { time.Sleep(3 * time.Second) })
		require.True(t, w.Await(a, time.Minute))
		require.Equal(t, 3*time.Second, w.Now())
	})
}

// A lease may be given anew at the same instant.
func TestLeaseGivenAnew(t *testing.T) {
	t.Parallel()
	for range 20 {
		perform(t, func(w *faults.World) {
			a := w.Client("A")
			send(a, "SET", "lock", "a", "PX", 500)
			send(a, "PEXPIRE", "lock", 1000)
			require.Equal(t, time.Second, w.Keys()[0].Ends)
		})
	}
}

// However long the rest of a pipeline takes, a lease is as long as it was given.
func TestLeaseInALongPipeline(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		commands := [][]any{{"SET", "lock", "a", "PX", 30000}}
		for range longPipe {
			commands = append(commands, []any{"PING"})
		}
		pipe(w.Client("A"), false, commands...)
		require.Equal(t, 30*time.Second, w.Keys()[0].Ends)
	})
}

// Another number in the command is not the lease.
func TestNumberBesideALease(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		send(w.Client("A"), "SET", "lock", 30010, "PX", 30000)
		require.Equal(t, 30*time.Second, w.Keys()[0].Ends)
	})
}

// What a client asks of the server's clock is the world's time too; on a real
// server it is not, and doc.go says so.
func TestServersClock(t *testing.T) {
	t.Parallel()
	if os.Getenv(faults.ServerEnv) != "" {
		t.Skip("a real server's calendar is real")
	}
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "SET", "lock", "a", "PXAT", time.Now().Add(time.Minute).UnixMilli())
		w.Sleep(20*time.Second + time.Millisecond)
		require.Equal(t, int64(39999), send(a, "PTTL", "lock").Val())
		require.Equal(t, strconv.FormatInt(time.Now().Unix(), 10), send(a, "TIME").Val().([]any)[0])
	})
}

func TestAwaitRefusesSenselessLimits(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{0, -time.Second, 25 * time.Hour} {
		said, _ := fail(t, faults.ErrPlay, func(w *faults.World) {
			w.Await(w.Client("A"), limit)
		})
		require.Contains(t, said, "Await(A, "+limit.String()+")")
	}
}

// Code that tries again and again without a pause would never let time pass,
// whether its commands get through or its context is over.
func TestBusyLoopEndsThePlay(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{context.Background(), over} {
		said, _ := fail(t, faults.ErrPlay, func(w *faults.World) {
			a := w.Client("A")
			a.Do("business", func(context.Context) {
				for a.Redis().Get(ctx, "n").Err() != nil {
				}
			})
		})
		require.Contains(t, said, "A has asked for 10000 commands in no time: it goes on and on, and never pauses")
	}
}
