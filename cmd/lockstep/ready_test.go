package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The machine that runs this is ready. What is left out compiles everything, and
// marks an exercise, for which there are tests of their own.
func TestReady(t *testing.T) {
	t.Parallel()
	if why := skipHere(); why != "" {
		t.Skip(why)
	}
	for _, i := range []int{0, 1, 3} {
		_, err := readiness[i](t.Context(), root)
		require.NoError(t, err)
	}
}

// A check that fails says what to do.
func TestNotReady(t *testing.T) {
	t.Parallel()
	_, err := readiness[0](t.Context(), t.TempDir())
	require.ErrorContains(t, err, "go.dev/dl")
	_, err = readiness[1](t.Context(), t.TempDir())
	require.ErrorContains(t, err, "go mod download")
}
