package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// texts reads every document and every Go file, by its path from the root.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return filepath.SkipDir
		case d.IsDir() && path == filepath.Join(root, "vendor"):
			return filepath.SkipDir // others', for a room without a network
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		case filepath.Ext(path) != ".md" && filepath.Ext(path) != ".go":
			return nil
		case filepath.Ext(path) == ".go" && strings.HasPrefix(path, filepath.Join(root, "exercises")+string(filepath.Separator)):
			return nil // what a learner is writing
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	runCommand = regexp.MustCompile(`go test (?:-\w+ )*\./([\w/]+)(?: -\w+)* -run '?([^'\s` + "`" + `,;)]+)`)
	testFunc   = regexp.MustCompile(`(?m)^func (Test\w+)`)
)

// A mistyped -run prints "no tests to run" and passes. So every one that a text
// names is looked up here.
func TestEveryRunInATextNamesATest(t *testing.T) {
	seen := 0
	for file, text := range texts(t) {
		for _, m := range runCommand.FindAllStringSubmatch(text, -1) {
			folder, pattern := m[1], m[2]
			if strings.ContainsAny(pattern, "%$") || folder == "..." {
				continue // filled in elsewhere
			}
			seen++
			test, half, _ := strings.Cut(pattern, "/")
			if !matchesTest(t, folder, test) {
				t.Errorf("%s: %q runs no test", file, m[0])
			}
			if half = path.Base(half); half != "." && !isFolder(half) {
				t.Errorf("%s: %q runs no half of a lesson", file, m[0])
			}
		}
	}
	if seen == 0 {
		t.Error("no text names a test at all: is the pattern out of date?")
	}
}

func matchesTest(t *testing.T, folder, pattern string) bool {
	t.Helper()
	re, err := regexp.Compile(pattern)
	if err != nil {
		return false
	}
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range testFunc.FindAllStringSubmatch(string(source), -1) {
			if re.MatchString(f[1]) {
				return true
			}
		}
	}
	return false
}

func isFolder(name string) bool {
	info, err := os.Stat(filepath.Join(root, name))
	return err == nil && info.IsDir()
}

var (
	makeCommand = regexp.MustCompile("(?m)(?:^ {4,}|`)make ([a-z-]+)")
	makeTarget  = regexp.MustCompile(`(?m)^([a-z-]+):`)
	link        = regexp.MustCompile(`\]\(([^)#:]+)\)`)
	inFolder    = regexp.MustCompile("`((?:[a-z0-9_]+/)+[a-z_]*(?:\\.[a-z]+)?)`")
)

// Every make target, link and file that a document names is there.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
		targets[m[1]] = true
	}
	for path, text := range texts(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		for _, m := range makeCommand.FindAllStringSubmatch(text, -1) {
			if !targets[m[1]] {
				t.Errorf("%s: there is no %q", path, "make "+m[1])
			}
		}
		names := append(link.FindAllStringSubmatch(text, -1), inFolder.FindAllStringSubmatch(text, -1)...)
		for _, m := range names {
			if strings.Contains(m[1], "your_") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil && !isStandard(m[1]) {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
	}
}

func TestFill(t *testing.T) {
	const before, after = "one\n<!-- lockstep: stages -->\n", "<!-- end -->\ntwo\n"
	got, err := fill(before + "old\n" + after)
	if err != nil {
		t.Fatal(err)
	}
	if got != before+steps()+after {
		t.Errorf("got:\n%s", got)
	}
	for _, bad := range []string{
		"<!-- lockstep: stages -->\nnot closed",
		"<!-- lockstep: nonsense -->\n<!-- end -->",
		"<!-- lockstep: timeline MisDelete v9_magic -->\n<!-- end -->",
		"<!-- lockstep: mermaid MisDelete -->\n<!-- end -->",
		"<!-- lockstep: mermaid Mischief v3_expire -->\n<!-- end -->",
		"<!-- lockstep: code -->\n<!-- end -->",
		"<!-- lockstep: code v4_owner/lock.go Relock -->\n<!-- end -->",
		"<!-- lockstep: code v4_owner/doc.go -->\n<!-- end -->",
		"<!-- lockstep: code v4_owner/key.go -->\n<!-- end -->",
		"<!-- lockstep: diff v3_expire v9_magic -->\n<!-- end -->",
		"<!-- lockstep: breaks v9_magic -->\n<!-- end -->",
		"<!-- lockstep: demands v9_magic -->\n<!-- end -->",
		"<!-- lockstep: costs v9_magic -->\n<!-- end -->",
		"<!-- lockstep: costs -->\n<!-- end -->",
		"<!-- lockstep: run rm -r . -->\n<!-- end -->",
		"<!-- lockstep: exercise e4_owner -->\n<!-- end -->",
		"<!-- lockstep: exercise e4_owner StopTheWorld -->\n<!-- end -->",
		"<!-- lockstep: exercise e4_owner FreeLock -->\n<!-- end -->",
		"<!-- lockstep: beyond fencing MisDelete -->\n<!-- end -->",
		"<!-- lockstep: beyond fencing -->\n<!-- end -->",
		"<!-- lockstep: exercise e9_magic MisDelete -->\n<!-- end -->",
	} {
		if _, err := fill(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
