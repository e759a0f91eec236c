package faults_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

// onEmbedded skips a test where the server is a real one, which carries no
// subscribers.
func onEmbedded(t *testing.T) {
	t.Helper()
	if os.Getenv(faults.ServerEnv) != "" {
		t.Skip("a real server carries no subscribers: its clock is real")
	}
}

// listens has c wait for one message of a channel.
func listens(c *faults.Client, channel string, heard *string) {
	c.Do("listen", func(ctx context.Context) {
		news := c.Redis().Subscribe(ctx, channel)
		defer func() { _ = news.Close() }()
		if m, err := news.ReceiveMessage(ctx); err == nil {
			*heard = m.Payload
		}
	})
}

// A message goes to those who listen, in the order of the cast, whether a client
// has published it or a script.
func TestSubscribersHear(t *testing.T) {
	t.Parallel()
	onEmbedded(t)
	var b, c, late string
	timeline := perform(t, func(w *faults.World) {
		publisher, first, second, other := w.Client("A"), w.Client("B"), w.Client("C"), w.Client("D")
		listens(second, "news", &c)
		listens(first, "news", &b)
		w.Sleep(time.Minute)
		require.True(t, first.Waiting())

		send(publisher, "PUBLISH", "news", "free")
		require.False(t, first.Waiting())
		require.False(t, second.Waiting())

		listens(other, "news", &late)
		publisher.Do("script", func(ctx context.Context) {
			redis.NewScript("-- announce\nreturn redis.call('PUBLISH', KEYS[1], ARGV[1])").Run(ctx, publisher.Redis(), []string{"news"}, "by script")
		})
		require.False(t, other.Waiting())
	})
	require.Equal(t, []string{"free", "free", "by script"}, []string{b, c, late})
	require.Equal(t, []string{
		"0s SUBSCRIBE news → listening free",
		"0s SUBSCRIBE news → listening free",
		"60s ── 60s passed ── free",
		"60s PUBLISH news free → 2 free",
		"60s ── B hears free on news ── free",
		"60s ── C hears free on news ── free",
		"60s SUBSCRIBE news → listening free",
		"60s EVALSHA announce → NOSCRIPT free",
		"60s EVAL announce news \"by script\" → 1 free",
	}, lines(timeline)[:9])
}

// Who is paused hears later, and who is dead never does.
func TestSubscribersUnderFaults(t *testing.T) {
	t.Parallel()
	onEmbedded(t)
	var b, c string
	perform(t, func(w *faults.World) {
		publisher, paused, dead := w.Client("A"), w.Client("B"), w.Client("C")
		listens(paused, "news", &b)
		listens(dead, "news", &c)
		paused.Pause()
		dead.Crash()
		send(publisher, "PUBLISH", "news", "free")
		w.Sleep(time.Minute)
		require.Empty(t, b)
		paused.Resume()
	})
	require.Equal(t, "free", b)
	require.Empty(t, c)
}

// go-redis looks after a subscription of its own accord: it asks every three
// seconds whether the line is alive.
func TestSubscriptionInTheBackground(t *testing.T) {
	t.Parallel()
	onEmbedded(t)
	heard := ""
	perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		b.Do("listen", func(ctx context.Context) {
			news := b.Redis().Subscribe(ctx, "news")
			defer func() { _ = news.Close() }()
			select {
			case m := <-news.Channel():
				heard = m.Payload
			case <-ctx.Done():
			}
		})
		w.Sleep(10 * time.Second)
		send(a, "PUBLISH", "news", "free")
		require.False(t, b.Waiting())
	})
	require.Equal(t, "free", heard)
}

func TestRealServerCarriesNoSubscribers(t *testing.T) {
	t.Parallel()
	if os.Getenv(faults.ServerEnv) == "" {
		t.Skip("this is about a real server")
	}
	perform(t, func(w *faults.World) {
		a := w.Client("A")
		var err error
		a.Do("subscribe", func(ctx context.Context) {
			news := a.Redis().Subscribe(ctx, "news")
			defer func() { _ = news.Close() }()
			_, err = news.Receive(ctx)
		})
		require.ErrorContains(t, err, "does not carry SUBSCRIBE")
	})
}

// A subscription that nobody closes keeps go-redis's goroutines alive. The world
// says whose it is.
func TestSubscriptionLeftOpen(t *testing.T) {
	t.Parallel()
	onEmbedded(t)
	said, _ := fail(t, faults.ErrStuck, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		var heard string
		listens(a, "news", &heard)
		b.Do("listen", func(ctx context.Context) { _ = b.Redis().Subscribe(ctx, "news").Channel() })
		send(a.Flow("A#2"), "PUBLISH", "news", "free")
	})
	require.Equal(t, "the world is stuck: a subscription of B is open at the end: close it, on every way out", said)
}

// go-redis looks after a subscription with a PING each three seconds. That is
// nobody's doing: it does not count as sent, and is not what a mark is for.
func TestSubscriptionIsLookedAfter(t *testing.T) {
	t.Parallel()
	onEmbedded(t)
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("listen", func(ctx context.Context) {
			news := a.Redis().Subscribe(ctx, "news")
			defer func() { _ = news.Close() }()
			select {
			case <-news.Channel():
			case <-ctx.Done():
			}
		})
		w.Sleep(20 * time.Second)
		require.Equal(t, 1, a.Sent())
		w.Mark("A listens")
	})
	require.Contains(t, timeline.String(), "SUBSCRIBE news → listening                     free\n        ! A listens\n")
	require.Contains(t, timeline.String(), "PING → listening ×6")
}
