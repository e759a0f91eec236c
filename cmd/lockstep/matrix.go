package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/hazards"
	"lockstep/stages"
)

func matrixCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Which hazard breaks which stage, and which draft",
		Long: `Which hazard breaks which stage, and which draft.

With --json: "stages" and "drafts" have a "name" and what each "adds"; drafts
also their "source", and the hazards that they alone are "beaten_by". "hazards"
have a "name", a "story" and "cells": for each "stage" or draft the "outcome"
(breaks, holds, can't arise) and "why".`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return sayJSON(cmd, newMatrixReport())
			}
			return say(cmd, paint(matrixScreen()+"\n"+draftsScreen()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// matrixScreen is the matrix without the rules of Markdown.
func matrixScreen() string {
	var b strings.Builder
	line := func(hazard string, marks func(stages.Stage) string) {
		text := fmt.Sprintf("%-*s", margin, hazard)
		for _, s := range stages.All() {
			text += fmt.Sprintf("%-4s", marks(s))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("hazard", shortName)
	for _, h := range hazards.All() {
		line(h.Name, func(s stages.Stage) string { return h.Expected(s).Outcome.Mark() })
	}
	b.WriteString("\n" + legend)
	return b.String()
}

// draftsScreen lists the drafts in lines that fit.
func draftsScreen() string {
	var b strings.Builder
	for _, d := range wrongTurns() {
		fate := "no hazard beats it"
		if beaten := beatenBy(d); len(beaten) > 0 {
			fate = "✗ " + strings.Join(beaten, ", ")
		}
		b.WriteString(beside(d.Name, fmt.Sprintf("%s (%s)", d.Adds, d.Draft)) + beside("", fate))
	}
	return b.String()
}

// matrixReport is the matrix for machines.
type matrixReport struct {
	Stages  []stageReport  `json:"stages"`
	Hazards []hazardReport `json:"hazards"`
	Drafts  []draftReport  `json:"drafts"`
}

type stageReport struct {
	Name string `json:"name"`
	Adds string `json:"adds"`
}

type draftReport struct {
	stageReport
	Source   string   `json:"source"`
	BeatenBy []string `json:"beaten_by"`
}

type hazardReport struct {
	Name  string       `json:"name"`
	Story string       `json:"story"`
	Cells []cellReport `json:"cells"`
}

type cellReport struct {
	Stage   string          `json:"stage"`
	Outcome hazards.Outcome `json:"outcome"`
	Why     string          `json:"why"`
}

func newMatrixReport() matrixReport {
	var r matrixReport
	for _, s := range stages.All() {
		r.Stages = append(r.Stages, stageReport{s.Name, s.Adds})
	}
	for _, d := range wrongTurns() {
		r.Drafts = append(r.Drafts, draftReport{stageReport{d.Name, d.Adds}, d.Draft, beatenBy(d)})
	}
	for _, h := range hazards.All() {
		row := hazardReport{Name: h.Name, Story: h.Story}
		for _, s := range slices.Concat(stages.All(), stages.Drafts()) {
			c := h.Expected(s)
			row.Cells = append(row.Cells, cellReport{s.Name, c.Outcome, c.Why})
		}
		r.Hazards = append(r.Hazards, row)
	}
	return r
}
