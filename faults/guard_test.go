package faults

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// The real-time guard ends the program: what it says is all there is to go by.
func TestGuardTellsHowFarThePlayCame(t *testing.T) {
	t.Parallel()
	_, err := Run(Options{Watch: "lock"}, func(w *World) error {
		a := w.Client("A")
		a.Do("SET", func(ctx context.Context) { a.Redis().Set(ctx, "lock", "a", 0) })
		said := w.stillRunning()
		require.Contains(t, said, "waits for a mutex")
		require.Contains(t, said, "SET lock a → OK")
		return nil
	})
	require.NoError(t, err)
}
