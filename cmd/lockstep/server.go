package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"lockstep/faults"
)

// addServerFlag gives all commands the choice of a real server. What they play
// finds it in the environment, where it may stand already.
func addServerFlag(root *cobra.Command) {
	server := ""
	root.PersistentFlags().StringVar(&server, "server", "", "play on a private process of this `binary`: redis-server")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("server") {
			if err := os.Setenv(faults.ServerEnv, server); err != nil {
				return err
			}
		} else {
			server = os.Getenv(faults.ServerEnv)
		}
		if server == "" {
			return nil
		}
		if _, err := exec.LookPath(server); err != nil {
			return fmt.Errorf("there is no server %s; install redis-server (7.0 or later), or leave it out", quoted(server))
		}
		if err := faults.TryServer(); err != nil {
			return fmt.Errorf("%s is no server to play on: %w", quoted(server), err)
		}
		return nil
	}
}
