package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lockstep/hazards"
	"lockstep/stages"
)

// matrix is the table of hazards and stages.
func matrix() string {
	head := []string{"hazard"}
	for _, s := range stages.All() {
		short, _, _ := strings.Cut(s.Name, "_")
		head = append(head, short)
	}
	var rows [][]string
	for _, h := range hazards.All() {
		row := []string{h.Name}
		for _, s := range stages.All() {
			row = append(row, h.Expected(s).Outcome.Mark())
		}
		rows = append(rows, row)
	}
	return table(head, rows) + "\n✗ breaks, ✓ holds, – can't arise\n"
}

// drafts is the table of the wrong turns and the hazards that beat each, but
// not the stage that it is like.
func drafts() string {
	var rows [][]string
	for _, d := range stages.Drafts() {
		if d.Draft == "" {
			continue
		}
		var beaten []string
		for _, h := range hazards.All() {
			like := h.Expected(stages.Stage{Name: d.Like})
			if h.Expected(d).Outcome == hazards.Breaks && like.Outcome != hazards.Breaks {
				beaten = append(beaten, h.Name)
			}
		}
		rows = append(rows, []string{d.Name, d.Draft, d.Adds, strings.Join(beaten, ", ")})
	}
	return table([]string{"draft", "source", "what it does", "beaten by"}, rows)
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
