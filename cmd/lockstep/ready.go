package main

import (
	"bytes"
	"context"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/hazards"
	"lockstep/stages"
	"lockstep/workshop"
	"lockstep/workshop/marking"
)

const errNotReady = finding("this machine is not ready")

func readyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "ready",
		Short: "Check that a machine is ready for the workshop",
		Long: `Check that a machine is ready for the workshop: the version of Go, the modules,
that everything compiles, that a lesson runs, and that an exercise is marked. No
network is used. What is compiled here need not be compiled again, so run it the
day before.`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := marking.Root(".")
			if err != nil {
				return lostHere(err)
			}
			for _, check := range readiness {
				found, err := check(cmd.Context(), root)
				if err != nil {
					if err := say(cmd, paint("✗ "+err.Error()+"\n")); err != nil {
						return err
					}
					return errNotReady
				}
				if err := say(cmd, paint("✓ "+found+"\n")); err != nil {
					return err
				}
			}
			return say(cmd, "\n"+try("Ready. The first exercise:", "exercise"))
		},
	}
}

// readiness are the checks, in order. Each says what it has found, or what is
// wrong and what to do.
var readiness = []func(ctx context.Context, root string) (string, error){
	func(ctx context.Context, root string) (string, error) {
		has, err := goTool(ctx, root, "env", "GOVERSION")
		if err != nil {
			return "", fmt.Errorf("there is no go command: install Go from go.dev/dl")
		}
		wants, err := goTool(ctx, root, "list", "-m", "-f", "go{{.GoVersion}}", "lockstep")
		if err != nil {
			return "", fmt.Errorf("%s can't read go.mod: install Go 1.26 or later from go.dev/dl\n%w", has, err)
		}
		if version.Compare(has, wants) < 0 {
			return "", fmt.Errorf("%s is too old: install %s or later from go.dev/dl", has, wants)
		}
		return has + ", and it should be " + wants + " or later", nil
	},
	func(ctx context.Context, root string) (string, error) {
		if said, err := goTool(ctx, root, "list", "-deps", "-test", "./...", "./exercises/..."); err != nil {
			return "", fmt.Errorf("modules are missing; while there is a network: go mod download\n%s", said)
		}
		return "all modules are here", nil
	},
	func(ctx context.Context, root string) (string, error) {
		if said, err := goTool(ctx, root, "test", "-run", "^$", "-vet=off", "./v4_owner", "./exercises/..."); err != nil {
			return "", fmt.Errorf("something does not compile; git status shows what was changed\n%s", said)
		}
		return "everything compiles", nil
	},
	func(context.Context, string) (string, error) {
		broke, err := hazards.MisDelete.Run(stages.V3)
		if err != nil {
			return "", err
		}
		held, err := hazards.MisDelete.Run(stages.V4)
		if err != nil {
			return "", err
		}
		if broke.Outcome != hazards.Breaks || held.Outcome != hazards.Holds {
			return "", fmt.Errorf("MisDelete %s on v3 and %s on v4: it should break and hold", broke.Outcome, held.Outcome)
		}
		return "a lesson runs: MisDelete breaks v3, and v4 holds", nil
	},
	func(ctx context.Context, root string) (string, error) {
		mark, err := marking.Marker{Root: root}.Mark(ctx, workshop.E1, filepath.Join(root, "v1_setnx"))
		if err != nil {
			return "", err
		}
		if mark.Outcome != marking.Passes {
			return "", fmt.Errorf("v1_setnx should pass the first exercise, and %s: %s", mark.Outcome, mark.Said)
		}
		return "an exercise is marked: v1 passes e1", nil
	},
}

// goTool runs the go command without a network, and returns what it says.
func goTool(ctx context.Context, root string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}
