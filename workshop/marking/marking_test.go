package marking

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"lockstep"
	"lockstep/faults"
	"lockstep/workshop"
)

// marker marks by this checkout.
func marker(t *testing.T) Marker {
	t.Helper()
	root, err := Root(".")
	require.NoError(t, err)
	return Marker{Root: root, Limits: Limits{Output: 2 << 20}}
}

// solution is what passes an exercise, by the names of its files.
func solution(t *testing.T, e workshop.Exercise) map[string]string {
	t.Helper()
	all := map[string]string{}
	paths, err := fs.Glob(lockstep.Sources, e.Stage.Name+"/*.go")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := lockstep.Sources.ReadFile(path)
		require.NoError(t, err)
		all[filepath.Base(path)] = string(text)
	}
	return all
}

// handIn writes the files of a submission, and returns their folder.
func handIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// allEnv is the environment variable that has the tests build and run programs. A
// dozen take a minute of one processor, most of it to link.
const allEnv = "LOCKSTEP_TEST_ALL"

// skipSlow skips a test that builds and runs programs, where that says nothing
// new.
func skipSlow(t *testing.T) {
	t.Helper()
	switch {
	case os.Getenv(allEnv) == "":
		t.Skipf("it takes long; %s=1 runs it", allEnv)
	case raced:
		t.Skip("the race detector looks at this program, not at those that it starts")
	case os.Getenv(faults.ServerEnv) != "":
		t.Skip("submissions are marked on the embedded server")
	}
}

// A sin is what a learner does to a lock that was right.
type sin struct {
	name    string
	try     string // in TryLock, at its beginning
	imports string
	more    string              // at the end of the file
	rewrite func(string) string // the file

	outcome Outcome
	says    string
	stuck   bool // it is waited for, and so a test has little patience
}

// What learners write. It does not stop the marker, does not pass for a lock, and
// is told as what it is.
var sins = []sin{
	{name: "none", outcome: Passes},
	{name: "read the input", try: "_, _ = os.Stdin.Read(make([]byte, 1))", imports: "os", outcome: Passes},
	{name: "another working directory", try: `_ = os.Chdir("/")`, imports: "os", outcome: Passes},
	{name: "no limits", try: "debug.SetGCPercent(-1); debug.SetMaxStack(1 << 40)", imports: "runtime/debug", outcome: Passes},

	{name: "an endless loop", try: "for {}", outcome: GaveUp, says: "✗ after 1s of real time it is still running", stuck: true},
	{name: "a deadlock", try: "var mu sync.Mutex; mu.Lock(); mu.Lock()", imports: "sync", outcome: GaveUp, says: "It is in TryLock, exercises/e", stuck: true},
	{name: "an endless goroutine", try: "go func() { for { time.Sleep(time.Second) } }()", imports: "time", outcome: GaveUp, says: "a goroutine that goes on for ever", stuck: true},
	{name: "an endless init", more: "func init() { for {} }", outcome: GaveUp, says: "Before the first check: ✗ after 1s", stuck: true},
	{name: "a wait for ever", try: "select {}", outcome: Fails},

	{name: "a panic", try: `panic("oh")`, outcome: Fails, says: "A panicked in Lock: oh (lock.go:"},
	{name: "a panic of its own", try: `go func() { panic("oh") }(); select {}`, outcome: GaveUp, says: "panic: oh\nIt is in TryLock, exercises/e"},
	{name: "no lock", rewrite: func(text string) string {
		return regexp.MustCompile(`(?s)(func New\(.*?\{\n)(.*?)\n}`).ReplaceAllString(text, "$1	if true { return nil, nil }\n$2\n}")
	}, outcome: Fails, says: "A panicked in Lock: runtime error: invalid memory address"},
	{name: "the end of the flow", try: "runtime.Goexit()", imports: "runtime", outcome: Fails},
	{name: "recursion", try: "return l.TryLock(ctx)", outcome: GaveUp, says: "fatal error: stack overflow\nIt is in TryLock, exercises/e"},

	{name: "exit 0", try: "os.Exit(0)", imports: "os", outcome: Fails, says: "os.Exit(0)"},
	{name: "exit 1", try: "os.Exit(1)", imports: "os", outcome: GaveUp, says: "the program ended in the middle of"},
	{name: "exit past testing", try: "syscall.Exit(0)", imports: "syscall", outcome: GaveUp, says: "the program ended in the middle of"},
	{name: "log.Fatal", try: `log.Fatal("no luck")`, imports: "log", outcome: GaveUp, says: "no luck"},
	{name: "a pass that is printed", more: `func init() {
		for _, check := range []string{"TwoServers", "FreeLock"} {
			println("\x16=== RUN   Test"+check+"\n\x16--- PASS: Test"+check+" (0.00s)")
		}
		syscall.Exit(0)
	}`, imports: "syscall", outcome: GaveUp, says: "the program ended"},
	{name: "flags", more: "func init() { flag.Parse() }", imports: "flag", outcome: GaveUp, says: "flag provided but not defined"},

	{name: "endless output", try: `for { println("more and more and more and more and more and more") }`, outcome: GaveUp, says: "it printed more than 2 MB"},
	{name: "no output", try: "_ = os.Stdout.Close()", imports: "os", outcome: GaveUp},
	{name: "endless memory", try: "var all [][]byte; for { b := make([]byte, 1<<20); all = append(all, b) }", outcome: GaveUp, says: "memory in use.\nIt is in TryLock, exercises/e"},
	{name: "much memory at once", try: "b := make([]byte, 1<<42); for i := range b { b[i] = 1 }", outcome: GaveUp, says: "memory"},

	{name: "a syntax error", try: "if {", outcome: DoesNotBuild, says: "/lock.go:"},
	{name: "an undefined name", try: "nobody()", outcome: DoesNotBuild, says: "undefined: nobody"},
	{name: "an import from nowhere", imports: "example.com/nowhere", outcome: DoesNotBuild, says: "package example.com/nowhere"},
	{name: "a file out of reach", imports: "embed", more: "//go:embed ../../go.mod\nvar b []byte", outcome: DoesNotBuild, says: "invalid pattern syntax"},
	{name: "left out", rewrite: func(text string) string { return "//go:build ignore\n\n" + text }, outcome: DoesNotBuild, says: "undefined: New"},
	{name: "an empty file", rewrite: func(string) string { return "\n" }, outcome: DoesNotBuild, says: "lock.go:"},
	{name: "another package", rewrite: func(text string) string {
		return strings.Replace(text, "package ", "package main // ", 1)
	}, outcome: DoesNotBuild, says: "found packages"},

	{name: "a borrowed lock", imports: "lockstep/v1_setnx", outcome: Fails, says: "lock.go imports lockstep/v1_setnx"},
	{name: "another's memory", imports: "unsafe", outcome: Fails, says: "lock.go imports unsafe"},
	{name: "C", imports: "C", outcome: Fails, says: "lock.go imports C"},
	{name: "easier tests", more: "func init() { mine.Exercise.Wins = nil }", outcome: Fails, says: "lock.go uses mine"},
}

