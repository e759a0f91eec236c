package faults_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

func TestPauseBefore(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.PauseBefore("DEL")
		send(a, "SET", "lock", "a")
		require.False(t, a.Paused())
		send(a, "DEL", "lock")
		require.True(t, a.Paused())
		require.True(t, a.Waiting())
		w.Sleep(31 * time.Second)
		require.Equal(t, "a", held(w)["lock"], "the server has not seen it yet")
		a.Resume()
		require.False(t, a.Paused())
		require.False(t, a.Waiting())
		require.Empty(t, held(w))
	})
	require.Equal(t, []string{
		"0s SET lock a → OK a, no lease",
		"0s ── A is paused before DEL ── a, no lease",
		"31s ── 31s passed ── a, no lease",
		"31s ── A goes on ── a, no lease",
		"31s DEL lock → 1 free",
	}, lines(timeline))
}

// A pause holds the whole service up, its other flows and its timers' work too,
// and nobody else.
func TestPauseHoldsAllFlows(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		a2 := a.Flow("A2")
		a.Pause()
		send(a, "INCR", "n")
		send(a2, "INCRBY", "n", "5")
		send(b, "INCRBY", "n", "10")
		require.Equal(t, "10", held(w)["n"])
		require.True(t, a.Waiting() && a2.Waiting() && !b.Waiting())
		a.Resume()
		require.Equal(t, "16", held(w)["n"])
	})
	require.Equal(t, "0s ── A is paused ── free", lines(timeline)[0])
}

// A client whose context ends while it is paused has left before it could send.
func TestPausedClientGivesUp(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.PauseBefore("SET")
		var err error
		a.Do("set", func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			err = a.Redis().Set(ctx, "lock", "a", 0).Err()
		})
		w.Sleep(2 * time.Second)
		require.Error(t, err)
		a.Resume()
		require.Empty(t, held(w))
	})
}

func TestCrash(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		crash func(a *faults.Client)
		held  map[string]string
		says  string
	}{
		"before":   {func(a *faults.Client) { a.CrashBefore("SET") }, map[string]string{}, "A crashes before SET"},
		"after":    {func(a *faults.Client) { a.CrashAfter("SET") }, map[string]string{"lock": "a"}, "A crashes before it reads the reply"},
		"later":    {func(a *faults.Client) { a.CrashBefore("GET") }, map[string]string{"lock": "a"}, "A crashes before GET"},
		"deferred": {func(a *faults.Client) { a.CrashBefore("DEL") }, map[string]string{"lock": "a"}, "A crashes before DEL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left []string // what the code under study got to see
			timeline := perform(t, func(w *faults.World) {
				a := w.Client("A")
				c.crash(a)
				a.Do("business", func(ctx context.Context) {
					defer func() { left = append(left, "deferred") }()
					defer a.Redis().Del(ctx, "lock")
					a.Redis().Set(ctx, "lock", "a", 0)
					a.Redis().Get(ctx, "lock")
					a.Redis().Del(ctx, "lock")
					left = append(left, "an answer to DEL")
				})
				require.True(t, a.Crashed())
				require.False(t, a.Waiting())
				require.Equal(t, c.held, held(w))
			})
			require.Equal(t, []string{"deferred"}, left)
			require.Contains(t, timeline.String(), c.says)
		})
	}
}

// A client that dies while it sleeps ends at its next command.
func TestCrashAtOnce(t *testing.T) {
	t.Parallel()
	var left []string
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("business", func(ctx context.Context) {
			defer func() { left = append(left, "deferred") }()
			defer a.Redis().Del(ctx, "lock")
			a.Redis().Set(ctx, "lock", "a", 0)
			time.Sleep(time.Second)
		})
		a.Crash()
		w.Sleep(time.Minute)
		require.Equal(t, "a", held(w)["lock"])
	})
	require.Equal(t, []string{"deferred"}, left)
}

// A watchdog that takes no error for an answer dies with its process.
func TestCrashEndsAWatchdog(t *testing.T) {
	t.Parallel()
	beats, ended := 0, false
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("business", func(ctx context.Context) {
			go func() { // ends with the process
				defer func() { ended = true }()
				for {
					_ = a.Redis().PExpire(ctx, "lock", 30*time.Second).Err()
					beats++
					time.Sleep(10 * time.Second)
				}
			}()
		})
		w.Sleep(25 * time.Second)
		require.Equal(t, 3, beats)
		a.Crash()
		w.Sleep(time.Hour)
		require.True(t, ended)
	})
	require.Equal(t, 3, beats)
}

