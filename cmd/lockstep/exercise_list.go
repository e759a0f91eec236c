package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// status is how an exercise stands.
type status struct {
	of      workshop.Exercise
	came    marking.Mark
	skipped bool
	lost    error // what is missing of it
}

// stand says how an exercise stands. The error is that of ctx.
func (l learner) stand(ctx context.Context, e workshop.Exercise) (status, error) {
	mark, err := l.Mark(ctx, e)
	if ctx.Err() != nil {
		return status{}, ctx.Err()
	}
	_, err = forgets(err) // told where the exercise itself is run
	return status{of: e, came: mark, skipped: l.Skipped(e), lost: err}, nil
}

// mark is ✓ if it passes, ✗ if it does not, and – if it is not begun.
func (s status) mark() string {
	switch {
	case s.lost == nil && s.came.Outcome == marking.Passes:
		return "✓"
	case s.lost == nil && s.came.Outcome == marking.Untouched:
		return "–"
	}
	return "✗"
}

// String is where it stands, in a line.
func (s status) String() string {
	skipped := ""
	if s.skipped && s.mark() != "✓" {
		skipped = "skipped; "
	}
	switch {
	case s.lost != nil:
		return skipped + s.lost.Error()
	case s.came.Outcome == marking.Passes:
		return "done"
	case s.came.Outcome == marking.Untouched && s.skipped:
		return "skipped"
	case s.came.Outcome == marking.Untouched:
		return "not begun"
	case s.came.Outcome == marking.Fails && len(s.came.Checks) > 0:
		return skipped + failing(s.came)
	case s.came.Outcome == marking.Fails:
		return skipped + s.came.Said
	}
	first, _, _ := strings.Cut(s.came.Said, "\n")
	return skipped + string(s.came.Outcome) + ": " + first
}

// failing names the checks that fail, or the first of them.
func failing(m marking.Mark) string {
	var names []string
	for _, c := range m.Checks {
		if c.Outcome != marking.Passes {
			names = append(names, c.Name)
		}
	}
	const most = 3
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return howMany(m) + ": " + strings.Join(names, ", ")
}

// howMany checks fail, of how many.
func howMany(m marking.Mark) string {
	fail := "fail"
	if m.Failing() == 1 {
		fail = "fails"
	}
	return fmt.Sprintf("%d of %s %s", m.Failing(), amount(len(m.Checks), "check", "checks"), fail)
}

// standings says how all exercises stand, and tells of each as soon as it is
// known: one that must run takes a second or more.
func (l learner) standings(ctx context.Context, tell func(status) error) ([]status, error) {
	var all []status
	for _, e := range workshop.All() {
		s, err := l.stand(ctx, e)
		if err == nil {
			err = tell(s)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// list shows how far the learner is, and what is next.
func (l learner) list(ctx context.Context, cmd *cobra.Command) error {
	if err := say(cmd, "The exercises: a lock on Redis, which you build.\n\n"); err != nil {
		return err
	}
	all, err := l.standings(ctx, func(s status) error {
		p := page{wide: wide}
		p.stands(s)
		return say(cmd, paint(p.String()))
	})
	if err != nil {
		return err
	}
	p := page{wide: wide}
	p.WriteString("\n")
	l.whatNext(&p, all)
	return say(cmd, p.String())
}

// stands adds a line of the list.
func (p *page) stands(s status) { p.item(s.mark(), s.of.Name, s.String()) }

// done is how many exercises pass.
func done(all []status) int {
	n := 0
	for _, s := range all {
		if s.mark() == "✓" {
			n++
		}
	}
	return n
}

// bar is how far somebody is, at a glance.
func bar(all []status) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.mark())
	}
	return fmt.Sprintf("%s  %d of %d done", b.String(), done(all), len(all))
}

// whatNext says what the next exercise is, which file to write in, and what to
// run.
func (l learner) whatNext(p *page, all []status) {
	next, left, _ := l.NextOf(func(e workshop.Exercise) (bool, error) {
		i := slices.IndexFunc(all, func(s status) bool { return s.of.Name == e.Name })
		return all[i].mark() == "✓", nil // what is wrong with it stands in the list
	})
	if !left {
		p.say("All %d done. Now try to break the book's own:", len(all))
		p.next(self()+" play v7", "be the adversary")
		return
	}
	p.say("%d of %d done. The next one is %s:", done(all), len(all), next.Name)
	l.files(p, next)
	p.next(self()+" exercise run", "see where it breaks")
	p.next(self()+" exercise hint", "when you are stuck")
	p.next(self()+" exercise --watch", "run it after each save")
	p.next(self()+" exercise --help", "what else there is")
}

// files names the files of an exercise that a learner opens.
func (l learner) files(p *page, e workshop.Exercise) {
	p.next(l.path(l.File(e, "README.md")), "what to build, and why")
	p.next(l.path(l.File(e, "lock.go")), "where you write it")
}
