package main

import (
	"fmt"
	"strings"

	"lockstep/hazards"
	"lockstep/stages"
)

const title = "A Redis lock that grows up in seven steps, and breaks at each"

// start is what the bare command shows: the stages, what each adds, what breaks
// it and not the next one, and what to run now.
func start() string {
	var b strings.Builder
	b.WriteString(title + ".\n\n")
	all := stages.All()
	for i, s := range all {
		breaks := stillBreak(s)
		if i+1 < len(all) {
			breaks = repairs(s, all[i+1])
		}
		b.WriteString(beside(s.Name, s.Adds) + beside("", "✗ "+strings.Join(breaks, ", ")))
	}
	b.WriteString("\nWhat to run next:\n")
	for _, n := range nextCommands {
		fmt.Fprintf(&b, "    %s %-18s%s\n", self(), n.command, n.why)
	}
	return b.String()
}

var nextCommands = []struct{ command, why string }{
	{"show TwoServers", "see the first one break"},
	{"diff v0 v1", "what repairs it, in the code"},
	{"seckill v1", "a flash sale under that"},
	{"explore v4", "let the machine look for a bug"},
	{"play v4", "look for it yourself"},
	{"matrix", "all that breaks any of them"},
	{"exercise", "build the locks yourself"},
	{"help", "what else there is"},
}

// stillBreak names the hazards that break a stage.
func stillBreak(s stages.Stage) []string {
	var names []string
	for _, h := range hazards.All() {
		if h.Expected(s).Outcome == hazards.Breaks {
			names = append(names, h.Name)
		}
	}
	return names
}