func TestLostRequestAndReply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose    func(a *faults.Client)
		retries bool
		answer  string // of SETNX
		held    string
		shows   []string
	}{
		"request": {
			func(a *faults.Client) { a.LoseRequest("SETNX") }, true, "true", "a",
			[]string{"0s ── the request is lost: SETNX ── free", "0s SETNX lock a → 1 a, no lease"},
		},
		"reply": {
			func(a *faults.Client) { a.LoseReply("SETNX") }, true, "false", "a",
			[]string{"0s SETNX lock a → 1 ── the reply is lost ── a, no lease", "0s SETNX lock a → 0 a, no lease"},
		},
		"request, no retries": {
			func(a *faults.Client) { a.LoseRequest("SETNX") }, false, "an error", "",
			[]string{"0s ── the request is lost: SETNX ── free"},
		},
		"reply, no retries": {
			func(a *faults.Client) { a.LoseReply("SETNX") }, false, "an error", "a",
			[]string{"0s SETNX lock a → 1 ── the reply is lost ── a, no lease"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := faults.Options{Watch: "lock", NoRetries: !c.retries}
			timeline := performWith(t, opts, func(w *faults.World) {
				a := w.Client("A")
				c.lose(a)
				answer := send(a, "SETNX", "lock", "a")
				require.False(t, a.Waiting(), "retries take no time")
				if c.answer == "an error" {
					require.Error(t, answer.Err())
				} else {
					ok, err := answer.Bool()
					require.NoError(t, err)
					require.Equal(t, c.answer == "true", ok)
				}
				require.Equal(t, c.held, held(w)["lock"])
				require.NoError(t, send(a, "PING").Err(), "the next command has a new connection")
			})
			require.Equal(t, append(c.shows, "0s PING → PONG "+lastState(timeline)), lines(timeline))
		})
	}
}

// lastState is the state column of the last step.
func lastState(t *faults.Timeline) string {
	if len(t.Steps[len(t.Steps)-1].After) == 0 {
		return "free"
	}
	return "a, no lease"
}

func TestDelay(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		a2 := a.Flow("A2")
		a.Delay("SET lock", 5*time.Second)
		send(a, "SET", "lock", "a")
		require.True(t, a.Waiting())
		send(a2, "SET", "other", "a2")
		require.False(t, a2.Waiting(), "the rest of A goes on")
		send(b, "SET", "lock", "b")
		w.Sleep(4 * time.Second)
		require.Equal(t, "b", held(w)["lock"])
		w.Sleep(time.Second)
		require.Equal(t, "a", held(w)["lock"])
		require.False(t, a.Waiting())
	})
	require.Equal(t, "0s ── SET lock is under way for 5s ── free", lines(timeline)[0])
	require.Contains(t, lines(timeline), "5s SET lock a → OK a, no lease")
}

// A pattern is the beginning of a command as the timeline shows it, in words.
func TestPatterns(t *testing.T) {
	t.Parallel()
	named := "-- release deletes a key\nreturn redis.call('DEL', KEYS[1])"
	for _, c := range []struct {
		pattern string
		words   []any
		fits    bool
	}{
		{"SET", []any{"set", "lock", "a"}, true},
		{"SET lock", []any{"SET", "lock", "a"}, true},
		{"SET lock a", []any{"SET", "lock", "a"}, true},
		{"SET lock", []any{"SET", "lock2", "a"}, false},
		{"SE", []any{"SET", "lock", "a"}, false},
		{"lock", []any{"SET", "lock", "a"}, false},
		{"", []any{"SET", "lock", "a"}, false},
		{"release", []any{"EVAL", named, 1, "lock"}, true},
		{"release lock", []any{"EVAL", named, 1, "lock"}, true},
		{"EVAL release", []any{"EVAL", named, 1, "lock"}, true},
		{"EVAL", []any{"EVAL", named, 1, "lock"}, true},
		{"EVALSHA", []any{"EVAL", named, 1, "lock"}, false},
		{"HELLO", []any{"SET", "lock", "a"}, false},
	} {
		_, err := faults.Run(watched, func(w *faults.World) error {
			a := w.Client("A")
			a.LoseReply(c.pattern)
			send(a, c.words...)
			return nil
		})
		if c.fits {
			require.NoError(t, err, "%q, %v", c.pattern, c.words)
		} else {
			require.ErrorIs(t, err, faults.ErrPlay, "%q, %v", c.pattern, c.words)
		}
	}
}

// A script can be struck by its name as soon as the world has seen its text,
// and always by the name of the command.
func TestFaultOnAScript(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"release", "release lock", "EVALSHA"} {
		perform(t, func(w *faults.World) {
			a := w.Client("A")
			a.Do("release", func(ctx context.Context) { release.Run(ctx, a.Redis(), []string{"lock"}) })
			a.PauseBefore(pattern)
			a.Do("release", func(ctx context.Context) { release.Run(ctx, a.Redis(), []string{"lock"}) })
			require.True(t, a.Paused(), pattern)
		})
	}
}

