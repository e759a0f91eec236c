package faults_test

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

func TestReplies(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		w.Put("text", "some text")
		require.Equal(t, "OK", send(a, "SET", "empty", "").Val())
		require.Equal(t, "", send(a, "GET", "empty").Val())
		require.Equal(t, redis.Nil, send(a, "GET", "nothing").Err())
		require.Equal(t, int64(-2), send(a, "PTTL", "nothing").Val())
		require.Equal(t, []any{"some text", nil, ""}, send(a, "MGET", "text", "nothing", "empty").Val())
		require.Empty(t, send(a, "LRANGE", "nothing", 0, -1).Val())
		require.Equal(t, []any{int64(1), []any{"a", nil}}, send(a, "EVAL", "return {1, {'a', false}}", 0).Val())
		require.ErrorContains(t, send(a, "LPUSH", "text", "x").Err(), "WRONGTYPE")
		require.ErrorContains(t, send(a, "NOSUCH").Err(), "unknown command")
	})
	for i, want := range []string{
		"OK", `""`, "nil", "-2", `["some text" nil ""]`, "[]", "[1 [a nil]]", "WRONGTYPE",
	} {
		require.Equal(t, want, timeline.Steps[i].Replies[0], "%v", timeline.Steps[i].Commands)
	}
	require.Contains(t, timeline.Steps[8].Replies[0], "ERR unknown command")
}

// Whatever bytes a value has, they arrive.
func TestValues(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"binary":      "\x00\xff\r\n$-1\r\n*3\r\n",
		"big":         strings.Repeat("sixteen bytes.\r\n", bigValue/16),
		"not UTF-8":   "\xc3\x28",
		"like a nil":  "$-1",
		"like a list": "*2\r\n$1\r\na\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline := perform(t, func(w *faults.World) {
				a := w.Client("A")
				require.NoError(t, send(a, "SET", "k", value).Err())
				require.Equal(t, value, send(a, "GET", "k").Val())
				require.Equal(t, value, held(w)["k"])
			})
			require.Less(t, len(timeline.String()), 1000, "the timeline cuts long values")
		})
	}
}

func TestPipeline(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		answers := *pipe(a, false, []any{"SET", "n", 1}, []any{"LPUSH", "n", 1}, []any{"INCR", "n"})
		require.Len(t, answers, 3)
		require.ErrorContains(t, answers[1].Err(), "WRONGTYPE")
		require.NoError(t, answers[2].Err(), "the error of one command is not another's")
		require.Equal(t, "2", held(w)["n"])
		require.Equal(t, 3, a.Sent())
	})
	require.Equal(t, []string{
		"0s SET n 1 → OK; LPUSH n 1 → WRONGTYPE; INCR free",
		"n → 2",
	}, lines(timeline))
}

// A pipeline that fills every buffer on the way, in both directions.
func TestHugePipeline(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("x", 1000)
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		var commands [][]any
		for i := range longPipe {
			commands = append(commands, []any{"SET", "k" + strconv.Itoa(i%10), value, "GET"})
		}
		answers := *pipe(a, false, commands...)
		require.False(t, a.Waiting())
		require.Len(t, answers, longPipe)
		require.Equal(t, redis.Nil, answers[0].Err())
		require.Equal(t, value, answers[longPipe-1].(*redis.Cmd).Val())
	})
}

func TestTransaction(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		answers := *pipe(a, true, []any{"SET", "n", 1}, []any{"LPUSH", "n", 1}, []any{"INCR", "n"})
		require.ErrorContains(t, answers[1].Err(), "WRONGTYPE")
		require.Equal(t, int64(2), answers[2].(*redis.Cmd).Val())
	})
	require.Equal(t, []string{
		"0s MULTI → OK; SET n 1; LPUSH n 1; INCR n; free",
		"EXEC → [OK WRONGTYPE 2]",
	}, lines(timeline))
}

