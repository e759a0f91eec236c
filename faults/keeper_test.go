package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server that does not end when it is asked is ended, and its folder goes.
func TestKeeperEndsAStubbornServer(t *testing.T) {
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
