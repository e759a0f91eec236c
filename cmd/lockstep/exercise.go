package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"lockstep/workshop"
	"lockstep/workshop/desk"
	"lockstep/workshop/marking"
)

func exerciseCommand() *cobra.Command {
	watch := false
	cmd := &cobra.Command{
		Use:   "exercise",
		Short: "Build the locks yourself, step by step",
		Long: `The exercises, how far you are, and what to do next. How far you are comes from
running your locks: exercises/.lockstep only remembers what came of that.

With --watch it stays, and runs an exercise each time that you save. You can name
the one to begin with.`,
		Example: "  lockstep exercise\n  lockstep exercise run\n  lockstep exercise run e4\n  lockstep exercise --watch",
		Args: func(cmd *cobra.Command, args []string) error {
			if watch {
				return between(0, 1)(cmd, args)
			}
			return noExerciseCommand(cmd, args)
		},
		RunE: atDesk(func(ctx context.Context, l learner, cmd *cobra.Command, args []string) error {
			switch {
			case watch && isTerminal(cmd.InOrStdin()) && isTerminal(cmd.OutOrStdout()):
				return l.watch(ctx, cmd, args)
			case watch:
				cmd.PrintErrln("This is no terminal: it runs once, and does not watch.")
				return l.run(ctx, cmd, args, false)
			}
			return l.list(ctx, cmd)
		}),
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "run after each save, until you press q")
	cmd.AddCommand(
		exerciseNextCommand(), exerciseRunCommand(), exerciseHintCommand(),
		exerciseDiffCommand(), exerciseSkipCommand(), exerciseResetCommand(),
	)
	return cmd
}

// noExerciseCommand refuses what is left on the line when no command is found
// there. It may well be an exercise.
func noExerciseCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		if e, err := findExercise(args[0]); err == nil {
			return fmt.Errorf("what about %s? To run it: lockstep exercise run %s", e.Name, shortExercise(e.Name))
		}
	}
	return noCommand(cmd, args)
}

// learner is who works at a desk, and where they stand: paths are shown from
// there, so that a terminal can open them.
type learner struct {
	*desk.Desk
	here string
}

// atDesk is a command for a learner. What it starts ends when they press ctrl+c,
// or when their terminal goes away.
func atDesk(do func(context.Context, learner, *cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		d, err := desk.At(here)
		if err != nil {
			return lostHere(err)
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		err = do(ctx, learner{d, here}, cmd, args)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return errInterrupted
		}
		return err
	}
}

// lostHere says what to do where there is no checkout. Other errors say so
// themselves.
func lostHere(err error) error {
	if errors.Is(err, marking.ErrNoCheckout) {
		return fmt.Errorf("%w: clone the repository with git, cd into it, and run this there", err)
	}
	return err
}

// path is a path as it is shown.
func (l learner) path(to string) string {
	if relative, err := filepath.Rel(l.here, to); err == nil {
		return relative
	}
	return to
}

// asked is the exercise that an argument names, or else the next one. It is false
// if there is none left.
func (l learner) asked(ctx context.Context, args []string) (workshop.Exercise, bool, error) {
	if len(args) == 0 {
		return l.Next(ctx)
	}
	e, err := findExercise(args[0])
	return e, true, err
}

// findExercise finds an exercise by its name, its number, what it is about, or
// the path of anything in its folder.
func findExercise(name string) (workshop.Exercise, error) {
	word := filepath.ToSlash(filepath.Clean(name))
	if _, below, ok := strings.Cut("/"+word, "/"+desk.Folder+"/"); ok {
		word, _, _ = strings.Cut(below, "/")
	}
	var names []string
	for _, e := range workshop.All() {
		short := shortExercise(e.Name)
		about := strings.TrimPrefix(e.Name, short)
		for _, n := range []string{short, short[1:], e.Name, about} {
			if fold(word) == fold(n) {
				return e, nil
			}
		}
		names = append(names, short, e.Name)
	}
	if name == "" {
		word = ""
	}
	return workshop.Exercise{}, unknown("exercise", word, names, "lockstep exercise lists them")
}

// shortExercise is what an exercise is called for short: e4.
func shortExercise(name string) string {
	short, _, _ := strings.Cut(name, "_")
	return short
}

// forgets is a note that a result isn't remembered; empty if it is. Any other
// error is returned.
func forgets(err error) (note string, other error) {
	if errors.Is(err, desk.ErrForgets) {
		return fmt.Sprintf("%v. Make the folder writable, or else everything runs again each time.", err), nil
	}
	return "", err
}
