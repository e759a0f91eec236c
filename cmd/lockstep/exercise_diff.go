package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep"
	"lockstep/workshop"
)

func exerciseDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff [EXERCISE]",
		Short: "See what changed since it last passed",
		Long: `What changed in an exercise, or in the next one, since it last passed. If it never
has: what you changed in the starter.`,
		Example: "  lockstep exercise diff e4",
		Args:    between(0, 1),
		RunE: atDesk(func(ctx context.Context, l learner, cmd *cobra.Command, args []string) error {
			e, left, err := l.asked(ctx, args)
			if err != nil {
				return err
			}
			if !left {
				return l.sayDone(cmd)
			}
			text, err := l.diff(e)
			if err != nil {
				return err
			}
			return say(cmd, text)
		}),
	}
}

// mostLines is how long two files may be to be compared: each pair of lines
// takes its time.
const mostLines = 3000

// diff shows what changed in an exercise since it last passed, or since it came.
func (l learner) diff(e workshop.Exercise) (string, error) {
	folder := l.File(e, "")
	is, err := goFiles(folder)
	if err != nil {
		return "", err
	}
	was, from, since := map[string]string{"lock.go": workshop.Starter(e.Name)}, "the starter", "it came"
	if green, ok := l.Green(e); ok {
		if was, err = goFiles(green); err != nil {
			return "", err
		}
		from, since = l.path(green), "it last passed"
	}
	names := maps.Clone(was)
	maps.Copy(names, is)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old, now := filepath.Join(from, name), l.path(filepath.Join(folder, name))
		switch {
		case was[name] == is[name]:
		case max(strings.Count(was[name], "\n"), strings.Count(is[name], "\n")) > mostLines:
			fmt.Fprintf(&b, "%s has changed, and is too long to be compared here.\n", now)
		default:
			b.WriteString(paintDiff(lockstep.Changes(old, was[name], now, is[name])))
		}
	}
	if b.Len() == 0 {
		return fmt.Sprintf("%s is as it was when %s.\n", e.Name, since), nil
	}
	return b.String(), nil
}

// goFiles reads the Go files in a folder, and below it, by their paths from
// there. Tests are left out: they are not the learner's.
func goFiles(folder string) (map[string]string, error) {
	all := map[string]string{}
	files := os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		all[name] = string(text)
		return err
	})
	return all, err
}
