package main

import (
	"bufio"
	"errors"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
)

func playCommand() *cobra.Command {
	var a asking
	cmd := &cobra.Command{
		Use:   "play STAGE",
		Short: "Be the adversary, and try to break a stage",
		Long: `You are the network, the scheduler and the power cut. Pick what happens next,
until two are inside, or an item is sold twice. A slow step, a crash, a lost
reply and a freeze each cost one of what you have.

On a terminal a key is a move. Elsewhere keys and moves are read from standard
input, one or more on a line with spaces between, and the world is shown after
each line.` + programList(),
		Example: "  lockstep play v4\n  lockstep play v7 --freezes 1\n  echo A...B | lockstep play v3",
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.question(args[0])
			if err != nil {
				return err
			}
			g, err := newGame(q)
			if err != nil {
				return err
			}
			if isTerminal(cmd.InOrStdin()) && isTerminal(cmd.OutOrStdout()) {
				return playByKeys(cmd, g)
			}
			return playByLines(cmd, g)
		},
	}
	a.flags(cmd)
	return cmd
}

// playByLines reads moves from standard input, to its end or to a "q".
func playByLines(cmd *cobra.Command, g *game) error {
	in := bufio.NewScanner(cmd.InOrStdin())
	for {
		if err := say(cmd, paint(g.screen())); err != nil {
			return err
		}
		if !in.Scan() {
			return in.Err()
		}
		if quit, err := g.do(in.Text()); quit || err != nil {
			return err
		}
		if err := say(cmd, "\n"); err != nil {
			return err
		}
	}
}

// playByKeys has each key be a move. What was played stays on the terminal.
func playByKeys(cmd *cobra.Command, g *game) error {
	t := &gameTable{game: g}
	if _, err := tea.NewProgram(t, tea.WithContext(cmd.Context())).Run(); err != nil {
		return err
	}
	if t.failed != nil && !errors.Is(t.failed, errInterrupted) {
		return t.failed
	}
	return errors.Join(say(cmd, paint(g.screen())), t.failed)
}

// gameTable is where the game is played by keys.
type gameTable struct {
	*game
	width, height int // of the terminal; zero if it has not said
	failed        error
}

func (*gameTable) Init() tea.Cmd { return nil }

func (t *gameTable) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		t.width, t.height = size.Width, size.Height
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return t, nil
	}
	quit := false
	switch key.String() {
	case "ctrl+c":
		t.failed = errInterrupted
	case "esc":
		quit = true
	default:
		quit, t.failed = t.do(key.String())
	}
	if quit || t.failed != nil {
		return t, tea.Quit
	}
	return t, nil
}

func (t *gameTable) View() tea.View {
	text := t.screen()
	if t.height > 0 {
		text = t.fit(t.width, t.height)
	}
	v := tea.NewView(paint(text))
	v.AltScreen = true
	return v
}
