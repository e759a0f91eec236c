package marking

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep"
	"lockstep/faults"
	"lockstep/workshop"
)

// marker marks with little patience.
func marker(t *testing.T) Marker {
	t.Helper()
	root, err := Root(".")
	require.NoError(t, err)
	return Marker{Root: root, Limits: Limits{Check: 2 * time.Second, Output: 2 << 20}}
}

// solution is a lock.go that passes e1.
func solution(t *testing.T) string {
	t.Helper()
	text, err := lockstep.Sources.ReadFile("v1_setnx/lock.go")
	require.NoError(t, err)
	return string(text)
}

// handIn writes the files of a submission, and returns their folder.
func handIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// allEnv is the environment variable that has the tests run every program that
// they know.
const allEnv = "LOCKSTEP_TEST_ALL"

// skipSlow skips a test that builds and runs a dozen programs, where that says
// nothing new.
func skipSlow(t *testing.T) {
	t.Helper()
	switch {
	case testing.Short():
		t.Skip("it takes seconds")
	case raced:
		t.Skip("the race detector looks at this program, not at those that it starts")
	case os.Getenv(faults.ServerEnv) != "":
		t.Skip("submissions are marked on the embedded server")
	}
}

// Nothing that a learner's code does stops the marker, or passes for a lock.
func TestWhateverALearnerWrites(t *testing.T) {
	skipSlow(t)
	const inTryLock = "	ok, err := l.rdb.SetNX("
	// Each writes this into TryLock, and at the end of the file.
	for name, sin := range map[string]struct {
		code, more string
		outcome    Outcome
		check      string // the first that does not pass
		says       string
		often      bool // in every run of the tests
	}{
		"none":                   {"", "", Passes, "", "", true},
		"an endless loop":        {"for {}", "", GaveUp, "TwoServers", "TwoServers: ✗ after 2s of real time it is still running", true},
		"a deadlock":             {"var mu sync.Mutex; mu.Lock(); mu.Lock()", "import \"sync\"", GaveUp, "TwoServers", "e1_setnx/lock.go:", false},
		"a goroutine for ever":   {"go func() { for { time.Sleep(time.Second) } }()", "", GaveUp, "TwoServers", "a goroutine that goes on for ever", false},
		"a wait for ever":        {"select {}", "", Fails, "", "", false},
		"a panic":                {"panic(\"oh\")", "", Fails, "TwoServers", "A panicked in Lock: oh (lock.go:", false},
		"a panic elsewhere":      {"go func() { panic(\"oh\") }(); select {}", "", GaveUp, "TwoServers", "panic: oh", false},
		"an exit":                {"os.Exit(0)", "import \"os\"", Fails, "TwoServers", "os.Exit(0)", false},
		"an exit past testing":   {"syscall.Exit(0)", "import \"syscall\"", GaveUp, "TwoServers", "the program ended before TwoServers was run", true},
		"the end of the flow":    {"runtime.Goexit()", "import \"runtime\"", Fails, "FreeLock", "the lock is free, and A's TryLock does not take it", false},
		"recursion":              {"return l.TryLock(ctx)", "", GaveUp, "TwoServers", "stack", false},
		"output without end":     {"for { println(\"more and more and more and more and more\") }", "", GaveUp, "TwoServers", "it printed more than 2 MB", false},
		"memory without end":     {"var all [][]byte; for { all = append(all, make([]byte, 1<<20)) }", "", GaveUp, "TwoServers", "it keeps more than 1024 MB of memory", false},
		"a syntax error":         {"if {", "", DoesNotBuild, "", "e1_setnx/lock.go:", true},
		"a missing import":       {"os.Getpid()", "", DoesNotBuild, "", "undefined: os", false},
		"an import from nowhere": {"", "import _ \"example.com/nowhere\"", DoesNotBuild, "", "example.com/nowhere", false},
		"a borrowed lock":        {"", "import _ \"lockstep/v1_setnx\"", Fails, "", "lock.go imports lockstep/v1_setnx", false},
		"no output":              {"os.Stdout.Close()", "import \"os\"", GaveUp, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv(allEnv) == "" && !sin.often {
				t.Skipf("each takes a second; %s=1 runs all", allEnv)
			}
			t.Parallel()
			text := strings.Replace(solution(t), inTryLock, "	"+sin.code+"\n"+inTryLock, 1)
			if path, isImport := strings.CutPrefix(sin.more, "import "); isImport {
				text = strings.Replace(text, "import (", "import (\n	"+path, 1)
			}
			mark, err := marker(t).Mark(t.Context(), workshop.E1, handIn(t, map[string]string{"lock.go": text}))
			require.NoError(t, err)
			first, _ := mark.First()
			require.Equal(t, sin.outcome, mark.Outcome, "%+v", mark)
			if sin.check != "" || sin.outcome == Passes {
				require.Equal(t, sin.check, first.Name)
			}
			require.Contains(t, first.Said+mark.Said, sin.says)
			require.Less(t, len(mark.Said), 2*longestSaid)
		})
	}
}

