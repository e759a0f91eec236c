package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/faults"
)

// typed is a command of a document as a reader types it, and what the text promises of
// it in a comment after the commands:
//
//	go test ./v4_owner -run MisDelete
//
//	<!-- expect: red "A deleted B's lock" -->
//
// The promise is green or red (a diff of two files that differ is red), and each sentence in quotes
// must be in the output. One comment is for all commands of its block; as many as
// there are commands are for one each. Without a comment, and within a sentence,
// a test or a diff may come out either way, but it must be there.
type typed struct {
	file, line string
	inText     bool // within a sentence
	outcome    string
	sentences  []string
}

var (
	commandLine   = regexp.MustCompile(`^ {4,}((?:go|make|diff|lockstep)(?: .*)?)$`)
	commandInText = regexp.MustCompile("`((?:go test|go doc|diff) [^`]+)`")
	promise       = regexp.MustCompile(`^<!-- expect: (green|red)((?: "[^"]+")*) -->$`)
	sentence      = regexp.MustCompile(`"([^"]+)"`)
	remark        = regexp.MustCompile(`\s{2,}#.*$`)
	shell         = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	fence         = regexp.MustCompile("(?ms)^```.*?^```$")
	otherBlock    = regexp.MustCompile(`(?s)<!-- lockstep: .*?<!-- end -->`)
)

// commandsIn reads the commands of a document.
func commandsIn(file, text string) ([]typed, error) {
	text = otherBlock.ReplaceAllString(text, "")
	text = shell.ReplaceAllStringFunc(text, func(lines string) string {
		return "    " + strings.ReplaceAll(shell.FindStringSubmatch(lines)[1], "\n", "\n    ")
	})
	text = fence.ReplaceAllString(text, "")
	var all []typed
	var group, promised []typed
	end := func() error {
		if len(promised) > 0 && len(promised) != 1 && len(promised) != len(group) {
			return fmt.Errorf("%s: %d promises for the %d commands that begin with %q", file, len(promised), len(group), group[0].line)
		}
		for i, c := range group {
			if len(promised) > 0 {
				p := promised[min(i, len(promised)-1)]
				c.outcome, c.sentences = p.outcome, p.sentences
			}
			all = append(all, c)
		}
		group, promised = nil, nil
		return nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if m := commandLine.FindStringSubmatch(line); m != nil {
			if len(promised) > 0 {
				if err := end(); err != nil {
					return nil, err
				}
			}
			group = append(group, typed{file: file, line: remark.ReplaceAllString(m[1], "")})
			continue
		}
		if m := promise.FindStringSubmatch(line); m != nil {
			p := typed{outcome: m[1]}
			for _, q := range sentence.FindAllStringSubmatch(m[2], -1) {
				p.sentences = append(p.sentences, q[1])
			}
			if len(group) == 0 {
				return nil, fmt.Errorf("%s: %q follows no command", file, line)
			}
			promised = append(promised, p)
			continue
		}
		if strings.HasPrefix(line, "<!-- expect") {
			return nil, fmt.Errorf("%s: %q is no promise", file, line)
		}
		if line == "" {
			continue
		}
		if err := end(); err != nil {
			return nil, err
		}
		for _, m := range commandInText.FindAllStringSubmatch(line, -1) {
			all = append(all, typed{file: file, line: m[1], inText: true})
		}
	}
	return all, end()
}

