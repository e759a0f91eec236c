package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"lockstep"
	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// handIn puts a class into a folder: the text of e1's lock.go by the name of the
// learner. It returns their folders.
func handIn(t *testing.T, class map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range class {
		dir := filepath.Join(folder, name, "e1_setnx")
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lock.go"), []byte(text), 0o600))
	}
	return folder
}

// A class in a table: one who is done with the first exercise, one who has not
// begun, one who has a typing error, one whose folder is empty. None stops the
// others.
func TestGrade(t *testing.T) {
	t.Parallel()
	if why := skipHere(); why != "" {
		t.Skip(why)
	}
	solution, err := lockstep.Sources.ReadFile("v1_setnx/lock.go")
	require.NoError(t, err)
	class := handIn(t, map[string]string{
		"anna": string(solution), "bela": workshop.Starter("e1_setnx"), "carl": "package setnx\n\nfunc {\n",
	})
	nobody := t.TempDir()

	table := run(t, []string{"grade", class + "/carl", class + "/anna", class + "/bela", nobody})
	require.Regexp(t, `(?m)^submission +e1 e2 .* where it stands\n`+
		`carl +✗  –  .* e1 does not build\n`+
		`anna +✓  –  .*\n`+
		`bela +–  –  .* not begun\n`+
		`00. +–  –  .* has no exercises\n$`, table)

	var marked []submission
	require.NoError(t, json.Unmarshal([]byte(run(t, []string{"grade", "--json", class + "/carl", class + "/bela"})), &marked))
	require.Len(t, marked, 2)
	require.Equal(t, "carl", marked[0].Name)
	require.Equal(t, marking.DoesNotBuild, marked[0].Marks[0].Outcome)
	require.Contains(t, marked[0].Marks[0].Said, "exercises/e1_setnx/lock.go:3:")
	require.Zero(t, marked[1].Passes)
	require.Len(t, marked[1].Marks, len(workshop.All()))
}

func TestSubmissions(t *testing.T) {
	t.Parallel()
	class := handIn(t, map[string]string{"one/anna": "", "two/anna": "", "bela": ""})

	all, err := submissions([]string{class + "/two/anna", class + "/bela/", class + "/one/anna"})
	require.NoError(t, err)
	require.Equal(t, class+"/two/anna", all[0].Name)
	require.Equal(t, "bela", all[1].Name)
	require.Equal(t, class+"/one/anna", all[2].Name)

	_, err = submissions([]string{class + "/bela", class + "/nobody"})
	require.EqualError(t, err, `there is no folder "`+class+`/nobody"`)
	_, err = submissions([]string{class + "/bela/e1_setnx/lock.go"})
	require.ErrorContains(t, err, "is no folder")
}

// A class of nine exercises and long names fits the screen.
func TestGradeTableFits(t *testing.T) {
	t.Parallel()
	s := submission{Name: "a-name-that-is-longer-than-any-column-could-be"}
	for _, e := range workshop.All() {
		s.Marks = append(s.Marks, marking.Mark{Exercise: e.Name, Outcome: marking.Fails, Checks: []marking.Check{{Name: "RecursionOverflow"}}})
	}
	for line := range strings.Lines(gradeTable([]submission{s})) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), wide+1, line)
	}
}
