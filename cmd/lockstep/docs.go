package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"lockstep/hazards"
)

// A document has blocks that are printed by the code:
//
//	<!-- lockstep: matrix -->
//	…
//	<!-- end -->
var block = regexp.MustCompile(`(?s)(<!-- lockstep: ([^>]*) -->\n).*?(<!-- end -->)`)

// document brings the blocks of a file up to date, or checks that they are.
func document(file string, check bool) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := fill(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	switch {
	case text == string(old):
		return nil
	case check:
		return fmt.Errorf("%s is %w", file, errStale)
	default:
		return os.WriteFile(file, []byte(text), 0o644)
	}
}

// fill renews every block of a text.
func fill(text string) (string, error) {
	if strings.Count(text, "<!-- lockstep: ") != len(block.FindAllString(text, -1)) {
		return "", fmt.Errorf("a block is not closed by <!-- end -->")
	}
	var failed error
	text = block.ReplaceAllStringFunc(text, func(old string) string {
		parts := block.FindStringSubmatch(old)
		content, err := content(strings.Fields(parts[2]))
		if err != nil && failed == nil {
			failed = err
		}
		return parts[1] + content + parts[3]
	})
	return text, failed
}

// content is what a block shows.
func content(words []string) (string, error) {
	switch {
	case slices.Equal(words, []string{"matrix"}):
		return matrix(), nil
	case slices.Equal(words, []string{"drafts"}):
		return drafts(), nil
	case slices.Equal(words, []string{"stages"}):
		return steps(), nil
	case slices.Equal(words, []string{"schedules"}):
		return schedules()
	case slices.Equal(words, []string{"mistakes"}):
		return mistakes(), nil
	case slices.Equal(words, []string{"exercises"}):
		return tasks(), nil
	case len(words) == 3 && words[0] == "timeline":
		return timeline(words[1], words[2])
	case len(words) > 0 && blocks[words[0]] != nil:
		return blocks[words[0]](words[1:])
	}
	return "", fmt.Errorf("there is no block %q", strings.Join(words, " "))
}

// timeline is a run of a hazard on a stage.
func timeline(hazard, stage string) (string, error) {
	r, err := played(hazard, stage)
	if err != nil {
		return "", err
	}
	return fenced("text", ran(r)), nil
}

// ran is a run as text. Where the lock holds, the last line says why.
func ran(r hazards.Result) string {
	text := r.Timeline.String()
	if r.Outcome == hazards.Holds {
		text += r.Outcome.Mark() + " " + r.Why + "\n"
	}
	return text
}
