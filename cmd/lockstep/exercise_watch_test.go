package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"lockstep/workshop"
	"lockstep/workshop/desk"
	"lockstep/workshop/marking"
)

// aLearner sits at a desk with all exercises as they come. What the marker finds
// is what a lock.go says: ok, or what is wrong with it.
func aLearner(t *testing.T) learner {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, checkout(root))
	d, err := desk.At(root)
	require.NoError(t, err)
	d.Examine = func(_ context.Context, e workshop.Exercise, dir string) (marking.Mark, error) {
		text, err := os.ReadFile(filepath.Join(dir, "lock.go"))
		mark := marking.Mark{Exercise: e.Name, Outcome: marking.Passes}
		for i, c := range e.Checks() {
			mark.Checks = append(mark.Checks, marking.Check{Name: c.Name, Outcome: marking.Passes})
			if i == 0 && string(text) != "ok" {
				mark.Outcome, mark.Checks[0].Outcome, mark.Checks[0].Said = marking.Fails, marking.Fails, aTimeline
			}
		}
		if string(text) == "no Go" {
			mark = marking.Mark{Exercise: e.Name, Outcome: marking.DoesNotBuild, Said: "exercises/" + e.Name + "/lock.go:3:1: syntax error"}
		}
		return mark, err
	}
	return learner{d, root}
}

const aTimeline = `MisDelete: A unlocks after its lease has ended, and deletes B's lock.

time    A     B     C                                  lock:stock
0s      SET lock:stock a EX 30 NX → OK                 a, 30s left
31s     DEL lock:stock → 1                             free
        ✗ A deleted B's lock
✗ B and C are both inside: A deleted B's lock`

func (l learner) write(t *testing.T, e workshop.Exercise, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(l.File(e, "lock.go"), []byte(text), 0o644))
}

// tried is a watching learner without a terminal. It runs the
// commands of the model one after the other.
type tried struct {
	*watching
	t       *testing.T
	printed strings.Builder
	over    bool
}

func tryIt(t *testing.T, l learner) *tried {
	t.Helper()
	noSave := func(context.Context) ([]string, error) { return nil, context.Canceled }
	return &tried{t: t, watching: &watching{
		learner: l, ctx: t.Context(), exercise: workshop.E1, saved: noSave, wide: 80, high: 24,
	}}
}

func (w *tried) send(msg tea.Msg) {
	_, cmd := w.Update(msg)
	w.do(cmd)
}

func (w *tried) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		w.over = true
	default:
		// Batches and sequences are slices of commands, and what Println says
		// has no name outside of its package.
		v := reflect.ValueOf(msg)
		switch {
		case v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]():
			for i := range v.Len() {
				w.do(v.Index(i).Interface().(tea.Cmd))
			}
		case v.Type().Name() == "printLineMessage":
			w.printed.WriteString(strings.Trim(fmt.Sprint(msg), "{}") + "\n")
		default:
			w.send(msg)
		}
	}
}

// press presses keys, and returns what was printed then.
func (w *tried) press(keys string) string {
	w.printed.Reset()
	for _, key := range keys {
		w.send(tea.KeyPressMsg{Code: key, Text: string(key)})
	}
	return w.printed.String()
}

// save saves a lock.go, and returns what was printed then.
func (w *tried) save(e workshop.Exercise, text string) string {
	w.t.Helper()
	w.printed.Reset()
	w.write(w.t, e, text)
	w.send(savedMsg{folders: []string{e.Name}})
	return w.printed.String()
}

func TestWatching(t *testing.T) {
	t.Parallel()
	w := tryIt(t, aLearner(t))

	// It begins with a run, and shows all that the check has said.
	w.do(w.Init())
	require.Contains(t, w.printed.String(), aTimeline)
	require.Contains(t, w.View().Content, "Save exercises/e1_setnx/lock.go to run it.")
	require.Contains(t, w.View().Content, fmt.Sprintf("  0 of %d done", len(workshop.All())))
	require.Contains(t, w.View().Content, "h hint  s skip  l list  r run  q quit")

	// What the compiler says comes first.
	require.True(t, strings.HasPrefix(w.save(workshop.E1, "no Go"),
		"\n── run 2: e1_setnx ──\n\nexercises/e1_setnx/lock.go:3:1: syntax error\n"))

	// A lock that passes: and on to the next.
	require.Contains(t, w.save(workshop.E1, "ok"), "✓ e1_setnx passes all of its")
	require.Contains(t, w.View().Content, fmt.Sprintf("–  1 of %d done", len(workshop.All())))
	require.Contains(t, w.View().Content, "n next")
	require.Contains(t, w.press("n"), "The next one is e2_spin:")
	require.Contains(t, w.View().Content, "Save exercises/e2_spin/lock.go to run it.")
	require.Contains(t, w.press("n"), "e2_spin is the next one")

	// Skipped is not done.
	require.Contains(t, w.press("s"), "The next one is e3_expire:")
	require.Contains(t, w.View().Content, "  1 of ")
	require.Contains(t, w.press("l"), "– e2_spin            skipped\n")

	// Who saves another exercise means that one.
	require.Contains(t, w.save(workshop.E6, "almost"), "── run 6: e6_reentrant_hash ──")
	require.Contains(t, w.press("r"), "── run 7: e6_reentrant_hash ──")

	// Hints come one by one.
	require.NotContains(t, w.press("h"), "Hint 2")
	require.Contains(t, w.press("h"), "Hint 2")

	// All others are done: what was skipped is left.
	for _, e := range workshop.All() {
		if e.Name != workshop.E2.Name {
			w.save(e, "ok")
		}
	}
	require.Contains(t, w.press("n"), "The next one is e2_spin:")
	require.Contains(t, w.press("s"), "e2_spin is the first of those that are left:")
	w.save(workshop.E2, "ok")
	require.Contains(t, w.press("n"), fmt.Sprintf("✓ All %d exercises pass.", len(workshop.All())))

	w.press("q")
	require.True(t, w.over)
	require.Empty(t, w.View().Content, "what is drawn goes; what is printed stays")
}

