package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"
)

const (
	wide   = 80 // no line is wider
	margin = 22 // of labels at the left; the longest name of a draft fits
)

// Red and green are the terminal's own, which its owner can read on light and on
// dark ground.
var (
	bad   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	good  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	aside = lipgloss.NewStyle().Faint(true)
)

var marked = regexp.MustCompile(`[✗✓](?: [^ ✗✓–\n][^✗✓–\n]*)?|–`)

// paint colours ✗, ✓ and what they say, and the mark –.
func paint(text string) string {
	return marked.ReplaceAllStringFunc(text, func(part string) string {
		switch {
		case strings.HasPrefix(part, "✗"):
			return bad.Render(part)
		case strings.HasPrefix(part, "✓"):
			return good.Render(part)
		default:
			return aside.Render(part)
		}
	})
}

// say writes what a command has to say. Its colours are left out where the
// output is no terminal, or NO_COLOR is set to anything (no-color.org).
func say(cmd *cobra.Command, text string) error {
	out := colorprofile.NewWriter(cmd.OutOrStdout(), os.Environ())
	if os.Getenv("NO_COLOR") != "" {
		out.Profile = colorprofile.NoTTY
	}
	_, err := io.WriteString(out, text)
	return err
}

// sayJSON writes v for a machine to read.
func sayJSON(cmd *cobra.Command, v any) error {
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

// wrap breaks a text into lines that fit.
func wrap(text string) string { return wrapTo(text, wide) }

func wrapTo(text string, width int) string { return lipgloss.Wrap(text, width, "") + "\n" }

// beside is a text with a label at its left.
func beside(label, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(lipgloss.Wrap(text, wide-margin, ""), "\n") {
		fmt.Fprintf(&b, "%-*s%s\n", margin, label, line)
		label = ""
	}
	return b.String()
}
