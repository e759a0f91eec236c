package marking

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/workshop"
)

// event is a line of go test -json, as far as it is needed here.
type event struct {
	Action string // build-output, output, pass, fail, skip, …
	Test   string // TestMisDelete; empty for the program as a whole
	Output string
}

// result is what go test told of an exercise.
type result struct {
	passed map[string]bool   // check: its last line says so
	ended  map[string]string // check: its action at the end
	said   map[string]*tail  // check: its output; "" is what belongs to none
	build  tail              // what the compiler said
	cut    string            // why it was ended, if it was
	failed bool              // as a whole
}

// longestSaid is how much is kept of what one check prints, in bytes.
const longestSaid = 64 << 10

// tail is a text that stops growing when it is long. The beginning is kept: it
// says what went wrong first.
type tail struct{ strings.Builder }

func (t *tail) add(s string) {
	if t.Len() < longestSaid {
		t.WriteString(s)
	}
}

// test runs the tests of an exercise.
func (m Marker) test(ctx context.Context, e workshop.Exercise, overlay string) (*result, error) {
	most := cmp.Or(m.Limits.Time, DefaultLimits.Time)
	bounded, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := exec.CommandContext(bounded, "go", "test", "-json", "-vet=off", "-timeout=0", "-ldflags=-s -w", // quicker without symbols
		"-overlay="+overlay, "./exercises/"+e.Name)
	cmd.Dir = m.Root
	cmd.Env = environment()
	if m.Limits.Check > 0 {
		cmd.Env = append(cmd.Env, workshop.PatienceEnv+"="+m.Limits.Check.String())
	}
	group(cmd)
	cmd.WaitDelay = time.Second // for pipes that a child keeps open
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var stderr tail
	cmd.Stderr = writerFunc(func(p []byte) { stderr.add(string(p)) })
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &result{passed: map[string]bool{}, ended: map[string]string{}, said: map[string]*tail{}}
	if output := cmp.Or(m.Limits.Output, DefaultLimits.Output); !r.read(stdout, output) {
		r.cut = fmt.Sprintf("it printed more than %d MB, and was ended", output>>20)
		cancel()
	}
	err = cmd.Wait()
	endGroup(cmd)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.cut != "":
	case bounded.Err() != nil:
		r.cut = fmt.Sprintf("after %v of real time it was still running, and was ended", most)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && r.cut == "" {
		return nil, fmt.Errorf("go test: %w", err)
	}
	r.failed = err != nil
	if len(r.said) == 0 && len(r.ended) == 0 && r.build.Len() == 0 && r.cut == "" {
		return nil, fmt.Errorf("go test: %s", strings.TrimSpace(stderr.String())) // of the machine, not of the lock
	}
	r.build.add(stderr.String())
	return r, nil
}

// environment is this program's own, without what would change the outcome.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "LOCKSTEP_") || strings.HasPrefix(v, "GOFLAGS=") || strings.HasPrefix(v, "GOWORK=") ||
			strings.HasPrefix(v, "GODEBUG=") || strings.HasPrefix(v, "GOMAXPROCS=")
	})
	return append(env, "GOFLAGS=")
}

// read takes in the events. It reports false when there is more than limit of
// them, and then reads no further.
func (r *result) read(from io.Reader, limit int) bool {
	in := bufio.NewReader(from)
	for size := 0; ; {
		line, err := in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) {
			size += len(line)
			line, err = in.ReadSlice('\n') // a line that no check prints: its end is of no use
		}
		if size += len(line); size > limit {
			return false
		}
		r.take(line)
		if err != nil {
			return true
		}
	}
}

// take takes in one event. What is none is what the program printed past go test.
func (r *result) take(line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return
	}
	check := strings.TrimPrefix(e.Test, "Test")
	switch e.Action {
	case "build-output":
		r.build.add(e.Output)
	case "output":
		if r.said[check] == nil {
			r.said[check] = &tail{}
		}
		r.said[check].add(e.Output)
		// An exit in the middle of a test looks like a pass, but for this line.
		if check != "" && strings.HasPrefix(e.Output, "--- PASS: "+e.Test+" ") {
			r.passed[check] = true
		}
	case "pass", "fail", "skip":
		if check != "" && (e.Action != "pass" || r.passed[check]) {
			r.ended[check] = e.Action
		}
	}
}

// mark is the mark for what was told.
func (r *result) mark(e workshop.Exercise) Mark {
	mark := Mark{Exercise: e.Name, Outcome: Passes}
	if r.build.Len() > 0 && len(r.ended) == 0 && r.failed && r.cut == "" {
		mark.Outcome, mark.Said = DoesNotBuild, compiled(r.build.String(), e)
		return mark
	}
	for _, c := range e.Checks() {
		check := Check{Name: c.Name, Outcome: NotRun}
		switch r.ended[c.Name] {
		case "pass":
			check.Outcome = Passes
		case "fail":
			check.Outcome, check.Said = Fails, spoken(r.said[c.Name])
		default:
			if said := spoken(r.said[c.Name]); said != "" && mark.Said == "" {
				mark.Said = said // it was running when the program ended
			}
		}
		mark.Checks = append(mark.Checks, check)
	}
	switch first, bad := mark.First(); {
	case r.cut != "":
		mark.Outcome, mark.Said = GaveUp, strings.TrimSpace(r.cut+"\n"+mark.Said)
	case slices.ContainsFunc(mark.Checks, func(c Check) bool { return c.Outcome == NotRun }):
		mark.Outcome = GaveUp
		if mark.Said == "" {
			mark.Said = spoken(r.said[""])
		}
		mark.Said = cmp.Or(mark.Said, "the program ended before "+first.Name+" was run, and said nothing")
	case bad:
		mark.Outcome = Fails
	case r.failed:
		mark.Outcome, mark.Said = GaveUp, cmp.Or(spoken(r.said[""]), "all checks passed, and then the program failed")
	}
	return mark
}

// copied is the folder with the copies that the compiler saw.
var copied = regexp.MustCompile(`[^\s:]*lockstep-marking-\d+[/\\]`)

// compiled is what the compiler said, without the headings of go test, and of the
// learner's files in place of the copies.
func compiled(text string, e workshop.Exercise) string {
	text = copied.ReplaceAllString(text, "exercises/"+e.Name+"/")
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "# ") {
			kept = append(kept, strings.TrimSuffix(line, "\n"))
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// spoken is what a test printed, without the lines that go test adds and without
// the indentation of the rest.
func spoken(t *tail) string {
	if t == nil {
		return ""
	}
	var kept []string
	for line := range strings.Lines(t.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") || line == "FAIL" || line == "PASS" ||
			strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "exit status ") {
			continue
		}
		kept = append(kept, strings.TrimPrefix(line, "    "))
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n ")
}

// writerFunc is a function as a writer.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }
