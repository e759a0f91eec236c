package stages_test

import (
	"context"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep"
	"lockstep/faults"
	"lockstep/stages"
)

// The rules of the house for the stages, as files and as entries of the list.

var update = flag.Bool("update", false, "rewrite the golden files")

const root = ".."

// folders lists the stages' folders, in order.
func folders(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "v[0-9]*_*"))
	require.NoError(t, err)
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	return names
}

// Every folder is a stage of the list, in its order, and every stage but the
// mutex has a folder.
func TestEveryStageHasItsFolder(t *testing.T) {
	t.Parallel()
	require.Equal(t, stages.V0.Name, stages.All()[0].Name)
	var names []string
	for _, stage := range stages.All()[1:] {
		names = append(names, stage.Name)
	}
	require.Equal(t, folders(t), names)
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, stage := range everyVersion() {
		require.NotEmpty(t, stage.Name)
		require.False(t, seen[stage.Name], "two versions are called %s", stage)
		seen[stage.Name] = true
	}
	for _, stage := range stages.Drafts() {
		require.Contains(t, seen, stage.Like, "%s is like no version that there is", stage)
	}
}

func everyVersion() []stages.Stage { return slices.Concat(stages.All(), stages.Drafts()) }

// A package clause is its folder's name without the number and the underscores.
func TestPackageClauses(t *testing.T) {
	t.Parallel()
	exceptions := map[string]string{
		"v6_reentrant_hash": "reentrant", // the hash is how, and re-entry is what for
	}
	for _, folder := range folders(t) {
		_, words, _ := strings.Cut(folder, "_")
		want := strings.ReplaceAll(words, "_", "")
		if name, ok := exceptions[folder]; ok {
			want = name
		}
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
			require.NoError(t, err)
			if strings.HasSuffix(path, "_test.go") {
				require.Equal(t, want+"_test", file.Name.Name, path)
			} else {
				require.Equal(t, want, file.Name.Name, path)
			}
		}
	}
}

// A stage is four small files, unless there is a reason.
func TestAStageIsFourSmallFiles(t *testing.T) {
	t.Parallel()
	four := []string{"doc.go", "example_test.go", "lock.go", "lock_test.go"}
	more := map[string][]string{
		"v2_spin":           {"overflow_test.go"}, // really overflows a stack, in a process of its own
		"v5_lua_release":    {"watch.go"},         // the same by other means: WATCH, MULTI, EXEC
		"v6_reentrant_hash": {"factory.go"},       // who the owner is
		"v7_watchdog":       {"factory.go", "watchdog.go"},
	}
	for _, folder := range folders(t) {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		require.NoError(t, err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		want := slices.Concat(four, more[folder])
		slices.Sort(want)
		require.Equal(t, want, got, folder)
		delete(more, folder)
	}
	require.Empty(t, more, "exceptions for folders that are not there")
}

// A stage knows go-redis and the standard library, and can be lifted out of here
// as it is. The drafts, and what comes after the stages, keep to the same.
func TestStagesStandAlone(t *testing.T) {
	t.Parallel()
	const goRedis = "github.com/redis/go-redis/v9"
	args := []string{"list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", goRedis, "./drafts", "./beyond/fencing"}
	for _, folder := range folders(t) {
		args = append(args, "./"+folder)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, said.String())

	deps := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		deps[words[0]] = words[1:]
	}
	require.Len(t, deps, len(folders(t))+3)
	for pkg, all := range deps {
		if pkg == goRedis {
			continue
		}
		for _, dep := range all {
			if first, _, _ := strings.Cut(dep, "/"); !strings.Contains(first, ".") && first != "lockstep" {
				continue // the standard library
			}
			require.True(t, dep == goRedis || slices.Contains(deps[goRedis], dep), "%s depends on %s", pkg, dep)
		}
	}
}

// What one stage changes in the one before it is the lesson, so it is kept to be
// looked at: a reviewer sees it get noisier.
func TestDiffs(t *testing.T) {
	t.Parallel()
	all := folders(t)
	var want []string
	for i := range len(all) - 1 {
		was, is := all[i], all[i+1]
		golden := filepath.Join("testdata", "diffs", was+"-"+is+".diff")
		want = append(want, golden)
		got, err := lockstep.Diff(was+"/lock.go", is+"/lock.go")
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		text, err := os.ReadFile(golden)
		require.NoError(t, err)
		if got != string(text) {
			t.Errorf("%s is out of date (go test ./stages -update); the step is now:\n%s", golden, got)
		}
	}
	got, err := filepath.Glob("testdata/diffs/*")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// What versions say of themselves in the list is true.

// Acquire, Release and Renew are what a version sends to that end: a fault that
// waits for a command that never comes is an error of the play.
func TestCommandsAreSent(t *testing.T) {
	t.Parallel()
	for _, stage := range everyVersion() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			perform(t, stage, func(s *scene) {
				a := s.client("A")
				expect := func(command string) {
					if command != "" {
						a.Delay(command, time.Millisecond)
					}
				}

				expect(stage.Acquire)
				a.Lock()
				s.ends(a, time.Second)
				s.NoError(a.err)
				sent := a.Sent()

				expect(stage.Renew)
				s.Sleep(lease - time.Second)
				s.Equal(stage.Renew != "", a.Sent() > sent, "what it sends while it holds the lock")

				expect(stage.Release)
				a.Unlock()
				s.ends(a, time.Second)
				s.NoError(a.err)
				s.free()
			})
		})
	}
}

// Lease means that the key has one.
func TestLeaseIsALease(t *testing.T) {
	t.Parallel()
	for _, stage := range everyVersion() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			perform(t, stage, func(s *scene) {
				a := s.client("A")
				a.Lock()
				s.NoError(a.err)
				want := faults.Never
				if stage.Lease {
					want = lease
				}
				keys := s.Keys()
				if stage.Acquire != "" {
					s.Len(keys, 1)
				}
				for _, k := range keys {
					s.Equal(want, k.Ends)
				}
			})
		})
	}
}

var stageName = regexp.MustCompile(`^v[0-9]+_[a-z_]+$|^[a-z_]+$`)

// The list says what each version adds, and from where a draft is.
func TestListIsComplete(t *testing.T) {
	t.Parallel()
	for _, stage := range everyVersion() {
		require.Regexp(t, stageName, stage.Name)
		require.Equal(t, stage.Name, stage.String())
		require.NotEmpty(t, stage.Adds)
		require.NotNil(t, stage.New)
		require.Equal(t, stage.Acquire == "", stage.Release == "", "%s takes the lock somewhere else than it frees it", stage)
	}
	for _, stage := range stages.All() {
		require.Empty(t, stage.Draft, "%s is no draft", stage)
		require.Empty(t, stage.Like)
	}
	for _, stage := range stages.Drafts() {
		require.Equal(t, stage.Name != stages.V5Watch.Name, stage.Draft != "", "%s: where is it from?", stage)
	}
}

// A caller's bracket is Do, unless the version has one of its own.
func TestBracket(t *testing.T) {
	t.Parallel()
	for _, stage := range everyVersion() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			perform(t, stage, func(s *scene) {
				a := s.client("A")
				var answer string
				a.Do("sell", func(ctx context.Context) {
					answer, a.err = stage.Bracket(ctx, a.lock, func(context.Context) (string, error) { return "sold", nil })
				})
				s.NoError(a.err)
				s.Equal("sold", answer)
				s.free()
			})
		})
	}
}
