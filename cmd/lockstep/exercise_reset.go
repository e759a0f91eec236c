package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lockstep/workshop/desk"
)

func exerciseSkipCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "skip [EXERCISE]",
		Short: "Leave an exercise for later",
		Long: `Leave an exercise, or the next one, for later. It doesn't count as done, and comes
back when all others are. To take that back, run it by its name.`,
		Example: "  lockstep exercise skip\n  lockstep exercise run e4",
		Args:    between(0, 1),
		RunE: atDesk(func(ctx context.Context, l learner, cmd *cobra.Command, args []string) error {
			e, left, err := l.asked(ctx, args)
			if err != nil && !errors.Is(err, desk.ErrLost) {
				return err
			}
			if !left {
				return l.sayDone(cmd)
			}
			stands, err := l.stand(ctx, e)
			if err != nil {
				return err
			}
			if stands.mark() == "✓" {
				return say(cmd, fmt.Sprintf("%s passes. There is nothing to leave for later.\n", e.Name))
			}
			if err := l.Skip(e); err != nil {
				return err
			}
			next, left, err := l.Next(ctx)
			if err != nil && !errors.Is(err, desk.ErrLost) {
				return err
			}
			if !left {
				return l.sayDone(cmd)
			}
			p := page{wide: wide}
			p.say("%s is left for later.", e.Name)
			if l.Skipped(next) {
				p.say("So is all else that does not pass yet. It begins with %s:", next.Name)
			} else {
				p.say("The next one is %s:", next.Name)
			}
			l.files(&p, next)
			return say(cmd, p.String())
		}),
	}
}

func exerciseResetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reset EXERCISE",
		Short: "Begin an exercise anew, and keep what you have",
		Long: `Put the starter of an exercise back. All that is in its folder is copied first, to
a new folder below exercises/.lockstep each time; files that you added are in that copy
alone then.`,
		Example: "  lockstep exercise reset e4",
		Args:    between(1, 1),
		RunE: atDesk(func(_ context.Context, l learner, cmd *cobra.Command, args []string) error {
			e, err := findExercise(args[0])
			if err != nil {
				return err
			}
			backup, err := l.Reset(e)
			if errors.Is(err, desk.ErrUntouched) {
				return say(cmd, fmt.Sprintf("There is nothing to reset: %s is as it came.\n", e.Name))
			}
			if err != nil {
				return err
			}
			p := page{wide: wide}
			p.say("%s is as it came. What you had is here:", e.Name)
			p.next(l.path(backup), "")
			return say(cmd, p.String())
		}),
	}
}
