package spin_test

import (
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"lockstep/hazards"
	"lockstep/stages"
)

// A stack overflow can't be recovered in Go: the whole process dies of it, with
// every other request in it and every lock that those hold. So it takes a
// process to show one: this test binary again, told by this variable which
// stage to wait on.
const childEnv = "LOCKSTEP_OVERFLOW"

// smallStack is the limit of the child's stacks. Go's own is 1 GB on a 64-bit
// system: the same death, only later.
const smallStack = 256 << 10

func TestRecursionOverflowForReal(t *testing.T) {
	if stage := os.Getenv(childEnv); stage != "" {
		debug.SetMaxStack(smallStack)
		for _, s := range stages.All() {
			if s.Name == stage {
				waitLong(t, s)
			}
		}
		return
	}
	t.Run(stages.V1.Name, func(t *testing.T) {
		out, err := child(t, stages.V1)
		if err == nil || !strings.Contains(out, "fatal error: stack overflow") {
			t.Fatalf("the waiter of %s should die of a stack overflow, and ended with %v:\n%s", stages.V1, err, out)
		}
		if hazards.Asked(t) {
			died, _, _ := strings.Cut(out, "\nruntime stack:")
			t.Logf("\nA waiter of %s, with a stack of %d KB:\n\n%s\n", stages.V1, smallStack>>10, died)
			t.Fail()
		}
	})
	t.Run(stages.V2.Name, func(t *testing.T) {
		if out, err := child(t, stages.V2); err != nil {
			t.Fatalf("the waiter of %s should live, and ended with %v:\n%s", stages.V2, err, out)
		}
	})
}

// waitLong has B wait for a lock that A holds for two minutes of fake time.
func waitLong(t *testing.T, stage stages.Stage) {
	t.Helper()
	h := hazards.Hazard{Name: "Wait", Play: func(s *hazards.Scene) error {
		a, b := s.Client("A"), s.Client("B")
		a.Lock()
		b.Lock()
		s.Sleep(2 * time.Minute)
		return nil
	}}
	if _, err := h.Run(stage); err != nil {
		t.Fatal(err)
	}
}

// child runs this test in a process of its own.
func child(t *testing.T, stage stages.Stage) (string, error) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^TestRecursionOverflowForReal$")
	cmd.Env = append(os.Environ(), childEnv+"="+stage.Name, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
