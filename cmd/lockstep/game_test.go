package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/require"

	"lockstep/explore"
	"lockstep/faults"
	"lockstep/stages"
)

func table4(t *testing.T) *gameTable {
	t.Helper()
	g, err := newGame(explore.Question{
		Stage:   stages.V4,
		Program: explore.Plain,
		Lease:   explore.DefaultLease,
		Budget:  explore.Budget{Clients: 2, Slow: 4, Crashes: 1, Lost: 1},
	})
	require.NoError(t, err)
	return &gameTable{game: g}
}

// press has the keys pressed, and reports whether the game has ended.
func press(t *gameTable, keys string) (ended bool) {
	for _, key := range keys {
		_, cmd := t.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
		ended = cmd != nil
	}
	return ended
}

// Whatever the terminal's size, the moves and the answer are on it.
func TestTheGameFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, size := range []tea.WindowSizeMsg{{Width: 200, Height: 60}, {Width: 80, Height: 24}, {Width: 60, Height: 30}, {Width: 40, Height: 12}} {
		table := table4(t)
		table.Update(size)
		press(table, "1333B?")
		text := table.View().Content
		require.LessOrEqual(t, strings.Count(text, "\n"), size.Height, text)
		for line := range strings.Lines(text) {
			if !strings.Contains(line, "lock:stock") { // a timeline is as wide as it is
				require.LessOrEqual(t, lipgloss.Width(line), size.Width, line)
			}
		}
		words := strings.Join(strings.Fields(strings.ReplaceAll(text, noBreak, " ")), " ")
		require.Contains(t, words, "A...B")
		require.Contains(t, words, "b, 60ms left")
		require.Contains(t, words, "7 B!")
		require.Contains(t, words, "at most one is inside")
		require.Contains(t, words, `"?" is no move`)
	}
}

// Where not even the moves and the answer have room, it says so.
func TestTheGameInATinyTerminal(t *testing.T) {
	t.Parallel()
	table := table4(t)
	table.Update(tea.WindowSizeMsg{Width: 40, Height: 6})
	press(table, "B?")
	text := table.View().Content
	require.LessOrEqual(t, strings.Count(text, "\n"), 6, text)
	require.Contains(t, text, `"?" is no move`)
	require.NotContains(t, text, "stock")

	table.Update(tea.WindowSizeMsg{Width: 20, Height: 4})
	require.Contains(t, table.View().Content, "press q")
}

func TestKeysThatEndTheGame(t *testing.T) {
	t.Parallel()
	table := table4(t)
	require.False(t, press(table, "13u"))
	require.True(t, press(table, "q"))
	require.NoError(t, table.failed)

	table = table4(t)
	_, cmd := table.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	require.NotNil(t, cmd)
	require.ErrorIs(t, table.failed, errInterrupted)
}

// A search that is interrupted says what it has.
func TestInterruptedSearch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	cmd := command()
	cmd.SetArgs([]string{"explore", "v1", "--workers", "1"})
	cmd.SetOut(&out)
	require.ErrorIs(t, cmd.ExecuteContext(ctx), errInterrupted)
	require.Contains(t, out.String(), "Not finished. It took 0 schedules")
	require.Contains(t, out.String(), "at most one is inside: not broken so far")
}

// What a search has not proved is not said to be shortest.
func TestUnprovenBreaks(t *testing.T) {
	t.Parallel()
	table := table4(t)
	way, err := faults.ParseSchedule("A...B")
	require.NoError(t, err)
	r := explore.Report{Schedules: 9, Depth: 4, Deepest: 9, Breaks: []explore.Break{{Property: explore.OneInside, Schedule: way}}}
	require.Equal(t, "A break 5 moves away is known. h again tells the next.", table.advice(r))
	require.Equal(t, "Try A: A sends SET lock:stock … PX 60 NX.", table.advice(r))
	text, err := exploration(table.Question, r, "")
	require.NoError(t, err)
	require.Contains(t, text, "The shortest so far:")
	require.NotContains(t, coverage(r), "go on after")
	r.TooDeep = true
	require.Contains(t, coverage(r), "Some go on after 500 choices")
	asJSON, err := json.Marshal(newFindings(table.Question, r))
	require.NoError(t, err)
	require.Contains(t, string(asJSON), `"schedule":"A...B","proven":false`)
	require.NoError(t, table.goTo(way))
	require.Equal(t, " No shorter way is known.", table.rank(r, explore.OneInside))

	r.Depth = 5
	require.Equal(t, " It can't be done in fewer.", table.rank(r, explore.OneInside))
	require.NoError(t, table.goTo(nil))
	require.Equal(t, "A shortest break is 5 moves away. h again tells the next.", table.advice(r))
	text, err = exploration(table.Question, r, "")
	require.NoError(t, err)
	require.Contains(t, text, "The shortest:")
}
