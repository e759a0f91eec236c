package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"lockstep/workshop"
	"lockstep/workshop/desk"
	"lockstep/workshop/marking"
)

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
Each exercise runs in a process of its own, with limits; what one learner's code
does, an endless loop or an exit, stops nobody else's. All the same it runs with
your rights: for code of strangers use a container, or an account to throw away.

✓ passes, ✗ does not, – was not begun. What does not pass is no error; a DIR
that isn't there is, and then nothing is run.

With --json: a list of submissions, each with its "name", its "dir", how many
exercises it "passes", and its "marks": for each "exercise" the "outcome"
(passes, fails, does not build, gave up, untouched, missing), what was "said",
and the "checks", which have a "name", an "outcome" and what they "said".`,
		Example: "  lockstep grade class/*\n  lockstep grade --json anna bela > marks.json",
		Args:    atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if jobs < 1 || jobs > 64 {
				return fmt.Errorf("--jobs wants a number from 1 to 64, not %d", jobs)
			}
			if limit < time.Second {
				return fmt.Errorf("--time-limit wants a second or more, not %v", limit)
			}
			class, err := submissions(args)
			if err != nil {
				return err
			}
			root, err := marking.Root(".")
			if err != nil {
				return lostHere(err)
			}
			marker := marking.Marker{Root: root, Limits: marking.Limits{Time: limit}}
			marked := markAll(cmd, marker, class, jobs)
			if asJSON {
				err = sayJSON(cmd, class)
			} else {
				err = say(cmd, paint(gradeTable(class)))
			}
			return errors.Join(marked, err)
		},
	}
	cmd.Flags().IntVar(&jobs, "jobs", runtime.NumCPU(), "submissions that are marked at the same time")
	cmd.Flags().DurationVar(&limit, "time-limit", marking.DefaultLimits.Time, "for one exercise, with what it takes to build it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// atLeastOne insists that there is something to mark.
func atLeastOne(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("it goes like this: lockstep grade DIR...; a DIR is a learner's clone of Lockstep")
	}
	return nil
}

// submission is what a learner has handed in.
type submission struct {
	Name   string         `json:"name"`
	Dir    string         `json:"dir"`
	Passes int            `json:"passes"`
	Marks  []marking.Mark `json:"marks"`
}

// submissions are the folders of a class, in the order given, by their base
// names, or by their paths where two have the same.
func submissions(dirs []string) ([]submission, error) {
	var class []submission
	bases := map[string]int{}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		switch {
		case os.IsNotExist(err):
			return nil, fmt.Errorf("there is no folder %q", dir)
		case err != nil:
			return nil, err
		case !info.IsDir():
			return nil, fmt.Errorf("%q is no folder: name the one with the learner's exercises in it", dir)
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		bases[filepath.Base(path)]++
		class = append(class, submission{Name: filepath.Base(path), Dir: path})
	}
	for i, dir := range dirs {
		if bases[filepath.Base(class[i].Dir)] > 1 {
			class[i].Name = filepath.Clean(dir)
		}
	}
	return class, nil
}

// folder is where an exercise of a submission is.
func (s submission) folder(e workshop.Exercise) string {
	if within := filepath.Join(s.Dir, desk.Folder); isFolderAt(within) {
		return filepath.Join(within, e.Name)
	}
	return filepath.Join(s.Dir, e.Name)
}

func isFolderAt(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// markAll marks a class. An interrupt ends it with what there is, and
// errInterrupted.
func markAll(cmd *cobra.Command, marker marking.Marker, class []submission, jobs int) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var done atomic.Int64
	progress := func() {}
	if out := cmd.ErrOrStderr(); isTerminal(out) {
		// Nobody misses progress that can't be shown.
		progress = func() { _, _ = fmt.Fprintf(out, "\r%d of %d marked ", done.Add(1), len(class)) }
		defer func() { _, _ = fmt.Fprint(out, clearLine) }()
	}
	var group errgroup.Group
	group.SetLimit(jobs)
	for i := range class {
		group.Go(func() error {
			defer progress()
			return class[i].mark(ctx, marker)
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// mark marks the exercises of a submission, as far as ctx lasts.
func (s *submission) mark(ctx context.Context, marker marking.Marker) error {
	for _, e := range workshop.All() {
		mark := marking.Mark{Exercise: e.Name, Outcome: marking.Untouched}
		if !marker.Untouched(e, s.folder(e)) {
			var err error
			if mark, err = marker.Mark(ctx, e, s.folder(e)); err != nil {
				return fmt.Errorf("%s: %s: %w", s.Name, e.Name, err)
			}
		}
		if mark.Outcome == marking.Passes {
			s.Passes++
		}
		s.Marks = append(s.Marks, mark)
	}
	return nil
}

const (
	mostName = 24 // of a submission, in a table
	markWide = 3
)

// gradeTable is a line for each submission, with where it stands.
func gradeTable(class []submission) string {
	width := len("submission")
	for _, s := range class {
		width = max(width, min(mostName, lipgloss.Width(s.Name)))
	}
	var b strings.Builder
	line := func(name string, marks []string, stands string) {
		text := clip(name, width)
		text += strings.Repeat(" ", width+2-lipgloss.Width(text))
		for _, m := range marks {
			text += m + strings.Repeat(" ", markWide-lipgloss.Width(m))
		}
		b.WriteString(strings.TrimRight(clip(text+" "+stands, wide), " ") + "\n")
	}
	var heads []string
	for _, e := range workshop.All() {
		heads = append(heads, shortExercise(e))
	}
	line("submission", heads, "where it stands")
	for _, s := range class {
		var marks []string
		for _, m := range s.Marks {
			marks = append(marks, sign(m))
		}
		for range len(heads) - len(marks) { // it was interrupted
			marks = append(marks, " ")
		}
		line(s.Name, marks, s.stands())
	}
	return b.String()
}

// sign is a mark in one character.
func sign(m marking.Mark) string {
	switch m.Outcome {
	case marking.Passes:
		return "✓"
	case marking.Untouched, marking.Missing:
		return "–"
	default:
		return "✗"
	}
}

// stands says what the first exercise that was begun and does not pass lacks.
func (s submission) stands() string {
	begun := false
	for _, m := range s.Marks {
		short, _, _ := strings.Cut(m.Exercise, "_")
		begun = begun || m.Outcome != marking.Missing
		first, _ := m.First()
		switch m.Outcome {
		case marking.Fails:
			if first.Name == "" { // it was not even run
				return short + " is not their own"
			}
			return short + " " + first.Name
		case marking.GaveUp:
			return short + " ends in " + first.Name
		case marking.DoesNotBuild:
			return short + " does not build"
		}
	}
	switch {
	case len(s.Marks) < len(workshop.All()):
		return "not marked"
	case !begun:
		return "has no exercises"
	case s.Passes == len(s.Marks):
		return "all done"
	case s.Passes == 0:
		return "not begun"
	}
	return ""
}
