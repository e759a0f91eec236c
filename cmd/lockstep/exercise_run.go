package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/workshop"
	"lockstep/workshop/desk"
	"lockstep/workshop/marking"
)

func exerciseRunCommand() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "run [EXERCISE]",
		Short: "Run an exercise, and see what breaks your lock",
		Long: `Build and run an exercise, or the next one, and show the first thing that breaks
your lock, second by second. You can run any exercise at any time, by its name
(e4_owner, owner), its number (e4, 4) or its folder.

Exit status 1 means that it does not pass yet.`,
		Example: "  lockstep exercise run\n  lockstep exercise run e4 --all",
		Args:    between(0, 1),
		RunE: atDesk(func(ctx context.Context, l learner, cmd *cobra.Command, args []string) error {
			return l.run(ctx, cmd, args, all)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "show all that breaks it, not only the first")
	return cmd
}

// notForPeople is what a Markdown page has for those who print or check it.
var notForPeople = regexp.MustCompile("(?m)^(?:<!--.*-->|```\\w*)\n")

func exerciseNextCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "next",
		Short: "Read what to build next",
		Args:  between(0, 0),
		RunE: atDesk(func(ctx context.Context, l learner, cmd *cobra.Command, _ []string) error {
			e, left, err := l.Next(ctx)
			if err != nil {
				return err
			}
			p := page{wide: wide}
			if !left {
				return l.sayDone(cmd)
			}
			text, err := os.ReadFile(l.File(e, "README.md"))
			if err != nil {
				return fmt.Errorf("%s can't be read: %w", l.path(l.File(e, "README.md")), err)
			}
			p.show(notForPeople.ReplaceAllString(string(text), ""))
			p.WriteString("\n")
			p.next(l.path(l.File(e, "lock.go")), "where you write it")
			p.next(self()+" exercise run", "see where it breaks")
			return say(cmd, paint(p.String()))
		}),
	}
}

// sayDone says that nothing is left to do.
func (l learner) sayDone(cmd *cobra.Command) error {
	return say(cmd, fmt.Sprintf("All %d exercises pass.\n", len(workshop.All())))
}

// toRun is the exercise that an argument names, or else the next one. One that
// passes now, and did not when it last ran, is told of before that.
func (l learner) toRun(ctx context.Context, args []string) (workshop.Exercise, bool, error) {
	if len(args) > 0 {
		return l.asked(ctx, args)
	}
	return l.NextOf(func(e workshop.Exercise) (bool, error) {
		passed := l.Passed(e)
		mark, err := l.Mark(ctx, e)
		note, err := forgets(err)
		return mark.Outcome == marking.Passes && (passed || note != ""), err
	})
}

// run runs one exercise and shows what came of it.
func (l learner) run(ctx context.Context, cmd *cobra.Command, args []string, all bool) error {
	e, left, err := l.toRun(ctx, args)
	if err != nil {
		return err
	}
	if !left {
		return l.sayDone(cmd)
	}
	if len(args) > 0 { // who comes back to it has not skipped it
		if err := l.Resume(e); err != nil {
			return err
		}
	}
	mark, err := l.Run(ctx, e)
	note, err := forgets(err)
	if err != nil {
		return err
	}
	p := page{wide: wide}
	l.came(&p, e, mark, all)
	if note != "" {
		p.say("\n%s", note)
	}
	if err := say(cmd, paint(p.String())); err != nil {
		return err
	}
	if err := l.sayProgress(ctx, cmd, e, mark, all); err != nil {
		return err
	}
	if mark.Outcome != marking.Passes {
		return finding(e.Name + " does not pass yet")
	}
	return nil
}

// came shows what came of an exercise: what the compiler said, or the first thing
// that broke the lock, whole, or all of them; and if that was not the end of it, why
// it ended.
func (l learner) came(p *page, e workshop.Exercise, mark marking.Mark, all bool) {
	said := strings.ReplaceAll(mark.Said, desk.Folder+"/"+e.Name+"/", l.path(l.File(e, ""))+"/")
	broken := mark.Broken()
	for i, c := range broken {
		if all || i == 0 {
			p.show(c.Said)
			p.WriteString("\n")
		}
	}
	switch {
	case mark.Outcome == marking.Passes:
		p.say("✓ %s passes all of its %s.", e.Name, amount(len(mark.Checks), "check", "checks"))
		if book, ok := l.book(e); ok {
			p.say("This workbook has its own in %s. Compare the two:", l.path(book))
			p.next("diff "+l.path(l.File(e, "lock.go"))+" "+l.path(book), "")
		}
	case mark.Outcome == marking.DoesNotBuild:
		p.show(said)
		p.say("\n✗ %s does not build.", e.Name)
	case mark.Outcome == marking.GaveUp:
		p.show(said)
		p.say("\n✗ %s ended early: of the checks before that, %d passed and %d did not.",
			e.Name, len(mark.Checks)-mark.Failing(), len(broken))
	case len(broken) == 0:
		p.say("✗ %s fails: %s", e.Name, said)
	case all:
		p.say("✗ %s: %s", e.Name, howMany(mark))
	default:
		p.say("✗ %s: %s", e.Name, failing(mark))
	}
}

// book is the file with the book's own answer to an exercise.
func (l learner) book(e workshop.Exercise) (path string, ok bool) {
	for _, folder := range []string{"", "beyond"} {
		path = filepath.Join(l.Root, folder, e.Stage.Name, "lock.go")
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}

// sayProgress says how far the learner is now, and what to do next.
func (l learner) sayProgress(ctx context.Context, cmd *cobra.Command, e workshop.Exercise, mark marking.Mark, saw bool) error {
	all, err := l.standings(ctx, func(status) error { return nil })
	if err != nil {
		return err
	}
	p := page{wide: wide}
	p.say("\n%s\n", bar(all))
	if mark.Outcome == marking.Passes {
		l.whatNext(&p, all)
		return say(cmd, paint(p.String()))
	}
	p.next(l.path(l.File(e, "lock.go")), "change it, and run again")
	if len(mark.Broken()) > 1 && !saw {
		p.next(self()+" exercise run "+shortExercise(e.Name)+" --all", "see the others, too")
	}
	p.next(self()+" exercise hint "+shortExercise(e.Name), "a hint")
	if _, ok := l.Green(e); ok {
		p.next(self()+" exercise diff "+shortExercise(e.Name), "what changed since it passed")
	}
	return say(cmd, paint(p.String()))
}
