package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"lockstep/explore"
	"lockstep/faults"
)

// keys choose among the moves, in their order. Letters that mean something else
// are left out.
const keys = "123456789abcdefgijklmnop"

// patience is how long a player waits for a hint, in real time.
const patience = 3 * time.Second

// tail is how many lines of the timeline are shown: the moves must fit below.
const tail = 9

// game is a world whose adversary is the player. Where it stands depends on the
// moves alone, so each move runs all of them again, and undo is one move less.
type game struct {
	explore.Question
	path faults.Schedule
	view explore.View
	says string // the answer to the last input
	told bool   // how far the next break is, for this path
}

func newGame(q explore.Question) (*game, error) {
	g := &game{Question: q}
	return g, g.goTo(nil)
}

// goTo goes where a schedule leads. If that can't be, nothing changes.
func (g *game) goTo(path faults.Schedule) error {
	view, err := explore.Look(g.Question, path)
	if err != nil {
		return err
	}
	g.path, g.view, g.told = path, view, false
	return nil
}

// do takes a line of input: a command, the key of a move, or moves as a schedule
// spells them. It reports whether the player has had enough.
func (g *game) do(input string) (quit bool, err error) {
	g.says = ""
	switch input = strings.TrimSpace(input); input {
	case "":
	case "q":
		return true, nil
	case "u":
		if len(g.path) == 0 {
			g.says = "There is no move to take back."
			break
		}
		return false, g.goTo(g.path[:len(g.path)-1])
	case "r":
		return false, g.goTo(nil)
	case "h":
		return false, g.hint()
	default:
		return false, g.move(input)
	}
	return false, nil
}

