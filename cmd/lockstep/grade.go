package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// classPatience is how long one check may take by the clock on the wall: longer
// than a learner waits, because a class keeps the machine busy.
const classPatience = 20 * time.Second

func gradeCommand() *cobra.Command {
	var jobs int
	var limit time.Duration
	asJSON := false
	cmd := &cobra.Command{
		Use:   "grade DIR...",
		Short: "Mark the exercises of a class",
		Long: `Mark the exercises of a class. Each DIR is a learner's clone of Lockstep, or a
folder that has their folders: e4_owner/lock.go, and so on.

The tests are those of the checkout that you are in, and not the learner's.
Each exercise runs in a process of its own, with limits on its time, its memory
and its output; one learner's endless loop stops nobody else's work. But their
code runs with your rights, and can read and write what you can. For code of
people you don't know, use a container, or an account with nothing to lose.

✓ passes, ✗ does not, – was not begun. Exit status 0 means that all were marked,
whatever the marks. A DIR that isn't there, is no folder or has no exercise in
it can't be; the others are marked all the same, and the exit status is 2. Of
what is interrupted you see what there is.

With --json: a list of submissions, each with its "name", its "dir", how many
exercises it "passes", and its "marks": for each "exercise" the "outcome"
(passes, fails, does not build, gave up, untouched, missing, not run), what was
"said", and the "checks", which have a "name", an "outcome" and what they
"said". One that can't be marked has an "error" in place of marks.`,
		Example: "  lockstep grade class/*\n  lockstep grade --json anna bela > marks.json",
		Args:    atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if jobs < 1 || jobs > 64 {
				return fmt.Errorf("--jobs wants a number from 1 to 64, not %d", jobs)
			}
			if limit < time.Second {
				return fmt.Errorf("--time-limit wants a second or more, not %v", limit)
			}
			class := submissions(args)
			if !slices.ContainsFunc(class, submission.fit) {
				return unmarked(class)
			}
			root, err := marking.Root(".")
			if err != nil {
				return lostHere(err)
			}
			jobs = min(jobs, len(class))
			marker := marking.Marker{Root: root, Limits: marking.Limits{
				Time:   limit,
				Check:  classPatience,
				AtOnce: max(1, runtime.NumCPU()/jobs),
			}}
			interrupted := markAll(cmd, marker, class, jobs)
			if asJSON {
				err = sayJSON(cmd, class)
			} else {
				err = say(cmd, paint(gradeTable(class)+"\n"+standings(class)))
			}
			return cmp.Or(err, interrupted, unmarked(class))
		},
	}
	cmd.Flags().IntVar(&jobs, "jobs", runtime.NumCPU(), "submissions that are marked at the same time")
	cmd.Flags().DurationVar(&limit, "time-limit", marking.DefaultLimits.Time, "for one submission, with what it takes to build it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// atLeastOne insists that there is something to mark.
func atLeastOne(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("it goes like this: lockstep grade DIR...; a DIR is a learner's clone of Lockstep")
	}
	return nil
}

// submission is what a learner has handed in.
type submission struct {
	Name   string         `json:"name"`
	Dir    string         `json:"dir"`
	Passes int            `json:"passes"`
	Marks  []marking.Mark `json:"marks,omitempty"`
	Error  string         `json:"error,omitempty"` // why it can't be marked

	exercises string // the folder with them
}

func (s submission) fit() bool { return s.Error == "" }

// submissions are the folders of a class, in the order given, by their base
// names, or by their paths where two have the same.
func submissions(dirs []string) []submission {
	var class []submission
	bases := map[string]int{}
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			path = dir
		}
		bases[filepath.Base(path)]++
		s := submission{Name: filepath.Base(path), Dir: path}
		s.exercises, s.Error = exercisesIn(dir)
		class = append(class, s)
	}
	for i, dir := range dirs {
		if bases[class[i].Name] > 1 {
			class[i].Name = filepath.Clean(dir)
		}
	}
	return class
}

// exercisesIn finds the folder with the exercises of a submission, or says why
// there is none.
func exercisesIn(dir string) (folder, why string) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "there is no such folder"
	case err != nil:
		return "", err.Error()
	case !info.IsDir():
		return "", "it is no folder"
	}
	folder, ok := marking.Folder(dir)
	if !ok {
		return "", "it has no exercise in it, like e1_setnx"
	}
	return folder, ""
}

// unmarked says which submissions can't be marked; nil if all can.
func unmarked(class []submission) error {
	var all []error
	for _, s := range class {
		if !s.fit() {
			all = append(all, fmt.Errorf("%s can't be marked: %s", quoted(s.Name), s.Error))
		}
	}
	return errors.Join(all...)
}

