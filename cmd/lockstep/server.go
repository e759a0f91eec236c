package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"lockstep/faults"
)

// addServerFlag gives all commands the choice of a real server. What they play
// finds it in the environment, where it may stand already.
func addServerFlag(root *cobra.Command) {
	server := ""
	root.PersistentFlags().StringVar(&server, "server", "", "play on a private process of this `binary`: redis-server")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		without := "leave out --server"
		switch {
		case cmd.Flags().Changed("server"):
			if err := os.Setenv(faults.ServerEnv, server); err != nil {
				return err
			}
		case playsNothing(cmd): // whatever the environment has
			return nil
		default:
			without = "unset " + faults.ServerEnv
			server = os.Getenv(faults.ServerEnv)
		}
		if server == "" {
			return nil
		}
		if _, err := exec.LookPath(server); err != nil {
			return fmt.Errorf("there is no server %s; install redis-server (7.0 or later), or %s", quoted(server), without)
		}
		if err := faults.TryServer(); err != nil {
			return fmt.Errorf("%s is no server to play on: %w", quoted(server), err)
		}
		return nil
	}
}

// playsNothing reports whether a command needs no server.
func playsNothing(cmd *cobra.Command) bool {
	return cmd.HasSubCommands() || slices.Contains([]string{"help", "matrix", "diff", "grade"}, cmd.Name())
}
