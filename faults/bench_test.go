package faults_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

// BenchmarkPlay is a whole world: two clients, a lease, six commands.
func BenchmarkPlay(b *testing.B) {
	for b.Loop() {
		_, err := faults.Run(watched, func(w *faults.World) error {
			a, b := w.Client("A"), w.Client("B")
			for _, c := range []*faults.Client{a, b} {
				send(c, "SET", "lock", uuid, "NX", "PX", 30000)
				send(c, "GET", "lock")
				w.Sleep(31 * time.Second)
				send(c, "DEL", "lock")
			}
			return nil
		})
		require.NoError(b, err)
	}
}

// BenchmarkCommand is one command more in a world that is there already.
func BenchmarkCommand(b *testing.B) {
	// b.Loop would ask the world's clock for the time.
	_, err := faults.Run(watched, func(w *faults.World) error {
		a := w.Client("A")
		send(a, "SET", "lock", uuid)
		a.Do("poll", func(ctx context.Context) {
			for range b.N {
				a.Redis().SetNX(ctx, "lock", uuid2, time.Minute)
			}
		})
		return nil
	})
	require.NoError(b, err)
}

// BenchmarkPoll is a waiter's try: 20 ms pass, and a command says no.
func BenchmarkPoll(b *testing.B) {
	_, err := faults.Run(watched, func(w *faults.World) error {
		a := w.Client("A")
		send(a, "SET", "lock", uuid)
		poll(w.Client("B"))
		for n := b.N; n > 0; {
			tries := min(n, 1000)
			w.Sleep(time.Duration(tries) * 20 * time.Millisecond)
			n -= tries
		}
		return nil
	})
	require.NoError(b, err)
}

// BenchmarkBigValue is a megabyte on its way to the server and back.
func BenchmarkBigValue(b *testing.B) {
	value := string(make([]byte, 1<<20))
	b.SetBytes(2 << 20)
	_, err := faults.Run(watched, func(w *faults.World) error {
		a := w.Client("A")
		for range b.N {
			send(a, "SET", "k", value)
			send(a, "GET", "k")
		}
		return nil
	})
	require.NoError(b, err)
}
