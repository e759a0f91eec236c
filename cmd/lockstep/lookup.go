package main

import (
	"slices"
	"strings"

	"lockstep/hazards"
	"lockstep/stages"
)

// findStage finds a stage or a draft by its name: v4, v4_owner, two_commands.
func findStage(name string) (stages.Stage, error) {
	all := slices.Concat(stages.All(), stages.Drafts())
	var names []string
	for _, s := range stages.All() {
		if fold(name) == shortName(s) {
			return s, nil
		}
		names = append(names, shortName(s))
	}
	for _, s := range all {
		if fold(name) == fold(s.Name) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return stages.Stage{}, unknown("stage", name, names, "lockstep matrix lists them")
}

// findHazard finds a hazard by its name.
func findHazard(name string) (hazards.Hazard, error) {
	var names []string
	for _, h := range hazards.All() {
		if fold(name) == fold(h.Name) {
			return h, nil
		}
		names = append(names, h.Name)
	}
	return hazards.Hazard{}, unknown("hazard", name, names, "lockstep matrix lists them")
}

// fold makes names equal that differ in how they are written alone.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
