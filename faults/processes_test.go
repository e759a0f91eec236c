package faults

import (
	"os"
	"testing"
)

// allEnv is the environment variable that has the tests start servers, too, and
// wait for them in real time.
const allEnv = "LOCKSTEP_TEST_ALL"

// StartsProcesses leaves a test to the runs on a real server, and to the one of
// all tests.
func StartsProcesses(t *testing.T) {
	t.Helper()
	if os.Getenv(allEnv) == "" && os.Getenv(ServerEnv) == "" {
		t.Skipf("it waits for processes in real time; %s=1 runs it", allEnv)
	}
}
