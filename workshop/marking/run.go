package marking

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/workshop"
)

// or fills in the defaults.
func (l Limits) or(d Limits) Limits {
	return Limits{cmp.Or(l.Time, d.Time), cmp.Or(l.Check, d.Check), cmp.Or(l.Output, d.Output), cmp.Or(l.AtOnce, d.AtOnce)}
}

// test runs exercises together. Where one brings the go command down, by printing
// without end or by killing it, those that had not come to their end run again,
// each alone. The results are by exercise; if ctx ends first, some are missing,
// and the error is that of ctx.
func (m Marker) test(ctx context.Context, all map[string]files) (map[string]*result, error) {
	if len(all) == 0 {
		return nil, ctx.Err()
	}
	for name := range all {
		if err := m.whole(name); err != nil {
			return nil, err
		}
	}
	bounded, cancel := context.WithTimeout(ctx, m.Limits.or(DefaultLimits).Time)
	defer cancel()
	results, err := m.testOnce(ctx, bounded, all)
	if err != nil || len(results) == len(all) || len(all) == 1 {
		return results, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if results[name] != nil {
			continue
		}
		alone, err := m.testOnce(ctx, bounded, map[string]files{name: all[name]})
		if err != nil {
			return results, err
		}
		maps.Copy(results, alone)
	}
	return results, nil
}

// whole checks that the tests of an exercise ask for all of its checks.
func (m Marker) whole(exercise string) error {
	path := filepath.Join("exercises", exercise, "lock_test.go")
	text, err := os.ReadFile(filepath.Join(m.Root, path))
	if err != nil {
		return err
	}
	for _, e := range workshop.All() {
		for _, c := range e.Checks() {
			if e.Name == exercise && !strings.Contains(string(text), "func Test"+c.Name+"(") {
				return fmt.Errorf("%s has no Test%s; git checkout -- %s brings it back", path, c.Name, path)
			}
		}
	}
	return nil
}

// testOnce runs a go test for all, as long as bounded lasts. The results are of
// those that came to their end; for one that ran alone there is always one.
func (m Marker) testOnce(ctx, bounded context.Context, all map[string]files) (map[string]*result, error) {
	bench, err := m.newBench(all)
	if err != nil {
		return nil, err
	}
	defer bench.clear()
	limits := m.Limits.or(DefaultLimits)
	seal := rand.Text()

	bounded, cancel := context.WithCancel(bounded) // of this command
	defer cancel()
	args := []string{
		"test", "-json", "-count=1", "-vet=off", "-timeout=0", "-ldflags=-s -w", // quicker without symbols
		"-overlay=" + bench.overlay,
	}
	if limits.AtOnce > 0 {
		args = append(args, "-p="+strconv.Itoa(limits.AtOnce))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "./exercises/"+name)
	}
	cmd := exec.CommandContext(bounded, "go", args...)
	cmd.Dir = m.Root
	cmd.Env = append(environment(),
		"GOFLAGS=-buildvcs=false", // empty, it would be what go env -w has set
		"GOWORK="+filepath.Join(m.Root, "go.work"),
		"GOTMPDIR="+bench.temp(), "TMPDIR="+bench.temp(), "TMP="+bench.temp(), "TEMP="+bench.temp(),
		workshop.PatienceEnv+"="+limits.Check.String(),
		workshop.SealEnv+"="+seal,
	)
	group(cmd)
	cmd.WaitDelay = time.Second // for pipes that a child keeps open
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var stderr excerpt
	cmd.Stderr = writerFunc(func(p []byte) { stderr.add(string(p)) })
	log, culprit := newLog(seal), ""
	if err = cmd.Start(); err == nil {
		if culprit = log.read(stdout, limits.Output); culprit != "" {
			cancel()
		}
		_, _ = io.Copy(io.Discard, stdout) // until nobody is left who writes
		err = cmd.Wait()
		endGroup(cmd)
	}

	results := map[string]*result{}
	exit, isExit := errors.AsType[*exec.ExitError](err)
	whole := err == nil || isExit && exit.Exited() // and so everybody that has begun has come to an end
	for name, r := range log.results {
		if r.over = r.over || whole && r.begun; r.over {
			results[name] = r
		}
	}
	if ctx.Err() != nil {
		return results, ctx.Err()
	}
	timeIsUp := culprit == "" && bounded.Err() != nil
	for name := range all {
		r := log.of(name)
		switch {
		case r.over:
		case name == culprit:
			r.cut = fmt.Sprintf("it printed more than %d MB, and was ended", limits.Output>>20)
		case timeIsUp && r.begun:
			r.cut = fmt.Sprintf("after %v of real time it was still running, and was ended", limits.Time)
		case timeIsUp:
			r.cut = fmt.Sprintf("after %v of real time it was not even built, and was ended", limits.Time)
		case len(all) == 1 && r.begun:
			r.cut = "it took the go command down with it"
		case len(all) == 1: // of the machine, not of the lock
			return nil, fmt.Errorf("go test: %s", cmp.Or(strings.TrimSpace(stderr.String()), fmt.Sprint(err)))
		default:
			continue // it is not known, and may run again
		}
		results[name] = r
	}
	return results, nil
}

// whereThingsAre are the variables of the go command that say where things are
// and come from. All others say how programs are built and run, and that is not
// for the environment to decide.
var whereThingsAre = []string{
	"GOROOT", "GOPATH", "GOBIN", "GOENV", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN",
	"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOAUTH",
}

// environment is this program's own, without what would change the outcome.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "LOCKSTEP_") ||
			strings.HasPrefix(name, "GO") && !slices.Contains(whereThingsAre, name)
	})
}

// writerFunc is a function as a writer.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }
