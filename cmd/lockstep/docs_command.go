package main

import (
	"github.com/spf13/cobra"

	"lockstep/workshop/marking"
)

func docsCommand() *cobra.Command {
	check := false
	cmd := &cobra.Command{
		Use:   "docs [FILE…]",
		Short: "Write tables and timelines into the documents, or check them",
		Long: "Write tables and timelines into the documents, by default all that have any.\n\n" +
			"With --check nothing is written: a document that does not show what the code\n" +
			"prints is exit status 1.",
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				if _, err := marking.Root("."); err != nil {
					return lostHere(err)
				}
				files = documents()
			}
			for _, file := range files {
				if err := document(file, check); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and fail if there is something to write")
	return cmd
}
