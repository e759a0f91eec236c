package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
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

// A class of nine exercises and long names fits the screen, and its columns stand
// below each other, in wide letters too.
func TestGradeTableFits(t *testing.T) {
	t.Parallel()
	var class []submission
	for _, name := range []string{"a-name-that-is-longer-than-any-column-could-be", "这是一个比任何一列都要长的名字啊", "anna", "安娜"} {
		s := submission{Name: name}
		for _, e := range workshop.All() {
			s.Marks = append(s.Marks, marking.Mark{Exercise: e.Name, Outcome: marking.Fails, Checks: []marking.Check{{Name: "RecursionOverflow"}}})
		}
		class = append(class, s)
	}
	for line := range strings.Lines(gradeTable(class)) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, lipgloss.Width(line), wide, line)
		if before, _, ok := strings.Cut(line, "✗"); ok {
			require.Equal(t, mostName+2, lipgloss.Width(before), line)
		}
	}
}
