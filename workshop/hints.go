package workshop

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed hints/*.md
var hints embed.FS

// hintHeading is the line above each hint: ## 1.
var hintHeading = regexp.MustCompile(`(?m)^## \d+\n`)

// Hints lists the hints of an exercise by its name, from a question to think
// about to the shape of the code. None is the whole solution. There are none if
// there is no such exercise.
func Hints(exercise string) []string {
	text, err := hints.ReadFile("hints/" + exercise + ".md")
	if err != nil {
		return nil
	}
	var all []string
	for _, hint := range hintHeading.Split(string(text), -1)[1:] {
		all = append(all, strings.TrimSpace(hint))
	}
	return all
}
