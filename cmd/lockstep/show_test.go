package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lockstep/hazards"
	"lockstep/stages"
)

// Every hazard on every stage and draft is readable on 80 columns, and ends with
// the reason that stands in the matrix.
func TestEveryShowingFits(t *testing.T) {
	skipTexts(t)
	t.Parallel()
	all := slices.Concat(stages.All(), stages.Drafts())
	for nth, h := range hazards.All() {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			for i, s := range all {
				if i%4 != nth%4 && os.Getenv(allEnv) == "" {
					continue // each stage with some hazards, and each hazard with some stages
				}
				shown, err := newShowing(h.Name, s.Name)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := shown.Runs[0].Why, h.Expected(s).Why; got != want {
					t.Errorf("%s: the reason is %q, want %q", s, got, want)
				}
				text := shown.String()
				if !strings.Contains(strings.Join(strings.Fields(text), " "), h.Expected(s).Why) {
					t.Errorf("%s: the reason is not shown:\n%s", s, text)
				}
				for line := range strings.Lines(text) {
					if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > wide {
						t.Errorf("%s: too wide: %s", s, line)
					}
				}
			}
		})
	}
}
