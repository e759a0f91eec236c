package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	level    = regexp.MustCompile(`(?m)^## Level \d: .+$`)
	question = regexp.MustCompile(`(?m)^### .+$`)
	part     = regexp.MustCompile(`(?m)^\*\*(Answer|The trap|The follow-up|The command that shows it)\.\*\*\s`)
	shownBy  = regexp.MustCompile("(?m)^```sh\n.+\n```\n\n<!-- expect: (?:green|red \"[^\"]+\") -->$")
	toHere   = regexp.MustCompile(`\[([^\]]+)\]\(#([^)]+)\)`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	filler   = regexp.MustCompile(`(?i)\b(?:simply|just|obviously)\b`)
)

// anchor is the name that forges give to a heading.
func anchor(heading string) string {
	name := strings.ToLower(strings.TrimLeft(heading, "# "))
	return strings.ReplaceAll(noAnchor.ReplaceAllString(name, ""), " ", "-")
}

func interview(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "INTERVIEW.md"))
	require.NoError(t, err)
	return string(text)
}

// Each question has an answer that can be said aloud, a trap, a follow-up, and a
// command that shows it, or a sentence that says who tells it.
func TestInterview(t *testing.T) {
	t.Parallel()
	text := interview(t)
	require.Len(t, level.FindAllString(text, -1), 4)
	require.NotRegexp(t, filler, text)

	headings := question.FindAllString(text, -1)
	require.GreaterOrEqual(t, len(headings), 40)
	for i, body := range question.Split(text, -1)[1:] {
		body = level.Split(body, 2)[0]
		var names []string
		for _, m := range part.FindAllStringSubmatch(body, -1) {
			names = append(names, m[1])
		}
		require.Equal(t, []string{"Answer", "The trap", "The follow-up", "The command that shows it"}, names, headings[i])

		parts := part.Split(body, -1)
		words := len(strings.Fields(parts[1]))
		require.True(t, words >= 60 && words <= 150, "%s: the answer has %d words", headings[i], words)

		shown := shownBy.FindAllString(parts[4], -1)
		require.Len(t, shown, strings.Count(parts[4], "```sh"), "%s: a command without its outcome", headings[i])
		require.True(t, len(shown) > 0 || strings.HasPrefix(parts[4], "Not shown here"), headings[i])
	}
}

// The index names each level and each question, in order, by its anchor.
func TestInterviewIndex(t *testing.T) {
	t.Parallel()
	text := interview(t)
	var want, got [][2]string
	for _, h := range regexp.MustCompile(`(?m)^(?:## Level|###) .+$`).FindAllString(text, -1) {
		want = append(want, [2]string{strings.TrimLeft(h, "# "), anchor(h)})
	}
	for _, m := range toHere.FindAllStringSubmatch(text, -1) {
		got = append(got, [2]string{m[1], m[2]})
	}
	require.Equal(t, want, got)
}
