package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// command is lockstep, with all that it can do.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "lockstep",
		Short: title,
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return say(cmd, paint(start())) },

		// main says what went wrong, in one line.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	addServerFlag(root)
	root.AddCommand(
		showCommand(), matrixCommand(), diffCommand(), seckillCommand(),
		exploreCommand(), replayCommand(), playCommand(), helperCommand(),
		exerciseCommand(), readyCommand(), gradeCommand(), docsCommand(),
	)
	return root
}

// noCommand refuses what is left on the line when no command is found there.
func noCommand(parent *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range parent.Commands() {
		names = append(names, c.Name())
	}
	look := "lockstep help lists them"
	if parent.HasParent() {
		look = parent.CommandPath() + " --help lists them"
	}
	return unknown(strings.TrimSpace(strings.TrimPrefix(parent.CommandPath(), "lockstep")+" command"), args[0], names, look)
}

// helpCommand stands in for cobra's own, which answers a wrong name with a page
// of usage and exit status 0.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say what a command does",
		Args:  between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return noCommand(cmd.Root(), rest)
			}
			return asked.Help()
		},
	}
}

// between has a command take that many arguments, and no others.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			cmd.DisableFlagsInUseLine = true
			return errors.New("it goes like this: " + cmd.UseLine())
		}
		return nil
	}
}
