package main

import (
	"fmt"
	"strings"

	"lockstep/workshop"
	"lockstep/workshop/wrong"
)

// mistakes lists what people write, by exercise, with the check that shows it.
func mistakes() string {
	var b strings.Builder
	for _, e := range workshop.All() {
		var rows [][]string
		for _, l := range wrong.All() {
			if l.Exercise.Name == e.Name {
				rows = append(rows, []string{l.Name, l.Mistake, l.Check})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "%s\n", table([]string{"in " + e.Name, "what it is", "shown by"}, rows))
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
