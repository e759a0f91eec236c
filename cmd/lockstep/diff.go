package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"lockstep"
	"lockstep/stages"
)

func diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff STAGE STAGE",
		Short: "What a step changes in the code",
		Long: `What changes from the lock.go of one stage to that of another. Long lines are
folded; for a patch, run diff -u v3_expire/lock.go v4_owner/lock.go.`,
		Example: "  lockstep diff v3 v4",
		Args:    between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			was, err := findWithSource(args[0])
			if err != nil {
				return err
			}
			is, err := findWithSource(args[1])
			if err != nil {
				return err
			}
			if was.Name == is.Name {
				return fmt.Errorf("nothing changes from %s to itself", was)
			}
			text, err := lockstep.Diff(source(was), source(is))
			if err != nil {
				return err
			}
			more, err := moreIn(is)
			if err != nil {
				return err
			}
			if repaired := repairs(was, is); len(repaired) > 0 {
				more += beside("What it repairs:", strings.Join(repaired, ", "))
			}
			if more != "" {
				more = "\n" + more
			}
			return say(cmd, paintDiff(text)+more)
		},
	}
}

// findWithSource finds a stage that has a lock.go.
func findWithSource(name string) (stages.Stage, error) {
	s, err := findStage(name)
	if err == nil && s.Like != "" {
		err = fmt.Errorf("diff compares stages, and %s is a variant of %s", s, s.Like)
	}
	return s, err
}

// source is the file that is the lesson of a stage.
func source(s stages.Stage) string {
	if s.Name == stages.V0.Name {
		return "stages/mutex.go"
	}
	return s.Name + "/lock.go"
}

// moreIn says which other files a stage has, beside its story and its tests.
func moreIn(s stages.Stage) (string, error) {
	files, err := fs.Glob(lockstep.Sources, s.Name+"/*.go")
	if err != nil {
		return "", err
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return file == source(s) || path.Base(file) == "doc.go" || strings.HasSuffix(file, "_test.go")
	})
	if len(files) == 0 {
		return "", nil
	}
	return beside("More of it:", strings.Join(files, ", ")), nil
}

// paintDiff folds the lines of a diff so that they fit, and colours them.
func paintDiff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		style := lipgloss.NewStyle()
		switch line[0] {
		case '-':
			style = bad
		case '+':
			style = good
		case '@':
			style = aside
		}
		for _, part := range folded(line) {
			b.WriteString(style.Render(part) + "\n")
		}
	}
	return b.String()
}

// folded is a line of a diff in parts that fit. Each part begins with the line's
// sign, and all but the first are indented.
func folded(line string) []string {
	sign, code := line[:1], strings.ReplaceAll(line[1:], "\t", "    ")
	if lipgloss.Width(sign+code) <= wide {
		return []string{sign + code}
	}
	text := strings.TrimLeft(code, " ")
	indent := sign + code[:len(code)-len(text)]
	const deeper = "    "
	parts := strings.Split(lipgloss.Wrap(text, wide-len(indent)-len(deeper), ""), "\n")
	for i := range parts {
		if i > 0 {
			parts[i] = deeper + parts[i]
		}
		parts[i] = indent + parts[i]
	}
	return parts
}
