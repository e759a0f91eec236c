package main

import "github.com/spf13/cobra"

func matrixCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "matrix",
		Short: "Which hazard breaks which stage, and which draft",
		Args:  between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return say(cmd, matrix()+"\n"+drafts())
		},
	}
}
