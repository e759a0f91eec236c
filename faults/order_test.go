package faults_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

// poll has c try for the lock, every 20 ms, with a token of its own.
func poll(c *faults.Client) {
	token := rand.Text()
	c.Do("Lock", func(ctx context.Context) {
		for !c.Redis().SetNX(ctx, "lock", token, time.Minute).Val() {
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// Who polls at the same instant passes in the order of the cast, whoever came
// first and whatever they say.
func TestOrderOfTheCast(t *testing.T) {
	t.Parallel()
	for range 5 {
		perform(t, func(w *faults.World) {
			a, b, c := w.Client("A"), w.Client("B"), w.Client("C")
			send(c, "SET", "lock", "c")
			poll(b)
			poll(a)
			w.Sleep(50 * time.Millisecond)
			send(c, "DEL", "lock")
			w.Sleep(50 * time.Millisecond)
			require.False(t, a.Waiting(), "A comes first in the cast")
			require.True(t, b.Waiting())
		})
	}
}

// Goroutines of one client have no order of their own, and random tokens none
// at all. Their timeline has.
func TestOrderOfGoroutines(t *testing.T) {
	t.Parallel()
	storm := func(w *faults.World) {
		a := w.Client("A")
		a.Do("storm", func(ctx context.Context) {
			var all sync.WaitGroup
			for i := range 25 {
				lock := fmt.Sprintf("lock:%d", i%5)
				all.Go(func() {
					token := rand.Text()
					for !a.Redis().SetNX(ctx, lock, token, 0).Val() {
						time.Sleep(20 * time.Millisecond)
					}
					time.Sleep(30 * time.Millisecond)
					a.Redis().Del(ctx, lock)
				})
			}
			all.Wait()
		})
		w.Await(a, time.Minute)
	}
	timeline := same(t, runs, storm).String()
	require.Equal(t, 25, strings.Count(timeline, "DEL lock:"), timeline)
}

// Goroutines that say the same thing can't be told apart, so their order shows
// nowhere.
func TestOrderOfEqualCommands(t *testing.T) {
	t.Parallel()
	crowd := func(w *faults.World) {
		a := w.Client("A")
		a.Do("crowd", func(ctx context.Context) {
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() { a.Redis().Incr(ctx, "lock") })
			}
			all.Wait()
		})
	}
	require.Equal(t, "0s INCR lock → 10 10, no lease", lines(same(t, runs, crowd))[9])
}

// Who tries again after a lost request takes part in the order like the others.
func TestOrderAfterALostRequest(t *testing.T) {
	t.Parallel()
	same(t, runs, func(w *faults.World) {
		a := w.Client("A")
		a.LoseRequest("INCR")
		for _, c := range []*faults.Client{a, w.Client("B"), w.Client("C"), w.Client("D")} {
			c.Do("add", func(ctx context.Context) {
				time.Sleep(time.Second)
				c.Redis().Incr(ctx, "lock")
			})
		}
		w.Sleep(2 * time.Second)
	})
}

// same fails if runs of a play have different timelines.
func same(t *testing.T, n int, play func(w *faults.World)) *faults.Timeline {
	t.Helper()
	first := perform(t, play)
	for range n {
		require.Equal(t, first.String(), perform(t, play).String())
	}
	return first
}

// Random bytes don't decide which of a service's waiters is next.
func TestOrderOfWaitersOfOneService(t *testing.T) {
	t.Parallel()
	same(t, 20, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		send(b, "SET", "lock", "b")
		for _, flow := range []*faults.Client{a, a.Flow("A#2")} {
			token := rand.Text()
			flow.Do("Lock", func(ctx context.Context) {
				for !flow.Redis().SetNX(ctx, "lock", token, time.Minute).Val() {
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
		w.Sleep(50 * time.Millisecond)
		send(b, "DEL", "lock")
		w.Sleep(50 * time.Millisecond)
	})
}

// Two flows of a service wake at the same instant and want the same lock, each
// with a token that nobody has seen: who gets it depends on the script alone.
func TestOrderOfFlows(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]func(ctx context.Context, rdb *redis.Client) bool{
		"command": func(ctx context.Context, rdb *redis.Client) bool {
			return rdb.SetNX(ctx, "lock", rand.Text(), time.Minute).Val()
		},
		"equal commands": func(ctx context.Context, rdb *redis.Client) bool {
			return rdb.Incr(ctx, "lock").Val() == 1
		},
		"script": func(ctx context.Context, rdb *redis.Client) bool {
			script := redis.NewScript("return redis.call('SETNX', KEYS[1], ARGV[1])")
			got, _ := script.Run(ctx, rdb, []string{"lock"}, rand.Text()).Bool()
			return got
		},
		"pipeline": func(ctx context.Context, rdb *redis.Client) bool {
			p := rdb.Pipeline()
			got := p.SetNX(ctx, "lock", rand.Text(), time.Minute)
			_, _ = p.Exec(ctx)
			return got.Val()
		},
		"transaction": func(ctx context.Context, rdb *redis.Client) bool {
			p := rdb.TxPipeline()
			got := p.SetNX(ctx, "lock", rand.Text(), time.Minute)
			p.Get(ctx, "lock")
			_, _ = p.Exec(ctx)
			return got.Val()
		},
		"a context of its own": func(ctx context.Context, rdb *redis.Client) bool {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return rdb.SetNX(ctx, "lock", rand.Text(), time.Minute).Val()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range runs {
				timeline := perform(t, func(w *faults.World) {
					a := w.Client("A")
					won := map[string]bool{}
					for _, flow := range []*faults.Client{a, a.Flow("A2"), a.Flow("A3")} {
						flow.Do("try", func(ctx context.Context) {
							time.Sleep(time.Second)
							if try(ctx, flow.Redis()) {
								won[flow.Name()] = true
							}
						})
					}
					w.Sleep(2 * time.Second)
					require.Equal(t, map[string]bool{"A": true}, won)
				})
				require.NotContains(t, timeline.String(), "lockstep", "nobody sees how the door tells them apart")
			}
		})
	}
}

// What the door adds to a command is not there for the server, nor for who sent
// it.
func TestFlowsSendWhatTheySay(t *testing.T) {
	t.Parallel()
	perform(t, func(w *faults.World) {
		a2 := w.Client("A").Flow("A2")
		words := []any{"SET", "lock", "a2"}
		cmd := send(a2, words...)
		require.Equal(t, "OK", cmd.Val())
		require.Equal(t, []any{"SET", "lock", "a2"}, words)
		require.Equal(t, "SET lock a2: OK", cmd.String())
		require.Equal(t, "a2", held(w)["lock"])
	})
}