func TestFaultThatNeverStruck(t *testing.T) {
	t.Parallel()
	for says, arm := range map[string]func(a *faults.Client){
		`A never sent "DEL", so the pause did not happen`:               func(a *faults.Client) { a.PauseBefore("DEL") },
		`A never sent "DEL", so the crash before it did not happen`:     func(a *faults.Client) { a.CrashBefore("DEL") },
		`A never sent "DEL", so the crash after it did not happen`:      func(a *faults.Client) { a.CrashAfter("DEL") },
		`A never sent "DEL", so the loss of the request did not happen`: func(a *faults.Client) { a.LoseRequest("DEL") },
		`A never sent "DEL", so the loss of the reply did not happen`:   func(a *faults.Client) { a.LoseReply("DEL") },
		`A never sent "DEL", so the delay did not happen`:               func(a *faults.Client) { a.Delay("DEL", time.Second) },
	} {
		said, timeline := fail(t, faults.ErrPlay, func(w *faults.World) {
			a, b := w.Client("A"), w.Client("B")
			arm(a)
			send(a, "SET", "lock", "a")
			send(b, "DEL", "lock") // B is not A
		})
		require.Contains(t, said, says)
		require.Len(t, timeline.Steps, 2)
	}
}

// Of two faults that wait for the same word, the first strikes at the first
// command and the second at the next.
func TestFaultsStrikeInTurn(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.LoseRequest("INCR")
		a.LoseRequest("INCR")
		send(a, "INCR", "n")
		a.PauseBefore("INCR")
		a.CrashBefore("INCR")
		send(a, "INCR", "n")
		a.Resume()
		send(a, "INCR", "n")
		require.True(t, a.Crashed())
	})
	require.Equal(t, []string{
		"0s ── the request is lost: INCR ── free",
		"0s ── the request is lost: INCR ── free",
		"0s INCR n → 1 free",
		"0s ── A is paused before INCR ── free",
		"0s ── A goes on ── free",
		"0s INCR n → 2 free",
		"0s ── A crashes before INCR ── free",
	}, lines(timeline))
}

// So do faults of different kinds: one command meets one of them.
func TestFaultsOfAllKindsStrikeInTurn(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.LoseReply("INCR")
		a.Delay("INCR", time.Second)
		a.PauseBefore("INCR")
		a.CrashAfter("INCR")
		send(a, "INCR", "n")
		w.Sleep(2 * time.Second)
		send(a, "INCR", "n")
		a.Resume()
		send(a, "INCR", "n")
		require.True(t, a.Crashed())
	})
	require.Equal(t, []string{
		"0s INCR n → 1 ── the reply is lost ── free",
		"0s ── INCR is under way for 1s ── free",
		"1s INCR n → 2 free",
		"2s ── 2s passed ── free",
		"2s ── A is paused before INCR ── free",
		"2s ── A goes on ── free",
		"2s INCR n → 3 free",
		"2s INCR n → 4 free",
		"2s ── A crashes before it reads the reply ── free",
	}, lines(timeline))
}

// Connection set-up is not the code under study: no fault strikes it.
func TestFaultsSpareConnectionSetUp(t *testing.T) {
	t.Parallel()
	said, _ := fail(t, faults.ErrPlay, func(w *faults.World) {
		a := w.Client("A")
		a.LoseRequest("HELLO")
		send(a, "SET", "lock", "a")
	})
	require.Contains(t, said, `A never sent "HELLO"`)
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	for says, play := range map[string]func(w *faults.World, a *faults.Client){
		"A has crashed and can't SETlocka": func(_ *faults.World, a *faults.Client) {
			a.Crash()
			send(a, "SET", "lock", "a")
		},
		"A can't GETlock: it is still in SETlocka": func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("SET")
			send(a, "SET", "lock", "a")
			send(a, "GET", "lock")
		},
		"A is in SETlocka, paused before SET lock a": func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("SET")
			send(a, "SET", "lock", "a")
			send(a, "GET", "lock")
		},
		"A can't Resume: it is not paused": func(_ *faults.World, a *faults.Client) { a.Resume() },
		`A can't Resume: it is not paused: the pause still waits for "DEL"`: func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("DEL")
			a.Resume()
		},
		"A can't crash twice": func(_ *faults.World, a *faults.Client) {
			a.Crash()
			a.Crash()
		},
		"A has crashed and can't be paused": func(_ *faults.World, a *faults.Client) {
			a.Crash()
			a.Pause()
		},
		"A is paused already": func(_ *faults.World, a *faults.Client) {
			a.Pause()
			a.Pause()
		},
		"A has crashed and can't Resume": func(_ *faults.World, a *faults.Client) {
			a.Pause()
			a.Crash()
			a.Resume()
		},
		`A never sent "DEL", so the pause did not happen`: func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("DEL")
			a.Crash()
		},
		`A never sent "del", so the pause did not happen; the command is called DEL`: func(_ *faults.World, a *faults.Client) {
			a.PauseBefore("del")
			send(a, "DEL", "lock")
		},
		"the pause of A: before or after which command?":     func(_ *faults.World, a *faults.Client) { a.PauseBefore(" ") },
		`a client called "B\nC": a name of one line, please`: func(w *faults.World, _ *faults.Client) { w.Client("B\nC") },
		"only the play may move the world": func(w *faults.World, a *faults.Client) {
			a.Do("verb", func(context.Context) { w.Sleep(time.Second) })
		},
		`there are two clients called "A"`: func(w *faults.World, _ *faults.Client) { w.Client("A") },
		`Delay("SET", 0s): between 1 ns and 24h0m0s, please`: func(_ *faults.World, a *faults.Client) {
			a.Delay("SET", 0)
		},
		`Delay("SET", 24h0m1s): between`: func(_ *faults.World, a *faults.Client) {
			a.Delay("SET", 24*time.Hour+time.Second)
		},
	} {
		said, _ := fail(t, faults.ErrPlay, func(w *faults.World) { play(w, w.Client("A")) })
		require.Contains(t, said, says)
	}
}