// move makes the moves that input spells, as long as they fit.
func (g *game) move(input string) error {
	moves, ok := g.spelled(input)
	if !ok {
		return nil
	}
	for _, c := range moves {
		if !g.offers(c) {
			g.says = fmt.Sprintf("%s is no move here.", c)
			return nil
		}
		before := g.view.Broken
		if err := g.goTo(append(g.path[:len(g.path):len(g.path)], c)); err != nil {
			return err
		}
		for _, p := range g.view.Broken {
			if slices.Contains(before, p) {
				continue
			}
			if err := g.praise(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// spelled is the moves that input spells. If it spells none, the game says so.
func (g *game) spelled(input string) (moves faults.Schedule, ok bool) {
	if i := strings.Index(keys, input); len(input) == 1 && i >= 0 {
		if i < len(g.view.Moves) {
			return faults.Schedule{g.view.Moves[i].Choice}, true
		}
		g.says = fmt.Sprintf("There is no move %s.", input)
		return nil, false
	}
	moves, err := faults.ParseSchedule(input)
	if err != nil {
		g.says = fmt.Sprintf("%s is no move: type a key of the list, or a choice like A or A?.", quoted(input))
	}
	return moves, err == nil
}

func (g *game) offers(c faults.Choice) bool {
	return slices.ContainsFunc(g.view.Moves, func(m explore.Move) bool { return m.Choice == c })
}

// praise holds a break against the best there is.
func (g *game) praise(p explore.Property) error {
	best, err := g.search(nil, p)
	if err != nil {
		return err
	}
	g.says = fmt.Sprintf("Broken in %s.", amount(len(g.path), "move", "moves"))
	switch shortest, found := best.Broken(p); {
	case found && len(shortest.Schedule) == len(g.path):
		g.says += " It can't be done in fewer."
	case found && len(shortest.Schedule) < len(g.path):
		g.says += fmt.Sprintf(" It can be done in %d.", len(shortest.Schedule))
	}
	return nil
}

// hint says how far the next break is, and, asked again, which way.
func (g *game) hint() error {
	r, err := g.search(g.path, explore.Any)
	if err != nil {
		return err
	}
	var next faults.Schedule
	for _, b := range r.Breaks {
		if len(b.Schedule) > len(g.path) && (next == nil || len(b.Schedule) < len(next)) {
			next = b.Schedule
		}
	}
	switch away := len(next) - len(g.path); {
	case next == nil && r.Exhausted:
		g.says = "Nothing more can break from here, within what is left."
	case next == nil:
		g.says = fmt.Sprintf("No break within %s from here.", amount(max(0, r.Depth-len(g.path)), "move", "moves"))
	case g.told:
		g.says = fmt.Sprintf("Try %s.", next[len(g.path)])
	default:
		g.told = true
		g.says = fmt.Sprintf("A shortest break is %s away. h again tells the next.", amount(away, "move", "moves"))
	}
	return nil
}

// search looks for a shortest break behind a schedule.
func (g *game) search(from faults.Schedule, until explore.Property) (explore.Report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	q := g.Question
	q.From, q.Until = from, until
	return explore.Search(ctx, q)
}

// screen is all that the player sees.
func (g *game) screen() string {
	var b strings.Builder
	b.WriteString(wrap(setting(g.Question)))
	if len(g.path) > 0 {
		fmt.Fprintf(&b, "Moves so far: %s\n", g.path)
	}
	b.WriteString("\n" + g.story() + "\n")
	for _, a := range g.view.Clients {
		fmt.Fprintf(&b, "  %-6s %s\n", a.Name, clip(standing(a), wide-9))
	}
	fmt.Fprintf(&b, "  %-6s %s\n", "lock", g.lock())
	fmt.Fprintf(&b, "  %-6s %s\n", "stock", g.view.Books)
	fmt.Fprintf(&b, "  %-6s %s\n\n", "yours", allowance(g.view.Left))
	for i, m := range g.view.Moves {
		if i < len(keys) {
			line := fmt.Sprintf("  %c  %-3s %s", keys[i], m.Choice, inWords(m, g.view.Clients))
			b.WriteString(clip(line, wide) + "\n")
		}
	}
	for _, p := range g.view.Broken {
		fmt.Fprintf(&b, "✗ not so: %s\n", p)
	}
	switch {
	case g.view.Over && len(g.view.Broken) == 0:
		b.WriteString("✓ All are done, and no promise is broken.\n")
	case g.view.Over:
		b.WriteString("All are done.\n")
	}
	if g.says != "" {
		b.WriteString(wrap(g.says))
	}
	b.WriteString("\nu takes a move back, h is a hint, r starts again, q ends the game\n")
	return b.String()
}

// story is the end of the timeline.
func (g *game) story() string {
	lines := strings.SplitAfter(g.view.Timeline.String(), "\n")
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	if len(lines) > tail+1 {
		cut := len(lines) - tail
		lines = append([]string{lines[0], fmt.Sprintf("… %s before\n", amount(cut-1, "line", "lines"))}, lines[cut:]...)
	}
	return strings.Join(lines, "")
}

// lock is who holds the lock, and for how long.
func (g *game) lock() string {
	var locks []string
	for _, l := range g.view.Locks {
		left := "no lease"
		if l.Ends != faults.Never {
			left = fmt.Sprintf("%v left", l.Ends-g.view.Now)
		}
		locks = append(locks, fmt.Sprintf("%s, %s", l.Value, left))
	}
	if len(locks) == 0 {
		return "free"
	}
	return strings.Join(locks, "; ")
}

// standing is what a client is at.
func standing(a explore.Actor) string {
	switch {
	case a.Dead:
		return "has crashed"
	case a.Done:
		return "is done"
	}
	text := "outside"
	if a.Inside {
		text = "inside"
	}
	if a.Frozen > 0 {
		text += fmt.Sprintf(", frozen for %v", a.Frozen)
	}
	if len(a.Sends) == 0 {
		return text + ", sleeps"
	}
	return text + ", wants to send " + strings.Join(a.Sends, " and ")
}

// clip cuts a line to what fits.
func clip(line string, width int) string {
	if lipgloss.Width(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}
