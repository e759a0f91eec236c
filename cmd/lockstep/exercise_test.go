package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"lockstep/workshop"
)

// aCheck is a check of a checkout below. What passes has its seal, as the marker
// wants it.
const aCheck = `
func Test%[1]s(t *testing.T) {
	if strings.Contains(Fails, %[1]q) {
		fmt.Fprint(t.Output(), "\n%[1]s: the story\n\ntime    A     B\n✗ here\n")
		t.Fail()
		return
	}
	fmt.Fprintf(t.Output(), "\n%[2]s\n", os.Getenv(%[3]q))
}
`

// checkout makes a checkout that has exercises and next to nothing else, so that
// they are built in no time. A lock fails the checks that it names in a constant.
func checkout(root string) error {
	var failed error
	put := func(path, text string) {
		path = filepath.Join(root, path)
		failed = errors.Join(failed, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	put("go.mod", "module lockstep\n\ngo 1.26.0\n")
	put("go.work", "go 1.26.0\n\nuse (\n\t.\n\t./exercises\n)\n")
	put("exercises/go.mod", "module lockstep/exercises\n\ngo 1.26.0\n")
	for _, e := range workshop.All() {
		starter := workshop.Starter(e.Name)
		clause := regexp.MustCompile(`(?m)^package \w+$`).FindString(starter)
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n)\n", clause)
		for _, c := range e.Checks() {
			fmt.Fprintf(&b, aCheck, c.Name, workshop.Sealed("%s", c.Name), workshop.SealEnv)
		}
		put("exercises/"+e.Name+"/lock.go", starter)
		put("exercises/"+e.Name+"/lock_test.go", b.String())
		put("exercises/"+e.Name+"/README.md", "# "+e.Name+"\n\nThe story.\n\n<!-- lockstep: exercise -->\n```text\ntime    A     B\n```\n<!-- end -->\n")
	}
	put("v1_setnx/lock.go", "package setnx\n")
	return failed
}

// makeCheckout is the command for scripts. Go needs to know where its cache is,
// because scripts have no home.
func makeCheckout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkout folder")
	}
	ts.Check(checkout(ts.MkAbs(args[0])))
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		ts.Check(err)
		ts.Setenv(name, strings.TrimSpace(string(value)))
	}
}

// What a learner is told to run is there. It is only looked up: much of it would
// run exercises.
func TestExercisesNameCommandsThatAreThere(t *testing.T) {
	t.Parallel()
	l := aLearner(t)
	cmd := &cobra.Command{}
	var out strings.Builder
	cmd.SetOut(&out)
	require.NoError(t, l.list(t.Context(), cmd))
	require.Error(t, l.run(t.Context(), cmd, []string{"e1"}, false))
	l.write(t, workshop.E1, "ok")
	require.NoError(t, l.run(t.Context(), cmd, []string{"e1"}, false))
	l.write(t, workshop.E1, "ok no more")
	require.Error(t, l.run(t.Context(), cmd, []string{"e1"}, false))
	for _, e := range workshop.All() {
		l.write(t, e, "ok")
	}
	require.NoError(t, l.list(t.Context(), cmd))

	found := regexp.MustCompile(regexp.QuoteMeta(self())+` (\S+(?: \S+)*)`).FindAllStringSubmatch(out.String(), -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		cmd, rest, err := command().Find(strings.Fields(m[1]))
		require.NoError(t, err, m[0])
		if len(rest) > 0 && rest[0] == "--help" {
			continue
		}
		require.NoError(t, cmd.ParseFlags(rest), m[0])
		require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), m[0])
	}
}
