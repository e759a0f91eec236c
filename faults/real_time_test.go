package faults

import (
	"os"
	"testing"
)

// allEnv is the environment variable that has the tests wait for processes, too.
const allEnv = "LOCKSTEP_TEST_ALL"

// WaitsInRealTime leaves a test that waits for a process to end to the runs on a
// real server, and to the one of all tests.
func WaitsInRealTime(t *testing.T) {
	t.Helper()
	if os.Getenv(allEnv) == "" && os.Getenv(ServerEnv) == "" {
		t.Skipf("it waits for a process in real time; %s=1 runs it", allEnv)
	}
}