// Files that are no program, or not the learner's to hand in.
func TestFilesOfASubmission(t *testing.T) {
	skipSlow(t)
	for name, c := range map[string]struct {
		files   map[string]string
		outcome Outcome
		says    string
	}{
		"the learner's own tests": {map[string]string{
			"lock.go": "", "lock_test.go": "package setnx\n", "main_test.go": "package setnx\n\nfunc TestMain(m *testing.M) {}\n",
		}, Passes, ""},
		"two files": {map[string]string{
			"lock.go": "", "more.go": "package setnx\n\nconst unused = 1\n",
		}, Passes, ""},
		"another package":    {map[string]string{"lock.go": "package main\n"}, DoesNotBuild, "setnx"},
		"an empty file":      {map[string]string{"lock.go": "\n"}, DoesNotBuild, "lock.go"},
		"a file left out":    {map[string]string{"lock.go": "//go:build ignore\n\n" + solution(t)}, DoesNotBuild, "undefined"},
		"a loop before main": {map[string]string{"lock.go": "", "init.go": "package setnx\n\nfunc init() { for {} }\n"}, GaveUp, "it was still running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.files["lock.go"] == "" {
				c.files["lock.go"] = solution(t)
			}
			m := marker(t)
			if c.outcome == GaveUp {
				m.Limits.Time = 10 * time.Second
			}
			mark, err := m.Mark(t.Context(), workshop.E1, handIn(t, c.files))
			require.NoError(t, err)
			require.Equal(t, c.outcome, mark.Outcome, "%+v", mark)
			require.Contains(t, mark.Said, c.says)
		})
	}
}

// What can't be read is the learner's mark, and no error of the marker.
func TestUnreadableSubmission(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "lock.go"), 0o755))
	loop := t.TempDir()
	require.NoError(t, os.Symlink("lock.go", filepath.Join(loop, "lock.go")))
	huge := handIn(t, map[string]string{"lock.go": strings.Repeat("// long\n", longestFile/4)})
	for dir, says := range map[string]string{
		t.TempDir(): "has no Go file", folder: "lock.go is no file", loop: "lock.go", huge: "lock.go has 2 MB",
	} {
		mark, err := marker(t).Mark(t.Context(), workshop.E1, dir)
		require.NoError(t, err)
		require.Equal(t, DoesNotBuild, mark.Outcome)
		require.Contains(t, mark.Said, says)
	}
	mark, err := marker(t).Mark(t.Context(), workshop.E1, filepath.Join(folder, "nowhere"))
	require.NoError(t, err)
	require.Equal(t, Missing, mark.Outcome)
}

func TestUntouched(t *testing.T) {
	t.Parallel()
	m := marker(t)
	for _, e := range workshop.All() {
		require.True(t, m.Untouched(e, handIn(t, map[string]string{"lock.go": workshop.Starter(e.Name)})), e.Name)
		require.False(t, m.Untouched(e, handIn(t, map[string]string{"lock.go": workshop.Starter(e.Name) + "\n"})), e.Name)
		require.False(t, m.Untouched(e, t.TempDir()), e.Name)
	}
}

func TestMarkIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := marker(t).Mark(ctx, workshop.E1, handIn(t, map[string]string{"lock.go": solution(t)}))
	require.ErrorIs(t, err, context.Canceled)
}

func TestRoot(t *testing.T) {
	t.Parallel()
	_, err := Root(t.TempDir())
	require.ErrorIs(t, err, ErrNoCheckout)
}
