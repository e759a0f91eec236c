package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"lockstep/hazards"
	"lockstep/stages"
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
	case len(words) == 3 && words[0] == "timeline":
		return timeline(words[1], words[2])
	}
	return "", fmt.Errorf("there is no block %q", strings.Join(words, " "))
}

// timeline plays a hazard on a stage.
func timeline(hazard, stage string) (string, error) {
	for _, h := range hazards.All() {
		for _, s := range slices.Concat(stages.All(), stages.Drafts()) {
			if h.Name != hazard || s.Name != stage {
				continue
			}
			r, err := h.Run(s)
			if err != nil {
				return "", err
			}
			return "```text\n" + r.Timeline.String() + "```\n", nil
		}
	}
	return "", fmt.Errorf("there is no hazard %s on a stage %s", hazard, stage)
}
