package main

import (
	"context"
	"errors"
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

// tail is how many lines of the timeline are shown at most.
const tail = 9

// game is a world whose adversary is the player. Where it stands depends on the
// moves alone, so each move runs all of them again, and undo is one move less.
type game struct {
	explore.Question
	path  faults.Schedule
	view  explore.View
	says  string          // the answer to the last input
	ahead *explore.Report // what a search from here has found, once it was asked for
	told  bool            // how far the next break is, for this path
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
	g.path, g.view, g.ahead, g.told = path, view, nil, false
	return nil
}

// errEnough means that the player has had enough.
var errEnough = errors.New("the game is over")

// A refusal is what the game answers to what can't be done. It is no failure.
type refusal string

func (r refusal) Error() string { return string(r) }

// do takes a line of input, word by word, up to one that can't be done. It reports
// whether the player has had enough.
func (g *game) do(input string) (quit bool, err error) {
	g.says = ""
	for word := range strings.FieldsSeq(input) {
		err := g.obey(word)
		switch no, refused := errors.AsType[refusal](err); {
		case refused:
			g.says = string(no)
			return false, nil
		case errors.Is(err, errEnough):
			return true, nil
		case err != nil:
			return false, err
		}
	}
	return false, nil
}

// obey does what a word says: a command, the key of a move, or moves as a schedule
// spells them.
func (g *game) obey(word string) error {
	switch word {
	case "q":
		return errEnough
	case "u":
		if len(g.path) == 0 {
			return refusal("There is no move to take back.")
		}
		return g.goTo(g.path[:len(g.path)-1])
	case "r":
		return g.goTo(nil)
	case "h":
		return g.hint()
	}
	return g.move(word)
}

// move makes the moves that a word spells, as long as they fit.
func (g *game) move(word string) error {
	moves, err := g.spelled(word)
	if err != nil {
		return err
	}
	for _, c := range moves {
		if !g.offers(c) {
			return refusal(fmt.Sprintf("%s is no move here.", c))
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

// spelled is the moves that a word spells.
func (g *game) spelled(word string) (faults.Schedule, error) {
	if i := strings.Index(keys, word); len(word) == 1 && i >= 0 {
		if i < len(g.view.Moves) {
			return faults.Schedule{g.view.Moves[i].Choice}, nil
		}
		return nil, refusal(fmt.Sprintf("There is no move %s.", word))
	}
	moves, err := faults.ParseSchedule(word)
	if err != nil {
		return nil, refusal(fmt.Sprintf("%s is no move: type a key of the list, or a choice like A or A?.", quoted(word)))
	}
	return moves, nil
}

func (g *game) offers(c faults.Choice) bool {
	return slices.ContainsFunc(g.view.Moves, func(m explore.Move) bool { return m.Choice == c })
}

// praise holds a break against the best there is. One move may break two promises.
func (g *game) praise(p explore.Property) error {
	best, err := g.search(nil, p)
	if err != nil {
		return err
	}
	if g.says != "" {
		g.says += "\n"
	}
	g.says += fmt.Sprintf("Broken in %s: “%s”.", amount(len(g.path), "move", "moves"), p) + g.rank(best, p)
	return nil
}

// rank is what a search has found that breaks p in fewer moves.
func (g *game) rank(best explore.Report, p explore.Property) string {
	switch shortest, found := best.Broken(p); {
	case found && len(shortest.Schedule) == len(g.path) && best.Proven(shortest):
		return " It can't be done in fewer."
	case found && len(shortest.Schedule) < len(g.path):
		return fmt.Sprintf(" It can be done in %d.", len(shortest.Schedule))
	}
	return " No shorter way is known."
}

// hint says how far the next break is, and, asked again, which way.
func (g *game) hint() error {
	if g.ahead == nil {
		r, err := g.search(g.path, explore.Any)
		if err != nil {
			return err
		}
		g.ahead = &r
	}
	g.says = g.advice(*g.ahead)
	return nil
}

// advice is what a search from here has found, as a hint.
func (g *game) advice(r explore.Report) string {
	next, found := shortestOf(slices.DeleteFunc(slices.Clone(r.Breaks), func(b explore.Break) bool {
		return len(b.Schedule) <= len(g.path)
	}))
	away := amount(len(next.Schedule)-len(g.path), "move", "moves")
	switch {
	case !found && r.Exhausted:
		return "Nothing more can break from here, within what is left."
	case !found: // what is left may break at its last choice
		return fmt.Sprintf("No break within %s from here.", amount(max(0, r.Depth-1-len(g.path)), "move", "moves"))
	case g.told:
		return "Try " + g.spell(next.Schedule[len(g.path)])
	}
	g.told = true
	if r.Proven(next) {
		return fmt.Sprintf("A shortest break is %s away. h again tells the next.", away)
	}
	return fmt.Sprintf("A break %s away is known. h again tells the next.", away)
}

// spell is a move as the list has it.
func (g *game) spell(c faults.Choice) string {
	for _, m := range g.view.Moves {
		if m.Choice == c {
			return fmt.Sprintf("%s: %s.", c, inWords(m, g.view.Clients))
		}
	}
	return c.String()
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
func (g *game) screen() string { return g.layout(tail, wide) }

// fit is the screen for a terminal of that size: the moves and the answer must be
// on it, so the story gives way, and then all that can be done without, up to where
// everybody stands.
func (g *game) fit(width, height int) string {
	width = min(width, wide)
	for lines := tail; lines >= 0; lines-- {
		if text := g.layout(lines, width); strings.Count(text, "\n") <= height {
			return text
		}
	}
	for _, world := range []string{fmt.Sprintf("Moves: %s\n", g.path) + g.world(width), ""} {
		if text := world + g.narrow(width); strings.Count(text, "\n") <= height {
			return text
		}
	}
	return wrapTo("This terminal is too small to play in. Make it larger, or press q.", width)
}

// narrow is the moves and the answer in little room.
func (g *game) narrow(width int) string {
	var moves []string
	for i, m := range g.view.Moves {
		if i < len(keys) {
			moves = append(moves, fmt.Sprintf("%c%s%s", keys[i], noBreak, m.Choice))
		}
	}
	return wrapTo(strings.Join(moves, "  "), width) + g.verdict(width) + wrapTo("u back, h hint, r again, q quit", width)
}

// noBreak is a space at which no line is broken.
const noBreak = "\u00a0"

// layout is the screen with so many lines of the story, or with none.
func (g *game) layout(lines, width int) string {
	var b strings.Builder
	b.WriteString(wrapTo(setting(g.Question), width))
	if len(g.path) > 0 {
		fmt.Fprintf(&b, "Moves so far: %s\n", g.path)
	}
	b.WriteString("\n")
	if lines > 0 {
		b.WriteString(g.story(lines) + "\n")
	}
	b.WriteString(g.world(width) + "\n")
	for i, m := range g.view.Moves {
		if i < len(keys) {
			line := fmt.Sprintf("  %c  %-3s %s", keys[i], m.Choice, inWords(m, g.view.Clients))
			b.WriteString(clip(line, width) + "\n")
		}
	}
	b.WriteString(g.verdict(width))
	b.WriteString("\n" + wrapTo("u takes a move back, h is a hint, r starts again, q ends the game", width))
	return b.String()
}

// world is where everybody stands.
func (g *game) world(width int) string {
	var b strings.Builder
	line := func(label, text string) {
		fmt.Fprintf(&b, "  %-6s %s\n", label, clip(text, width-9))
	}
	for _, a := range g.view.Clients {
		line(a.Name, standing(a))
	}
	line("lock", g.lock())
	line("stock", g.view.Books.String())
	line("yours", allowance(g.view.Left))
	return b.String()
}

// verdict is what is broken, and the answer to the last input.
func (g *game) verdict(width int) string {
	var b strings.Builder
	b.WriteString(notSo(g.view.Broken, width))
	switch {
	case g.view.Over && len(g.view.Broken) == 0:
		b.WriteString(wrapTo("✓ All are done, and no promise is broken.", width))
	case g.view.Over:
		b.WriteString("All are done.\n")
	}
	if g.says != "" {
		b.WriteString(wrapTo(g.says, width))
	}
	return b.String()
}

// story is the timeline, or, if that is longer, its head and its last lines. How
// it ends is the verdict's to say.
func (g *game) story(last int) string {
	lines := strings.SplitAfter(strings.TrimSuffix(g.view.Timeline.String(), "\n"), "\n")
	if len(g.view.Broken) > 0 {
		lines = lines[:len(lines)-1]
	}
	if cut := len(lines) - last; cut > 1 {
		lines = append([]string{lines[0], fmt.Sprintf("… %s before\n", amount(cut-1, "line", "lines"))}, lines[cut:]...)
	}
	return strings.TrimSuffix(strings.Join(lines, ""), "\n") + "\n"
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
	runes := []rune(line)
	for len(runes) > 0 && lipgloss.Width(string(runes)) >= width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
