package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lockstep/hazards"
	"lockstep/stages"
)

const legend = "✗ breaks, ✓ holds, – can't arise\n"

// matrix is the table of hazards and stages.
func matrix() string {
	head := []string{"hazard"}
	for _, s := range stages.All() {
		head = append(head, shortName(s))
	}
	var rows [][]string
	for _, h := range hazards.All() {
		row := []string{h.Name}
		for _, s := range stages.All() {
			row = append(row, h.Expected(s).Outcome.Mark())
		}
		rows = append(rows, row)
	}
	return table(head, rows) + "\n" + legend
}

// shortName is what a stage is called for short: v4. A draft has one name.
func shortName(s stages.Stage) string {
	if s.Like != "" {
		return s.Name
	}
	number, _, _ := strings.Cut(s.Name, "_")
	return number
}

// drafts is the table of the wrong turns and the hazards that beat each.
func drafts() string {
	var rows [][]string
	for _, d := range wrongTurns() {
		rows = append(rows, []string{d.Name, d.Draft, d.Adds, strings.Join(beatenBy(d), ", ")})
	}
	return table([]string{"draft", "source", "what it does", "beaten by"}, rows)
}

// wrongTurns lists the drafts that have a source: v5's other release has none.
func wrongTurns() []stages.Stage {
	return slices.DeleteFunc(stages.Drafts(), func(d stages.Stage) bool { return d.Draft == "" })
}

// beatenBy names the hazards that break a draft, but not the stage that it is
// like.
func beatenBy(draft stages.Stage) []string {
	beaten := []string{}
	for _, h := range hazards.All() {
		like := h.Expected(stages.Stage{Name: draft.Like})
		if h.Expected(draft).Outcome == hazards.Breaks && like.Outcome != hazards.Breaks {
			beaten = append(beaten, h.Name)
		}
	}
	return beaten
}

// repairs names the hazards that break one stage and not the other.
func repairs(was, is stages.Stage) []string {
	var repaired []string
	for _, h := range hazards.All() {
		if h.Expected(was).Outcome == hazards.Breaks && h.Expected(is).Outcome == hazards.Holds {
			repaired = append(repaired, h.Name)
		}
	}
	return repaired
}

// steps is the table of the stages.
func steps() string {
	var rows [][]string
	for _, s := range stages.All() {
		rows = append(rows, []string{s.Name, s.Adds})
	}
	return table([]string{"stage", "adds"}, rows)
}

// table lays out rows in Markdown, aligned so that it reads well as plain text.
func table(head []string, rows [][]string) string {
	wide := make([]int, len(head))
	rule := make([]string, len(head))
	for i := range head {
		wide[i] = utf8.RuneCountInString(head[i])
		for _, row := range rows {
			wide[i] = max(wide[i], utf8.RuneCountInString(row[i]))
		}
		rule[i] = strings.Repeat("-", wide[i])
	}
	var b strings.Builder
	for _, row := range append([][]string{head, rule}, rows...) {
		for i, cell := range row {
			fmt.Fprintf(&b, "| %s%s ", cell, strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell)))
		}
		b.WriteString("|\n")
	}
	return b.String()
}
