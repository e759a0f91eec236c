package main

import (
	"fmt"
	"strings"

	"lockstep/hazards"
	"lockstep/stages"
	"lockstep/workshop"
	"lockstep/workshop/starters"
)

// tasks is the table of the exercises, and of what befalls the lock that each
// begins with.
func tasks() string {
	var rows [][]string
	for _, e := range workshop.All() {
		rows = append(rows, []string{fmt.Sprintf("[%s](exercises/%[1]s/README.md)", e.Name), e.Wins[0].Story})
	}
	return table([]string{"exercise", "until you have built it"}, rows)
}

// beyond is a hazard on what comes after the stages, as text.
func beyond(words []string) (string, error) {
	if len(words) != 2 || words[0] != stages.Fenced.Name {
		return "", fmt.Errorf("beyond the stages there is %s, and a hazard on it", stages.Fenced)
	}
	for _, h := range []hazards.Hazard{hazards.StopTheWorld, workshop.LateButFirst} {
		if h.Name == words[1] {
			r, err := h.Run(stages.Fenced)
			if err != nil {
				return "", err
			}
			return fenced("text", ran(r)), nil
		}
	}
	return "", fmt.Errorf("%s is not played on %s", words[1], words[0])
}

// firstSight is what a check shows of the lock that an exercise begins with.
func firstSight(words []string) (string, error) {
	if len(words) != 2 {
		return "", fmt.Errorf("exercise which, and which of its checks?")
	}
	for _, entry := range starters.Entries() {
		if entry.Exercise.Name != words[0] {
			continue
		}
		for _, check := range entry.Exercise.Checks() {
			if check.Name != words[1] {
				continue
			}
			r := entry.Examine(check)
			if r.OK {
				return "", fmt.Errorf("%s passes %s from the start", words[0], words[1])
			}
			return fenced("text", check.Report(r)), nil
		}
		return "", fmt.Errorf("%s does not ask for %s", words[0], words[1])
	}
	return "", fmt.Errorf("there is no exercise %s", strings.Join(words, " "))
}
