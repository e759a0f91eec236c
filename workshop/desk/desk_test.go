package desk

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// atDesk is a checkout with all exercises as they come, and a marker that has
// what a lock.go says for its outcome, and counts how often it is asked.
func atDesk(t *testing.T) (d *Desk, runs *int) {
	t.Helper()
	root := t.TempDir()
	put(t, filepath.Join(root, "go.mod"), "module lockstep\n")
	put(t, filepath.Join(root, "hazards", "all.go"), "package hazards\n")
	put(t, filepath.Join(root, Folder, "go.mod"), "module lockstep/exercises\n")
	for _, e := range workshop.All() {
		put(t, filepath.Join(root, Folder, e.Name, "lock.go"), workshop.Starter(e.Name))
		put(t, filepath.Join(root, Folder, e.Name, "lock_test.go"), "package x\n")
	}
	runs = new(int)
	d, err := At(root)
	require.NoError(t, err)
	d.Examine = func(_ context.Context, e workshop.Exercise, dir string) (marking.Mark, error) {
		*runs++
		text, err := os.ReadFile(filepath.Join(dir, "lock.go"))
		return marking.Mark{Exercise: e.Name, Outcome: marking.Outcome(text)}, err
	}
	return d, runs
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// write has the learner write a lock that the marker finds so.
func (d *Desk) solve(t *testing.T, e workshop.Exercise, outcome marking.Outcome) {
	t.Helper()
	put(t, d.File(e, "lock.go"), string(outcome))
}

func (d *Desk) outcome(t *testing.T, e workshop.Exercise) marking.Outcome {
	t.Helper()
	mark, err := d.Mark(t.Context(), e)
	require.NoError(t, err)
	return mark.Outcome
}

func TestAStarterFailsWithoutARun(t *testing.T) {
	t.Parallel()
	d, runs := atDesk(t)
	require.Equal(t, marking.Untouched, d.outcome(t, workshop.E4))
	require.Zero(t, *runs)
}

// A mark is remembered as long as nothing changes that it depends on.
func TestMarksAreRemembered(t *testing.T) {
	t.Parallel()
	d, runs := atDesk(t)
	d.solve(t, workshop.E4, marking.Passes)
	require.Equal(t, marking.Passes, d.outcome(t, workshop.E4))
	require.Equal(t, marking.Passes, d.outcome(t, workshop.E4))
	require.Equal(t, 1, *runs)

	// Somebody who comes back tomorrow goes on where they were.
	again, err := At(d.Root)
	require.NoError(t, err)
	require.Equal(t, marking.Passes, again.outcome(t, workshop.E4))
	require.Equal(t, 1, *runs)

	// What it does not depend on.
	put(t, d.File(workshop.E5, "lock.go"), "package luarelease\n")
	put(t, filepath.Join(d.Root, "README.md"), "# Lockstep\n")
	put(t, d.File(workshop.E4, ".lock.go.swp"), "vim is here")
	require.Equal(t, marking.Passes, d.outcome(t, workshop.E4))
	require.Equal(t, 1, *runs)

	// What it depends on: a green lock that is broken is not green.
	for i, file := range []string{
		d.File(workshop.E4, "token.go"),
		d.File(workshop.E4, "lock_test.go"),
		filepath.Join(d.Root, "hazards", "mis_delete.go"),
		filepath.Join(d.Root, "go.sum"),
		filepath.Join(d.Exercises(), "go.sum"),
	} {
		put(t, file, "package more\n")
		require.Equal(t, marking.Passes, d.outcome(t, workshop.E4))
		require.Equal(t, 2+i, *runs, file)
	}
	d.solve(t, workshop.E4, marking.Fails)
	require.Equal(t, marking.Fails, d.outcome(t, workshop.E4))
}

// A memory that makes no sense is no memory.
func TestABadMemoryIsIgnored(t *testing.T) {
	t.Parallel()
	d, runs := atDesk(t)
	d.solve(t, workshop.E4, marking.Fails)
	for i, text := range []string{"", "{", "[]", `{"Of": "another", "Mark": {"Outcome": "passes"}}`} {
		put(t, d.kept(workshop.E4, "mark.json"), text)
		require.Equal(t, marking.Fails, d.outcome(t, workshop.E4), text)
		require.Equal(t, 1+i, *runs)
	}
	put(t, d.kept(workshop.E4, "hints"), "many")
	require.Zero(t, d.Revealed(workshop.E4, 3))
	put(t, d.kept(workshop.E4, "hints"), "99999")
	require.Equal(t, 3, d.Revealed(workshop.E4, 3))
}

// Where nothing can be remembered, there is a result all the same.
func TestAMemoryThatCantBeWritten(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	put(t, filepath.Join(d.Exercises(), memory), "in the way")
	d.solve(t, workshop.E4, marking.Passes)
	mark, err := d.Mark(t.Context(), workshop.E4)
	require.ErrorIs(t, err, ErrForgets)
	require.Equal(t, marking.Passes, mark.Outcome)
	_, err = d.Reveal(workshop.E4, 3)
	require.ErrorIs(t, err, ErrForgets)
}

// What was saved during a run is not what was run.
func TestASaveDuringARun(t *testing.T) {
	t.Parallel()
	d, runs := atDesk(t)
	d.solve(t, workshop.E4, marking.Passes)
	mark := d.Examine
	d.Examine = func(ctx context.Context, e workshop.Exercise, dir string) (marking.Mark, error) {
		m, err := mark(ctx, e, dir)
		if *runs == 1 {
			d.solve(t, workshop.E4, marking.Fails)
		}
		return m, err
	}
	require.Equal(t, marking.Passes, d.outcome(t, workshop.E4))
	_, green := d.Green(workshop.E4)
	require.False(t, green, "nobody knows what passed")
	require.Equal(t, marking.Fails, d.outcome(t, workshop.E4))
}

func TestNext(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	next := func() string {
		e, ok, err := d.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, ok, e.Name != "")
		return e.Name
	}
	require.Equal(t, "e1_setnx", next())
	d.solve(t, workshop.E1, marking.Passes)
	require.Equal(t, "e2_spin", next())
	d.solve(t, workshop.E2, marking.DoesNotBuild)
	require.Equal(t, "e2_spin", next())

	// Who skips one comes back to it.
	require.NoError(t, d.Skip(workshop.E2))
	require.True(t, d.Skipped(workshop.E2))
	require.Equal(t, "e3_expire", next())
	for _, e := range workshop.All()[2:] {
		d.solve(t, e, marking.Passes)
	}
	require.Equal(t, "e2_spin", next())
	d.solve(t, workshop.E2, marking.Passes)
	require.Empty(t, next())

	// And what is green today may be red tomorrow.
	d.solve(t, workshop.E3, marking.Fails)
	require.Equal(t, "e3_expire", next())

	require.NoError(t, d.Resume(workshop.E2))
	require.NoError(t, d.Resume(workshop.E2))
	require.False(t, d.Skipped(workshop.E2))
}

