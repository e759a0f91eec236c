package main

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
)

// page is a text in the making, for a terminal that is so wide.
type page struct {
	strings.Builder
	wide int
}

// say adds a sentence, broken where it must be.
func (p *page) say(format string, args ...any) {
	p.WriteString(lipgloss.Wrap(fmt.Sprintf(format, args...), p.wide, "") + "\n")
}

// show adds what others have said, as they said it.
func (p *page) show(text string) { p.WriteString(strings.TrimRight(text, "\n") + "\n") }

// item adds a line of a list.
func (p *page) item(mark, name, text string) {
	const margin = len("e6_reentrant_hash") + 2
	label := mark + " " + fmt.Sprintf("%-*s", margin, name)
	for line := range strings.SplitSeq(lipgloss.Wrap(text, max(p.wide-margin-2, 10), ""), "\n") {
		p.WriteString(strings.TrimRight(label+line, " ") + "\n")
		label = strings.Repeat(" ", margin+2)
	}
}

// next adds what can be done next: the path of a file, or a command of this
// program. Where there is no room for the reason, it is left out.
func (p *page) next(what, why string) {
	const column = len("go run ./cmd/lockstep exercise run e4 --all")
	if why == "" || 4+column+2+len(why) > p.wide {
		p.WriteString("    " + what + "\n")
		return
	}
	fmt.Fprintf(&p.Builder, "    %-*s  %s\n", column, what, why)
}