// markAll marks a class. An interrupt ends it with what there is, and
// errInterrupted.
func markAll(cmd *cobra.Command, marker marking.Marker, class []submission, jobs int) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	progress := func(int64) {}
	if out := cmd.ErrOrStderr(); isTerminal(out) {
		// Nobody misses progress that can't be shown.
		progress = func(done int64) { _, _ = fmt.Fprintf(out, "\r%d of %d marked ", done, len(class)) }
		defer func() { _, _ = fmt.Fprint(out, clearLine) }()
	}
	progress(0)
	var done atomic.Int64
	var group errgroup.Group
	group.SetLimit(jobs)
	for i := range class {
		group.Go(func() error {
			if class[i].fit() {
				class[i].mark(ctx, marker)
			}
			progress(done.Add(1))
			return nil
		})
	}
	_ = group.Wait() // what goes wrong is told of the submission
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// mark marks the exercises of a submission, as far as ctx lasts.
func (s *submission) mark(ctx context.Context, marker marking.Marker) {
	marks, err := marker.MarkAll(ctx, workshop.All(), s.exercises)
	if err != nil && ctx.Err() == nil {
		s.Error = err.Error()
		return
	}
	s.Marks = marks
	for _, m := range marks {
		if m.Outcome == marking.Passes {
			s.Passes++
		}
	}
}

const (
	mostName = 24 // columns of a submission's name, in a table
	markWide = 3
)

// gradeTable is a line for each submission: its marks, and the first check that
// does not pass.
func gradeTable(class []submission) string {
	width := len("submission")
	for _, s := range class {
		width = max(width, min(mostName, lipgloss.Width(s.shown())))
	}
	var b strings.Builder
	line := func(name string, marks []string, first string) {
		text := padded(clip(name, width), width+2)
		for _, m := range marks {
			text += padded(m, markWide)
		}
		if len(marks) > 0 {
			text += " "
		}
		b.WriteString(strings.TrimRight(clip(text+first, wide), " ") + "\n")
	}
	var heads []string
	for _, e := range workshop.All() {
		heads = append(heads, shortExercise(e.Name))
	}
	line("submission", heads, "first to mend")
	for _, s := range class {
		if !s.fit() {
			line(s.shown(), nil, s.Error)
			continue
		}
		var marks []string
		for _, m := range s.Marks {
			marks = append(marks, sign(m))
		}
		line(s.shown(), marks, s.firstToMend())
	}
	return b.String()
}

// shown is the name as it can stand in a table.
func (s submission) shown() string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s.Name)
}

// sign is a mark in one character.
func sign(m marking.Mark) string {
	switch m.Outcome {
	case marking.Passes:
		return "✓"
	case marking.Untouched, marking.Missing:
		return "–"
	case marking.NotRun:
		return ""
	default:
		return "✗"
	}
}

// toMend is the first exercise that was begun and does not pass.
func (s submission) toMend() (marking.Mark, bool) {
	for _, m := range s.Marks {
		if sign(m) == "✗" {
			return m, true
		}
	}
	return marking.Mark{}, false
}

func (s submission) firstToMend() string {
	m, ok := s.toMend()
	if !ok {
		return ""
	}
	first, _ := m.First()
	return strings.TrimSpace(shortExercise(m.Exercise) + " " + cmp.Or(first.Name, string(m.Outcome)))
}

// standings say where each submission stands, and what is wrong with the first
// exercise that does not pass.
func standings(class []submission) string {
	var b strings.Builder
	for _, s := range class {
		if s.fit() {
			b.WriteString(wrap(s.shown() + ": " + s.stands()))
		}
	}
	return b.String()
}

func (s submission) stands() string {
	all := fmt.Sprintf("%d of %d pass", s.Passes, len(workshop.All()))
	m, bad := s.toMend()
	first, _ := m.First()
	switch {
	case slices.ContainsFunc(s.Marks, func(m marking.Mark) bool { return m.Outcome == marking.NotRun }):
		return all + ", and not all were run."
	case s.Passes == len(workshop.All()):
		return "all done."
	case !bad && s.Passes == 0:
		return "not begun."
	case !bad:
		return all + "."
	case m.Outcome == marking.Fails && first.Name != "":
		return fmt.Sprintf("%s. %s fails %s: %s", all, m.Exercise, first.Name, lost(first.Said))
	}
	line, _, _ := strings.Cut(m.Said, "\n")
	return fmt.Sprintf("%s. %s %s: %s", all, m.Exercise, m.Outcome, line)
}

// lost is what a check says that a person lost: its verdict, under the timeline.
func lost(said string) string {
	verdict := ""
	for line := range strings.Lines(said) {
		for _, mark := range []string{"✗ ", "– "} {
			if text, ok := strings.CutPrefix(line, mark); ok {
				verdict = strings.TrimSpace(text)
			}
		}
	}
	return verdict
}

// padded is a text with spaces up to a width, in columns.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}