func TestHintsAreRevealedOneByOne(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	for _, want := range []int{1, 2, 3, 3, 3} {
		got, err := d.Reveal(workshop.E4, 3)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, want, d.Revealed(workshop.E4, 3))
	}
	require.Zero(t, d.Revealed(workshop.E5, 3))
}

// The version that last passed is kept, whatever comes after.
func TestGreen(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	d.solve(t, workshop.E4, marking.Fails)
	d.outcome(t, workshop.E4)
	_, ok := d.Green(workshop.E4)
	require.False(t, ok)

	put(t, d.File(workshop.E4, "token.go"), "package owner\n")
	d.solve(t, workshop.E4, marking.Passes)
	d.outcome(t, workshop.E4)
	d.solve(t, workshop.E4, marking.Fails)
	require.NoError(t, os.Remove(d.File(workshop.E4, "token.go")))
	d.outcome(t, workshop.E4)
	green, ok := d.Green(workshop.E4)
	require.True(t, ok)
	require.Equal(t, string(marking.Passes), read(t, filepath.Join(green, "lock.go")))
	require.FileExists(t, filepath.Join(green, "token.go"))

	// The next one stands in for it, whole.
	d.solve(t, workshop.E4, marking.Passes)
	d.outcome(t, workshop.E4)
	require.NoFileExists(t, filepath.Join(green, "token.go"))
}