// commit is the file with the sin in it.
func (s sin) commit(t *testing.T, text string) string {
	t.Helper()
	if s.rewrite != nil {
		return s.rewrite(text)
	}
	const tryLock = "func (l *Lock) TryLock(ctx context.Context) (bool, error) {\n"
	require.Contains(t, text, tryLock)
	text = strings.Replace(text, tryLock, tryLock+"	if true {\n"+s.try+"\n	}\n", 1)
	if s.imports != "" && !strings.Contains(text, `"`+s.imports+`"`) {
		name := ""
		if s.try+s.more == "" || s.imports == "embed" {
			name = "_ "
		}
		text = strings.Replace(text, "import (", "import (\n"+name+`"`+s.imports+`"`, 1)
	}
	return text + "\n" + s.more + "\n"
}

// A submission is seven exercises, with a sin each.
func TestWhateverALearnerWrites(t *testing.T) {
	skipSlow(t)
	all := workshop.All()[:7] // those that a stage solves
	for _, stuck := range []bool{true, false} {
		var those []sin
		for _, s := range sins {
			if s.stuck == stuck {
				those = append(those, s)
			}
		}
		for those := range slices.Chunk(those, len(all)) {
			t.Run(those[0].name, func(t *testing.T) {
				t.Parallel()
				m, files := marker(t), map[string]string{}
				if stuck {
					m.Limits.Check = time.Second
				}
				for i, s := range those {
					for name, text := range solution(t, all[i]) {
						files[all[i].Name+"/"+name] = text
					}
					files[all[i].Name+"/lock.go"] = s.commit(t, files[all[i].Name+"/lock.go"])
				}
				marks, err := m.MarkAll(t.Context(), all[:len(those)], handIn(t, files))
				require.NoError(t, err)
				for i, s := range those {
					said := marks[i].Said
					if first, bad := marks[i].First(); bad && said == "" {
						said = first.Said
					}
					t.Logf("%s: %s\n%s", s.name, marks[i].Outcome, said)
					assert.Equal(t, s.outcome, marks[i].Outcome, s.name)
					assert.Contains(t, said, s.says, s.name)
					assert.Less(t, len(marks[i].Said), 4<<10, s.name)
				}
			})
		}
	}
}

// A submission's own tests do not count, whatever they do; more files of its own
// do.
func TestFilesOfASubmission(t *testing.T) {
	skipSlow(t)
	t.Parallel()
	files := solution(t, workshop.E1)
	files["lock.go"] = strings.ReplaceAll(files["lock.go"], `"acquire %s: %w"`, "acquire")
	files["texts.go"] = "package setnx\n\nimport _ \"embed\"\n\n//go:embed acquire.lua\nvar acquire string\n"
	files["acquire.lua"] = "acquire %s: %w"
	files["lock_test.go"] = "package nonsense"
	files["main_test.go"] = "package setnx\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {}\n"
	mark, err := marker(t).Mark(t.Context(), workshop.E1, handIn(t, files))
	require.NoError(t, err)
	require.Equal(t, Passes, mark.Outcome, "%+v", mark)
}

// What can't be read is the learner's mark, and no error of the marker.
func TestUnreadableSubmission(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "lock.go"), 0o755))
	loop, lost := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink("lock.go", filepath.Join(loop, "lock.go")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(lost, "lock.go")))
	many := map[string]string{}
	for i := range mostFiles + 1 {
		many[fmt.Sprintf("lock%d.go", i)] = "package setnx\n"
	}
	huge := handIn(t, map[string]string{"lock.go": strings.Repeat("// long\n", longestFile/4)})
	for dir, says := range map[string]string{
		t.TempDir(): "has no Go file", folder: "lock.go is no file", loop: "lock.go: ", lost: "lock.go leads nowhere",
		huge: "lock.go has more than 1 MB", handIn(t, many): "has more than 100 files", filepath.Join(huge, "lock.go"): "lock.go: ",
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

// What is called mine within a function is not the tests' name.
func TestANameOfOnesOwn(t *testing.T) {
	t.Parallel()
	f := files{"lock.go": []byte("package setnx\n\nfunc f() bool { mine := true; return mine }\n\nfunc g(l struct{ mine bool }) bool { return l.mine }\n")}
	require.Empty(t, f.borrowed())
}

// A checkout whose tests were changed marks nothing: an exercise that nobody
// tests must not pass.
func TestAChangedCheckout(t *testing.T) {
	t.Parallel()
	root := handIn(t, map[string]string{"exercises/e1_setnx/lock_test.go": "package setnx\n"})
	_, err := Marker{Root: root}.Mark(t.Context(), workshop.E1, handIn(t, solution(t, workshop.E1)))
	require.ErrorContains(t, err, "exercises/e1_setnx/lock_test.go has no TestTwoServers; git checkout -- ")
}

// What stands in the environment of a programmer changes no mark.
func TestEnvironment(t *testing.T) {
	t.Setenv("GOFLAGS", "-race")
	t.Setenv("GOOS", "plan9")
	t.Setenv("GODEBUG", "panicnil=1")
	t.Setenv("LOCKSTEP_SERVER", "redis-server")
	t.Setenv("GOPROXY", "off")
	env := environment()
	require.Contains(t, env, "GOPROXY=off")
	for _, v := range env {
		require.NotRegexp(t, "^(GOFLAGS|GOOS|GODEBUG|LOCKSTEP_SERVER)=", v)
	}
}

// Whoever prints much is heard at the beginning and at the end.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	var x excerpt
	x.add("first\n")
	for range longestSaid {
		x.add("more\n")
	}
	x.add("\x1b[2Jlast\r\n") // which would clear the marker's screen
	require.Regexp(t, `(?s)^first\nmore\n.*… much is left out here ….*more\n\[2Jlast\n$`, x.String())
	require.Less(t, len(x.String()), 2*longestSaid)
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
	_, err := marker(t).Mark(ctx, workshop.E1, handIn(t, solution(t, workshop.E1)))
	require.ErrorIs(t, err, context.Canceled)
}

// An interrupt ends the tests, and what the tests have started; what was marked
// before it stays.
func TestAnInterruptEndsAll(t *testing.T) {
	skipSlow(t)
	t.Parallel()
	alive, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	files := map[string]string{"e2_spin/lock.go": workshop.Starter("e2_spin")}
	files["e1_setnx/lock.go"] = sin{try: `
		conn, _ := net.Dial("tcp", "` + alive.Addr().String() + `")
		line, _ := conn.(*net.TCPConn).File()
		child := exec.Command("sleep", "1000")
		child.Stdout = line
		_ = child.Start()
		_, _ = conn.Write([]byte("here"))
		for { }`, imports: "net"}.commit(t, solution(t, workshop.E1)["lock.go"])
	files["e1_setnx/lock.go"] = strings.Replace(files["e1_setnx/lock.go"], "import (", "import (\n\"os/exec\"", 1)
	ctx, cancel := context.WithCancel(t.Context())
	marked := make(chan []Mark, 1)
	m, dir := marker(t), handIn(t, files)
	m.Limits.Check = time.Hour
	go func() { // ends with ctx
		marks, err := m.MarkAll(ctx, workshop.All()[:2], dir)
		assert.ErrorIs(t, err, context.Canceled)
		marked <- marks
	}()
	conn, err := alive.Accept()
	require.NoError(t, err)
	_, err = io.ReadFull(conn, make([]byte, 4))
	require.NoError(t, err)

	cancel()
	_, err = io.ReadAll(conn) // until nobody has the other end
	if err != nil {
		require.ErrorIs(t, err, syscall.ECONNRESET)
	}
	require.Equal(t, []Mark{{Exercise: "e1_setnx", Outcome: NotRun}, {Exercise: "e2_spin", Outcome: Untouched}}, <-marked)
}

func TestRoot(t *testing.T) {
	t.Parallel()
	_, err := Root(t.TempDir())
	require.ErrorIs(t, err, ErrNoCheckout)
}
