package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lockstep/workshop"
)

func exerciseHintCommand() *cobra.Command {
	again := false
	cmd := &cobra.Command{
		Use:   "hint [EXERCISE]",
		Short: "Show one hint more",
		Long: `Show the hints of an exercise, or of the next one: those that you have seen, and
one more each time.`,
		Example: "  lockstep exercise hint\n  lockstep exercise hint e4 --again",
		Args:    between(0, 1),
		RunE: atDesk(func(ctx context.Context, l learner, cmd *cobra.Command, args []string) error {
			e, left, err := l.asked(ctx, args)
			if err != nil {
				return err
			}
			if !left {
				return l.sayDone(cmd)
			}
			p := page{wide: wide}
			more, err := l.hint(&p, e, !again)
			if err != nil {
				return err
			}
			if more {
				p.next(fmt.Sprintf("%s exercise hint %s", self(), shortExercise(e.Name)), "one more")
			}
			return say(cmd, p.String())
		}),
	}
	cmd.Flags().BoolVar(&again, "again", false, "only those that you have seen")
	return cmd
}

// hint shows the hints of an exercise that are revealed, after one more if it is
// asked for. It reports whether there are more.
func (l learner) hint(p *page, e workshop.Exercise, oneMore bool) (more bool, err error) {
	hints := workshop.Hints(e.Name)
	seen, note := l.Revealed(e, len(hints)), ""
	if oneMore {
		seen, err = l.Reveal(e, len(hints))
		if note, err = forgets(err); err != nil {
			return false, err
		}
	}
	if seen == 0 {
		p.say("You have seen none of the %s for %s.", amount(len(hints), "hint", "hints"), e.Name)
	}
	for i, hint := range hints[:seen] {
		p.say("Hint %d of %d for %s:\n", i+1, len(hints), e.Name)
		p.show(hint)
		p.WriteString("\n")
	}
	if seen == len(hints) {
		p.say("There are no more hints for %s.", e.Name)
	}
	if note != "" {
		p.say("%s", note)
	}
	return seen < len(hints), nil
}
