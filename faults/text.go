package faults

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// The columns of a timeline as text. It is 72 wide, so that `go test` may
// indent it twice and still fit a terminal of 80.
const (
	timeWide  = 8
	stateWide = 17
	textWide  = 72 - timeWide - stateWide
	// Clients' columns overlap: each begins a little further right than the
	// one before, and its text runs on.
	mostColumns = 6
	columnWide  = 6

	// mostCommands is how many commands of a pipeline a line tells.
	mostCommands = 6
)

// String is the timeline for people: a column for each client, the watched
// key's state at the right, the verdict at the end.
func (t *Timeline) String() string { return t.Short(len(t.Steps)) }

// Short is the timeline for people, of the first and the last steps if it has more
// than most. A step that breaks the promise is always among them.
func (t *Timeline) Short(most int) string {
	var b strings.Builder
	t.header(&b)
	left := 0
	tell := func() {
		if left > 0 {
			row(&b, "", fmt.Sprintf("… %d steps are left out …", left), "")
		}
		left = 0
	}
	for i, s := range t.Steps {
		if i >= most/2 && i < len(t.Steps)-(most-most/2) && s.Broken == "" {
			left++
			continue
		}
		tell()
		t.line(&b, s)
	}
	tell()
	switch {
	case t.Broke:
		fmt.Fprintf(&b, "✗ %s\n", t.Verdict)
	case t.Verdict != "":
		fmt.Fprintf(&b, "– %s\n", t.Verdict)
	}
	return b.String()
}

func (t *Timeline) header(b *strings.Builder) {
	names := ""
	for i, c := range t.Clients {
		if i < mostColumns {
			names = strings.TrimLeft(pad(names+" ", t.column(c)), " ") + c // a long name moves the next
		}
	}
	row(b, "time", cut(names, textWide-1), t.Watch)
}

// column is where a client's text begins.
func (t *Timeline) column(client string) int {
	for i, c := range t.Clients {
		if c == client && i < mostColumns {
			return i * min(columnWide, columnWide*4/max(1, min(len(t.Clients), mostColumns)))
		}
	}
	return 0
}

func (t *Timeline) line(b *strings.Builder, s *Step) {
	text := s.say()
	if len(t.Clients) > mostColumns && s.Client != "" {
		text = s.Client + ": " + text
	}
	if s.Times > 1 {
		text += fmt.Sprintf(" ×%d until %s", s.Times, clock(s.Last))
	}
	indent := t.column(s.Client)
	at, state := stopwatch(s.At), s.state()
	for i, part := range wrap(text, textWide-1-indent) {
		if i > 0 {
			part = "  " + part
		}
		row(b, at, strings.Repeat(" ", indent)+part, state)
		at, state = "", ""
	}
	if s.Broken != "" {
		mark := "✗ "
		if !t.Broke {
			mark = "! " // true all the same, and not what this play is about
		}
		for i, part := range wrap(mark+s.Broken, textWide-1-indent) {
			if i > 0 {
				part = "  " + part
			}
			row(b, "", strings.Repeat(" ", indent)+part, "")
		}
	}
}

// say is the step in words.
func (s *Step) say() string {
	var parts []string
	for i, words := range s.Commands {
		if left := len(s.Commands) - i; i == mostCommands && left > 1 {
			parts = append(parts, fmt.Sprintf("and %d more", left))
			break
		}
		part := strings.Join(words, " ")
		if i < len(s.Replies) && s.Replies[i] != "QUEUED" {
			part += answers + s.Replies[i]
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, "; ")
	switch {
	case s.Fault != "" && text != "":
		return text + " ── " + s.Fault + " ──"
	case s.Fault != "":
		return "── " + s.Fault + " ──"
	case s.Note != "":
		return "── " + s.Note + " ──"
	case s.Passed != 0:
		return "── " + clock(s.Passed) + " passed ──"
	}
	return text
}

// state is what the watched keys hold after the step, in a few words.
func (s *Step) state() string {
	switch len(s.After) {
	case 0:
		return "free"
	case 1:
		h := s.After[0]
		left := ", " + s.left(h, stateWide-len([]rune(h.Value))-2)
		return cut(h.Value, stateWide-len(left)) + left
	}
	var values []string
	for _, h := range s.After {
		values = append(values, h.Value)
	}
	return fmt.Sprintf("%d keys: %s", len(values), strings.Join(values, ", "))
}

// left is how long a lock lasts after the step, if nobody does anything: in no more
// than so many characters, if it need not be too inexact for that.
func (s *Step) left(h Holding, wide int) string {
	left := h.Ends - s.At
	switch {
	case h.Ends == Never:
		return "no lease"
	case left > year:
		return "years left"
	}
	for _, unit := range units {
		if said := clock(left.Truncate(unit)) + " left"; len(said) <= wide {
			return said
		}
	}
	return clock(left.Truncate(units[len(units)-1])) + " left"
}

// clock is a duration as a stop-watch would show it: 1m5s is 65s.
func clock(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", d.Seconds()), "0"), ".") + "s"
}

// units are how exact a time is shown: the first where there is room for it.
var units = []time.Duration{time.Nanosecond, time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}

// stopwatch is an instant for the column of times: to the millisecond, and less
// exact where that would not fit.
func stopwatch(d time.Duration) string {
	for _, unit := range units {
		if at := clock(d.Truncate(unit)); len(at) < timeWide {
			return at
		}
	}
	return clock(d.Truncate(time.Second))
}

func row(b *strings.Builder, at, text, state string) {
	line := pad(pad(at, timeWide)+text, timeWide+textWide) + cut(state, stateWide)
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// cut shortens s to width, with dots in place of what is gone.
func cut(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:max(1, width-1)]) + "…"
}

// pad fills s up with spaces to width.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// noBreak is a space at which wrap breaks no line.
const noBreak = "\u00a0"

// answers stands between a command and its reply.
const answers = noBreak + "→" + noBreak

// wrap breaks text at spaces so that no part is wider than width, where it can.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width-2*min(1, len(lines)):
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	lines = append(lines, line)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], noBreak, " ")
	}
	return lines
}