// After a fault, too, a verb returns when the world is at rest.
func TestRestAfterALostRequest(t *testing.T) {
	t.Parallel()
	for range 20 {
		perform(t, func(w *faults.World) {
			a := w.Client("A")
			a.LoseRequest("SET")
			send(a, "SET", "lock", "a")
			require.False(t, a.Waiting())
			require.Equal(t, "a", held(w)["lock"])
		})
	}
}

// What is on the wire arrives, though its client has given up.
func TestDelayedCommandOutlivesItsClient(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Delay("SET", 10*time.Second)
		a.Do("set", func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			a.Redis().Set(ctx, "lock", "a", 0)
		})
		w.Sleep(20 * time.Second)
		require.Equal(t, "a", held(w)["lock"])
	})
}

func TestDelayedCommandOfADeadClient(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Delay("SET", 10*time.Second)
		a.Do("set", func(ctx context.Context) { a.Redis().Set(ctx, "lock", "a", 0) })
		a.Crash()
		w.Sleep(9 * time.Second)
		require.Empty(t, held(w)["lock"])
		w.Sleep(time.Second)
		require.Equal(t, "a", held(w)["lock"])
	})
}

// What is under way arrives in the middle of its sender's pause. The reply is heard
// after it.
func TestDelayedCommandOfAPausedClient(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Delay("SET", 10*time.Second)
		var heard time.Duration
		a.Do("set", func(ctx context.Context) {
			a.Redis().Set(ctx, "lock", "a", 0)
			heard = w.Now()
		})
		a.Pause()
		w.Sleep(10 * time.Second)
		require.Equal(t, "a", held(w)["lock"])
		w.Sleep(50 * time.Second)
		require.True(t, a.Waiting())
		a.Resume()
		require.False(t, a.Waiting())
		require.Equal(t, time.Minute, heard)
	})
}

func TestDelayedCommandOfAFrozenClient(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Delay("SET", 10*time.Second)
		var heard time.Duration
		a.Do("set", func(ctx context.Context) {
			a.Redis().Set(ctx, "lock", "a", 0)
			heard = w.Now()
		})
		require.NoError(t, w.Take(faults.Choice{Kind: faults.Freeze, Client: "A"}, time.Second, time.Minute))
		w.Sleep(10 * time.Second)
		require.Equal(t, "a", held(w)["lock"])
		w.Sleep(time.Minute)
		require.Equal(t, time.Minute, heard)
	})
}

// A fault that is taken back is not missed.
func TestDisarm(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.PauseBefore("SET")
		a.Disarm()
		send(a, "SET", "lock", "a")
		require.False(t, a.Paused())
	})
}

// A promise that breaks before its fault has struck may break for another reason:
// the timeline says so.
func TestBrokenBeforeTheFault(t *testing.T) {
	t.Parallel()
	timeline, err := faults.Run(watched, func(w *faults.World) error {
		a := w.Client("A")
		a.PauseBefore("DEL")
		send(a, "SET", "lock", "a")
		return w.Broken("it broke")
	})
	require.EqualError(t, err, "it broke")
	require.Equal(t, []string{
		"0s SET lock a → OK a, no lease",
		`0s ── A never sent "DEL", so the pause did not a, no lease`,
		"happen ──",
		"✗ it broke",
	}, lines(timeline))
}

// A pipeline of thousands is a few lines.
func TestLongPipelineIsShort(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		var commands [][]any
		for i := range 2000 {
			commands = append(commands, []any{"SET", "key", i})
		}
		pipe(a, false, commands...)
	})
	require.Contains(t, strings.Join(lines(timeline), " "), "SET key 5 → OK; and 1994 more")
	require.Less(t, len(lines(timeline)), 10)
}
