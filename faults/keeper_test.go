package faults

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A server that does not end when it is asked is ended, and its folder goes.
func TestKeeperEndsAStubbornServer(t *testing.T) {
	WaitsInRealTime(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "server")
	require.NoError(t, os.Mkdir(dir, 0o755))
	keeping := exec.CommandContext(t.Context(), "sh", "-c", keeper, "lockstep", dir,
		"sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")
	ours, err := keeping.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, keeping.Start())
	require.NoError(t, ours.Close()) // as when this program ends
	_ = keeping.Wait()               // its status is the dead server's
	require.NoDirExists(t, dir)
}

// What a script has started ends with it, whoever ends it.
func TestKeeperEndsTheServerOfAScript(t *testing.T) {
	WaitsInRealTime(t)
	t.Parallel()
	for name, script := range map[string]string{
		"when the program ends": `sleep 60 & echo $! >"$0/pid"; echo started; wait`,
		"when the script ends":  `sleep 60 & echo $! >"$0/pid"; echo started`,
		"soon after the script": `sh -c 'sleep 0.2; echo $$ >"$0/pid"; exec sleep 60' "$0" & echo started`,
		"by force":              `sh -c 'trap "" TERM; echo $$ >"$0/pid"; while :; do sleep 0.1; done' "$0" & echo started`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "server")
			require.NoError(t, os.Mkdir(dir, 0o755))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			keeping := exec.CommandContext(ctx, "sh", "-c", keeper, "lockstep", dir, "sh", "-c", script, dir)
			keeping.WaitDelay = time.Second
			said, err := keeping.StdoutPipe()
			require.NoError(t, err)
			ours, err := keeping.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, keeping.Start())
			defer func() { _ = keeping.Wait() }()
			_, err = io.ReadFull(said, make([]byte, len("started\n")))
			require.NoError(t, err)
			require.NoError(t, ours.Close())
			_, err = io.ReadAll(said) // ends with the last that could write there
			require.NoError(t, err)
			require.NoError(t, ctx.Err(), "the server is still there")
		})
	}
}
