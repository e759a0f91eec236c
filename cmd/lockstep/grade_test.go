package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// handedIn makes folders with a lock.go in e1_setnx.
func handedIn(t *testing.T, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range names {
		dir := filepath.Join(folder, name, "e1_setnx")
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lock.go"), []byte("package setnx\n"), 0o600))
	}
	return folder
}

// Two learners whose folders are called the same are told apart, and all stay in
// the teacher's order.
func TestSubmissions(t *testing.T) {
	t.Parallel()
	class := handedIn(t, "one/anna", "two/anna", "bela")
	var names []string
	for _, s := range submissions([]string{class + "/two/anna", class + "/bela/", class + "/one/anna"}) {
		require.True(t, s.fit())
		names = append(names, s.Name)
	}
	require.Equal(t, []string{class + "/two/anna", "bela", class + "/one/anna"}, names)
}

// What is interrupted says so, and tells what there is.
func TestGradeInterrupted(t *testing.T) {
	t.Parallel()
	folder := handedIn(t, "anna", "bela")
	class := submissions([]string{folder + "/anna", folder + "/bela"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	cmd.SetErr(&bytes.Buffer{})
	checkout, err := filepath.Abs(root)
	require.NoError(t, err)

	require.ErrorIs(t, markAll(cmd, marking.Marker{Root: checkout}, class, 2), errInterrupted)
	require.Regexp(t, `^anna: 0 of \d pass, and not all were run\.\n`, standings(class))
	require.Regexp(t, `(?m)^bela +–  –`, gradeTable(class))
}

// A class of nine exercises and long names fits the screen, in every script.
func TestGradeTableFits(t *testing.T) {
	t.Parallel()
	var class []submission
	for _, name := range []string{"a-name-that-is-longer-than-any-column-could-be", "王小明", "\x1b[2J\tname"} {
		s := submission{Name: name}
		for _, e := range workshop.All() {
			s.Marks = append(s.Marks, marking.Mark{
				Exercise: e.Name, Outcome: marking.Fails,
				Checks: []marking.Check{{Name: "RecursionOverflow", Outcome: marking.Fails, Said: "✗ " + strings.Repeat("lost ", 30)}},
			})
		}
		class = append(class, s)
	}
	text := gradeTable(class) + standings(class)
	require.NotContains(t, text, "\x1b")
	at := map[int]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, lipgloss.Width(line), wide, line)
		if before, _, ok := strings.Cut(line, "✗"); ok {
			at[lipgloss.Width(before)] = true
		}
	}
	require.Len(t, at, 1, "the marks stand in columns")
}