func TestCommandsIn(t *testing.T) {
	text := "Say `go doc ./a` or:\n\n    go test ./a -run B   # see it\n    make\n\n<!-- expect: red \"one\" \"two\" -->\n<!-- expect: green -->\n" +
		"<!-- lockstep: x -->\n    go test ./c\n<!-- end -->\n\n```\n    make it\n```\nand\n\n    diff a b\n    more\n"
	got, err := commandsIn("x.md", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []typed{
		{file: "x.md", line: "go doc ./a", inText: true},
		{"x.md", "go test ./a -run B", false, "red", []string{"one", "two"}},
		{"x.md", "make", false, "green", nil},
		{file: "x.md", line: "diff a b"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
	for _, bad := range []string{
		"<!-- expect: green -->",
		"    make\n\n<!-- expect: nothing -->",
		"    make\n    make\n    make\n\n<!-- expect: green -->\n<!-- expect: green -->\n",
	} {
		if _, err := commandsIn("x.md", bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// allEnv is the environment variable that has the tests run the documents' commands,
// and mark programs: they build for as long as all other tests together take.
const allEnv = "LOCKSTEP_TEST_ALL"

// skipHere says why commands are not run in this run of the tests.
func skipHere() string {
	switch {
	case os.Getenv(allEnv) == "":
		return "they take long; " + allEnv + "=1 runs them"
	case raced:
		return "the race detector looks at this program, not at those that it starts"
	case os.Getenv(faults.ServerEnv) != "":
		return "the reader's commands run on the embedded server"
	}
	return ""
}

// skipTexts leaves out what looks at texts: the race detector sees no more in them
// than in the scripts, and on a real server they are the same.
func skipTexts(t *testing.T) {
	t.Helper()
	if raced || os.Getenv(faults.ServerEnv) != "" {
		t.Skip("the text is the same without the race detector, and on every server")
	}
}

// Every command of every document does what its text promises.
func TestCommandsOfTheDocuments(t *testing.T) {
	t.Parallel()
	var all []typed
	for path, text := range texts(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		found, err := commandsIn(strings.TrimPrefix(path, root+"/"), text)
		if err != nil {
			t.Error(err)
		}
		all = append(all, found...)
	}
	for _, c := range all {
		if c.file == "WALKTHROUGH.md" && c.outcome == "" && !c.inText {
			t.Errorf("%s does not say what %q promises", c.file, c.line)
		}
	}
	if why := skipHere(); why != "" {
		t.Skip(why)
	}
	bin := buildTests(t, all)
	ran := map[string]*result{}
	for _, c := range all {
		if ran[c.line] == nil {
			ran[c.line] = &result{}
		}
	}
	t.Run("run", func(t *testing.T) {
		for line, r := range ran {
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				*r = execute(t, bin, line)
			})
		}
	})
	for _, c := range all {
		if r := ran[c.line]; r.why != nil || r.notRun {
			continue // said already, or nothing to say
		} else if err := c.kept(*r); err != nil {
			t.Errorf("%s: %q %v\n%s", c.file, c.line, err, r.out)
		}
	}
}

// result is how a command ended.
type result struct {
	out    string
	status int
	why    error // it could not be run
	notRun bool  // and need not be
}

// kept reports whether a command did what was promised.
func (c typed) kept(r result) error {
	got := "green"
	if r.status != 0 {
		got = "red"
	}
	for _, sentence := range c.sentences {
		if !strings.Contains(r.out, sentence) {
			return fmt.Errorf("does not say %q", sentence)
		}
	}
	switch {
	case strings.Contains(r.out, "no tests to run"):
		return errors.New("runs no test")
	case c.outcome == got:
		return nil
	case c.outcome != "":
		return fmt.Errorf("is %s, and should be %s", got, c.outcome)
	case got == "red" && !strings.HasPrefix(c.line, "diff") && !strings.Contains(r.out, "This failure is the lesson"):
		return errors.New("fails, and not as a lesson does")
	}
	return nil
}

// suite reports whether a command is the suite itself, of which this is a test,
// or writes files, or runs what a learner has written. Tests that are no lessons
// pass in the suite as they pass alone; that they are there is checked by
// TestEveryRunInATextNamesATest.
func suite(line string) bool {
	if strings.Contains(line, "lockstep grade ") { // a class that isn't here
		return true
	}
	for _, folder := range []string{"./explore", "./faults", "./hazards", "./shop", "./stages"} {
		if strings.HasPrefix(line, "go test ") && slices.Contains(strings.Fields(line), folder) {
			return true
		}
	}
	return strings.HasSuffix(line, "lockstep docs") || strings.HasPrefix(line, "go test ") && !strings.Contains(line, " -run") ||
		slices.ContainsFunc(elsewhere, func(part string) bool { return strings.Contains(line, part) })
}

// elsewhere are parts of commands that have tests of their own, or none that
// could run here: they run learners' code, or write into the checkout.
var elsewhere = []string{
	"./...", "./exercises/", "./cmd/lockstep exercise", "./cmd/lockstep grade", "./cmd/lockstep ready",
	"go work ", "-update", "-fuzz",
}

// buildTests builds the tests that commands run, once for each package: what go
// test does each time, and what takes its time.
func buildTests(t *testing.T, all []typed) (bin string) {
	t.Helper()
	bin = t.TempDir()
	args := []string{"test", "-c", "-ldflags=-s -w", "-o", bin + "/"} // quicker without symbols
	for _, c := range all {
		if folder := testFolder(c.line); folder != "" && !suite(c.line) && !slices.Contains(args, folder) {
			args = append(args, folder)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// testFolder is the one folder whose tests a command runs: ./v4_owner.
func testFolder(line string) string {
	if !strings.HasPrefix(line, "go test ") {
		return ""
	}
	for word := range strings.FieldsSeq(line) {
		if strings.HasPrefix(word, "./") {
			return word
		}
	}
	return ""
}

// execute runs a command from the root, as it stands.
func execute(t *testing.T, bin, line string) result {
	t.Helper()
	words := split(line)
	dir := root
	switch {
	case suite(line):
		return result{notRun: true}
	case words[0] == "make":
		if _, err := exec.LookPath("make"); err != nil {
			t.Skip("there is no make here")
		}
		if len(words) > 1 && words[1] != "bug" { // the suite, or tools that take minutes
			words = slices.Insert(words, 1, "-n")
		}
	case strings.HasPrefix(line, "go run ./cmd/lockstep"):
		words = append([]string{"lockstep"}, words[3:]...) // this binary, by TestMain
	case testFolder(line) != "":
		// The flags of go test are those of the binary, with "test." before them.
		folder := testFolder(line)
		run := []string{filepath.Join(bin, filepath.Base(folder)+".test")}
		for _, word := range words[2:] {
			if word == folder {
				continue
			}
			if flag, ok := strings.CutPrefix(word, "-"); ok {
				word = "-test." + flag
			}
			run = append(run, word)
		}
		words, dir = run, filepath.Join(root, folder)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LOCKSTEP_LESSONS=", "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	r := result{out: out.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.status = exit.ExitCode()
	case err != nil:
		r.why = err
		t.Error(err)
	}
	return r
}

// split splits a command as a shell does: at spaces, but not within '…'.
func split(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// What the tests above take for go test is what go test does.
func TestGoTestAsItStands(t *testing.T) {
	t.Parallel()
	if why := skipHere(); why != "" {
		t.Skip(why)
	}
	out, err := output(strings.Fields("go test ./v4_owner -run MisDelete"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A deleted B's lock", "This failure is the lesson", "FAIL\tlockstep/v4_owner\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}