// B writes between A's WATCH and A's EXEC.
func TestAbortedTransaction(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		a.PauseBefore("EXEC")
		var err error
		a.Do("take", func(ctx context.Context) {
			err = a.Redis().Watch(ctx, func(tx *redis.Tx) error {
				_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
					return p.Set(ctx, "lock", "a", 0).Err()
				})
				return err
			}, "lock")
		})
		send(b, "SET", "lock", "b")
		a.Resume()
		require.ErrorIs(t, err, redis.TxFailedErr)
		require.Equal(t, "b", held(w)["lock"])
	})
	require.Contains(t, lines(timeline), "0s MULTI → OK; SET lock a; EXEC → nil b, no lease")
}

// A fault for any part of a pipeline or a transaction strikes the whole.
func TestFaultOnAPartStrikesTheWhole(t *testing.T) {
	t.Parallel()
	for _, tx := range []bool{false, true} {
		for _, c := range []struct {
			arm  func(a *faults.Client, part string)
			done string // how often the server has done it when the world is at rest
		}{
			{func(a *faults.Client, part string) { a.LoseRequest(part) }, ""},
			{func(a *faults.Client, part string) { a.LoseReply(part) }, "1"},
			{func(a *faults.Client, part string) { a.CrashBefore(part) }, ""},
			{func(a *faults.Client, part string) { a.CrashAfter(part) }, "1"},
			{func(a *faults.Client, part string) { a.PauseBefore(part) }, ""},
			{func(a *faults.Client, part string) { a.Delay(part, time.Second) }, ""},
		} {
			for _, part := range []string{"INCR x", "INCR y", "INCR z"} {
				performWith(t, faults.Options{NoRetries: true}, func(w *faults.World) {
					a := w.Client("A")
					c.arm(a, part)
					pipe(a, tx, []any{"INCR", "x"}, []any{"INCR", "y"}, []any{"INCR", "z"})
					for _, k := range []string{"x", "y", "z"} {
						require.Equal(t, c.done, held(w)[k])
					}
				})
			}
		}
	}
}

// Goroutines of one client have a connection each, all at once.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Pause()
		a.Do("fan out", func(ctx context.Context) {
			var all sync.WaitGroup
			for i := range 50 {
				all.Go(func() { a.Redis().Set(ctx, "k"+strconv.Itoa(100+i), i, 0) })
			}
			all.Wait()
		})
		require.Empty(t, held(w))
		a.Resume()
		require.False(t, a.Waiting())
		require.Len(t, held(w), 50)
		require.Equal(t, 50, a.Sent())
	})
	require.Equal(t, "0s SET k100 0 → OK free", lines(timeline)[2])
	require.Equal(t, "0s SET k149 49 → OK free", lines(timeline)[51])
}

// Commands whose reply comes when it pleases are refused, and the connection
// stays good.
func TestBlockingCommandsAreRefused(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		for _, words := range [][]any{
			{"BLPOP", "k", 0},
			{"blpop", "k", 0},
			{"BRPOPLPUSH", "k", "l", 0},
			{"XREAD", "BLOCK", 0, "STREAMS", "s", "$"},
			{"WAIT", 1, 0},
			{"MONITOR"},
			{"client", "reply", "off"},
			{"UNSUBSCRIBE", "x", "y"}, // two replies
		} {
			err := send(a, words...).Err()
			require.False(t, a.Waiting())
			require.ErrorContains(t, err, "ERR Lockstep's proxy does not carry "+strings.ToUpper(words[0].(string)))
			require.Equal(t, "PONG", send(a, "PING").Val())
		}
	})
}

// Bytes that are no command get an answer that says so, and the end of the
// connection. Nothing of it is a step.
func TestRubbish(t *testing.T) {
	t.Parallel()
	for _, rubbish := range []string{
		"hello\r\n",          // Redis's inline form
		"GET / HTTP/1.1\r\n", // a browser
		"*1\r\n:3\r\n",
		"*-1\r\n",
		"*1\r\n$-1\r\n",
		"*1\r\n$3\r\nabcd\r\n",
		"*1048577\r\n",
		"*1\r\n$99999999999\r\n",
		"\x16\x03\x01\x02\x00\x01", // TLS
	} {
		timeline := perform(t, func(w *faults.World) {
			a := w.Client("A")
			conn := wire(t, a)
			var said []byte
			a.Do("talk", func(context.Context) {
				// The proxy may hang up before it has read all.
				_, _ = io.WriteString(conn, rubbish)
				said, _ = io.ReadAll(conn)
			})
			require.False(t, a.Waiting(), "%q", rubbish)
			require.Equal(t, "-ERR Protocol error: not a command in RESP\r\n", string(said), "%q", rubbish)
			require.NoError(t, send(a, "PING").Err())
		})
		require.Len(t, timeline.Steps, 1)
	}
}