// What ends a program early is shown behind the first check that failed before:
// that may well be why.
func TestAnEarlyEnd(t *testing.T) {
	t.Parallel()
	mark := marking.Mark{Outcome: marking.GaveUp, Said: "Schedules: ✗ it takes too long.", Checks: []marking.Check{
		{Name: "Crash", Outcome: marking.Passes},
		{Name: "MisDelete", Outcome: marking.Fails, Said: aTimeline},
		{Name: "GCPause", Outcome: marking.Fails, Said: "GCPause: the story"},
		{Name: "Schedules", Outcome: marking.NotRun},
	}}
	said := func(all bool) string {
		p := page{wide: wide}
		aLearner(t).came(&p, workshop.E4, mark, all)
		return p.String()
	}
	end := "Schedules: ✗ it takes too long.\n\n✗ e4_owner ended early: of the checks before that, 1 passed and 2 did not.\n"
	require.Equal(t, aTimeline+"\n\n"+end, said(false))
	require.Equal(t, aTimeline+"\n\nGCPause: the story\n\n"+end, said(true))
}

// A save during a run ends it: what comes of it is of no interest any more.
func TestASaveEndsTheRun(t *testing.T) {
	t.Parallel()
	l := aLearner(t)
	examine, began := l.Examine, make(chan struct{})
	l.Examine = func(ctx context.Context, e workshop.Exercise, dir string) (marking.Mark, error) {
		close(began)
		<-ctx.Done()
		return marking.Mark{}, ctx.Err()
	}
	w := tryIt(t, l)
	first, came := w.start(), make(chan tea.Msg)
	go func() { came <- first() }() // ends with the run
	<-began
	require.Contains(t, w.View().Content, "e1_setnx is built and run")
	l.Desk.Examine = examine
	require.Contains(t, w.save(workshop.E1, "ok"), "✓ e1_setnx passes")
	w.printed.Reset()
	w.send(<-came)
	require.Empty(t, w.printed.String())
}

// What is wrong with a folder is said, and the watching goes on.
func TestWatchingWhatIsLost(t *testing.T) {
	t.Parallel()
	w := tryIt(t, aLearner(t))
	require.NoError(t, os.RemoveAll(w.File(workshop.E1, "")))
	w.do(w.Init())
	require.Contains(t, w.printed.String(), "git checkout -- exercises/e1_setnx")
	require.NoError(t, os.Mkdir(w.File(workshop.E1, ""), 0o755))
	require.NoError(t, os.WriteFile(w.File(workshop.E1, "lock_test.go"), nil, 0o644))
	require.Contains(t, w.save(workshop.E1, "ok"), "✓ e1_setnx passes")
}

// A terminal may be small, and may change its size at any time.
func TestWatchingInASmallTerminal(t *testing.T) {
	t.Parallel()
	for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 12}, {Width: 20, Height: 5}, {Width: 1, Height: 1}, {Width: 0, Height: 0}, {Width: 300, Height: 90}} {
		t.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(t *testing.T) {
			t.Parallel()
			w := tryIt(t, aLearner(t))
			w.send(size)
			w.do(w.Init())
			said := w.printed.String() + w.save(workshop.E2, "no Go") + w.press("hlrsn")
			require.Contains(t, strings.Join(strings.Fields(said), ""), "AdeletedB'slock", "nothing is cut off")
			require.Less(t, strings.Count(w.View().Content, "\n"), max(1, size.Height-1), "it fits below")
			for line := range strings.Lines(said + w.View().Content) {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), max(10, size.Width-1), line)
			}
			if size.Width >= 40 {
				require.Contains(t, w.View().Content, "q quit")
			}
		})
	}
}
