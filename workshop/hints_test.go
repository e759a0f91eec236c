package workshop

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Hints lead a learner on in steps, fit a terminal, and leave the solution to
// whoever reads them.
func TestHints(t *testing.T) {
	const fewest, mostCode, widest = 3, 8, 80
	numbered := regexp.MustCompile(`(?m)^## (\d+)$`)
	for _, e := range All() {
		got := Hints(e.Name)
		if len(got) < fewest {
			t.Errorf("%s has %d hints, want %d at least", e.Name, len(got), fewest)
		}
		text, err := hints.ReadFile("hints/" + e.Name + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		for i, m := range numbered.FindAllStringSubmatch(string(text), -1) {
			if m[1] != string(rune('1'+i)) {
				t.Errorf("%s: hint %d has the number %s", e.Name, i+1, m[1])
			}
		}
		for i, hint := range got {
			code := 0
			for line := range strings.Lines(hint) {
				if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > widest {
					t.Errorf("%s: hint %d is too wide: %s", e.Name, i+1, line)
				}
				if strings.HasPrefix(line, "    ") {
					code++
				}
			}
			if code > mostCode {
				t.Errorf("%s: hint %d has %d lines of code, want %d at most", e.Name, i+1, code, mostCode)
			}
			if strings.Contains(hint, "```") {
				t.Errorf("%s: hint %d has code that is not indented", e.Name, i+1)
			}
		}
		if len(got) > 0 && !strings.Contains(got[0], "?") {
			t.Errorf("%s: the first hint asks nothing", e.Name)
		}
	}
	if Hints("e9_magic") != nil {
		t.Error("hints for an exercise that is not there")
	}
}