// A value that is too big gets an answer, however much of it comes after that.
func TestTooBigAValue(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		cmd := send(a, "SET", "k", strings.Repeat("x", 5<<20))
		require.False(t, a.Waiting())
		require.EqualError(t, cmd.Err(), "ERR Protocol error: a value over 4 MB, which is more than Lockstep's proxy carries")
		require.NoError(t, send(w.Client("B"), "PING").Err())
	})
	require.Len(t, timeline.Steps, 1)
}

// What came before the rubbish was sent, but nobody let it through yet.
func TestRubbishAfterACommand(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		conn := wire(t, a)
		var said []byte
		a.Do("talk", func(context.Context) {
			_, _ = io.WriteString(conn, "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\nrubbish\r\n")
			said, _ = io.ReadAll(conn)
		})
		require.Contains(t, string(said), "Protocol error")
		require.Empty(t, held(w))
	})
}

// A command may come in as many pieces as it has bytes.
func TestSlowWriter(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		conn := wire(t, a)
		reply := make([]byte, 4)
		a.Do("talk", func(context.Context) {
			for _, b := range []byte("*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n") {
				time.Sleep(time.Second)
				_, _ = conn.Write([]byte{b})
			}
			_, _ = io.ReadFull(conn, reply)
		})
		require.True(t, w.Await(a, time.Hour))
		require.Equal(t, 21*time.Second, w.Now())
		require.Equal(t, ":1\r\n", string(reply))
	})
}

// A server that hangs up is a step of the timeline, and no end of the world.
func TestServerHangsUp(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		require.NoError(t, send(a, "QUIT").Err())
		require.NoError(t, send(a, "PING").Err(), "go-redis tries again")
	})
	require.Contains(t, lines(timeline), "0s ── the server closed the connection ── free")
	require.Contains(t, lines(timeline), "0s PING → PONG free")
}

// A client that sends and sends and reads nothing holds nobody else up.
func TestDeafClient(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		conn := wire(t, a)
		a.Do("shout", func(context.Context) {
			_, _ = io.WriteString(conn, strings.Repeat("*1\r\n$4\r\nPING\r\n", 40))
		})
		require.NoError(t, send(w.Client("B"), "PING").Err())
	})
}

// A command that is refused, by the server or by the proxy, aborts its
// transaction.
func TestRefusedInATransaction(t *testing.T) {
	t.Parallel()
	for _, words := range [][]any{{"NOSUCH"}, {"BLPOP", "k", 0}} {
		perform(t, func(w *faults.World) {
			a := w.Client("A")
			pipe(a, true, []any{"SET", "lock", "a"}, words)
			require.False(t, a.Waiting(), "%v", words)
			require.Empty(t, held(w))
		})
	}
}

// A pipeline that does more than set a connection up is no set-up.
func TestPipelineThatBeginsWithSetUp(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.LoseReply("SET")
		pipe(a, false, []any{"CLIENT", "ID"}, []any{"SET", "lock", "a"})
		require.Positive(t, a.Sent())
	})
}

// A play may have the server forget its scripts: the engine has none that it
// can't do without.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "SCRIPT", "FLUSH")
		require.Equal(t, "OK", send(a, "SET", "lock", "a").Val())
	})
}

// A client may announce what it likes: room is made for little of it.
// (Not parallel: it counts what everybody allocates.)
func TestHugeAnnouncement(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		conn := wire(t, a)
		a.Do("boast", func(context.Context) {
			_, _ = io.WriteString(conn, "*1\r\n$536870912\r\n")
		})
	})
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(8), "MB")
}