// A reset takes nothing from anybody.
func TestReset(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	_, err := d.Reset(workshop.E4)
	require.ErrorIs(t, err, ErrUntouched)

	put(t, d.File(workshop.E4, "lock.go"), "first")
	put(t, d.File(workshop.E4, "README.md"), "the story")
	put(t, d.File(workshop.E4, "token.go"), "mine")
	put(t, d.File(workshop.E4, "below/more.go"), "mine too")
	first, err := d.Reset(workshop.E4)
	require.NoError(t, err)
	require.Equal(t, workshop.Starter(workshop.E4.Name), read(t, d.File(workshop.E4, "lock.go")))
	require.Equal(t, "the story", read(t, d.File(workshop.E4, "README.md")))
	require.NoFileExists(t, d.File(workshop.E4, "token.go"))
	require.NoDirExists(t, d.File(workshop.E4, "below"))
	require.Equal(t, marking.Untouched, d.outcome(t, workshop.E4))

	put(t, d.File(workshop.E4, "lock.go"), "second")
	second, err := d.Reset(workshop.E4)
	require.NoError(t, err)
	require.Equal(t, "second", read(t, filepath.Join(second, "lock.go")))
	require.Equal(t, "first", read(t, filepath.Join(first, "lock.go")))
	require.Equal(t, "mine", read(t, filepath.Join(first, "token.go")))
	require.Equal(t, "mine too", read(t, filepath.Join(first, "below", "more.go")))
}

// What is lost is missed, and how to get it back is said.
func TestLost(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	for lost, back := range map[string]string{
		"lock.go":      "lockstep exercise reset e4_owner brings the starter back",
		"lock_test.go": "git checkout -- exercises/e4_owner/lock_test.go",
		"":             "git checkout -- exercises/e4_owner",
	} {
		require.NoError(t, os.RemoveAll(d.File(workshop.E4, lost)))
		_, err := d.Mark(t.Context(), workshop.E4)
		require.ErrorIs(t, err, ErrLost)
		require.ErrorContains(t, err, back)
		put(t, d.File(workshop.E4, "lock.go"), "found")
		put(t, d.File(workshop.E4, "lock_test.go"), "package x\n")
	}

	// A reset needs nothing but the starter.
	require.NoError(t, os.RemoveAll(d.File(workshop.E4, "")))
	_, err := d.Reset(workshop.E4)
	require.NoError(t, err)
	require.Equal(t, workshop.Starter(workshop.E4.Name), read(t, d.File(workshop.E4, "lock.go")))
}

// Without a backup there is no reset.
func TestResetThatCantKeepABackup(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	put(t, filepath.Join(d.Exercises(), memory), "in the way")
	put(t, d.File(workshop.E4, "lock.go"), "mine")
	_, err := d.Reset(workshop.E4)
	require.Error(t, err)
	require.Equal(t, "mine", read(t, d.File(workshop.E4, "lock.go")))
}

func TestAt(t *testing.T) {
	t.Parallel()
	d, _ := atDesk(t)
	within, err := At(d.File(workshop.E4, ""))
	require.NoError(t, err)
	require.Equal(t, d.Root, within.Root)

	_, err = At(t.TempDir())
	require.ErrorIs(t, err, marking.ErrNoCheckout)

	require.NoError(t, os.RemoveAll(d.Exercises()))
	_, err = At(d.Root)
	require.ErrorContains(t, err, "git checkout -- exercises")
}
