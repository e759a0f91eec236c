package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"lockstep/explore"
)

// plainEvery is how often progress is told where there is no terminal.
const plainEvery = 5 * time.Second

// searcher is a search that progress can be told of.
type searcher func(context.Context, explore.Question) (explore.Report, error)

// showProgress runs a search and shows how far it is: on a terminal a line that
// moves, elsewhere a line now and then.
func showProgress(ctx context.Context, out io.Writer, q explore.Question, search searcher) (explore.Report, error) {
	if !isTerminal(out) {
		last := time.Now()
		q.Progress = func(r explore.Report) {
			if time.Since(last) > plainEvery {
				last = time.Now()
				_, _ = fmt.Fprintln(out, progress(r)) // nobody to tell, if that fails
			}
		}
		return search(ctx, q)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	line := tea.NewProgram(progressLine{cancel: cancel}, tea.WithOutput(out), tea.WithoutSignalHandler())
	q.Progress = func(r explore.Report) { line.Send(r) }
	var report explore.Report
	var err error
	done := make(chan struct{})
	go func() { // ends with the search, which ends with ctx
		defer close(done)
		report, err = search(ctx, q)
		line.Quit()
	}()
	_, broken := line.Run()
	cancel()
	<-done
	return report, errors.Join(err, broken)
}

func isTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// progress is how far a search is, in a line.
func progress(r explore.Report) string {
	rate := float64(r.Schedules) / max(r.Elapsed.Seconds(), 0.001)
	return fmt.Sprintf("%s, %s, %s/s, at a depth of %s; broken: %d",
		amount(r.Schedules, "schedule", "schedules"), amount(r.States, "state", "states"),
		thousands(int(rate)), amount(r.Depth, "choice", "choices"), len(r.Breaks))
}

// progressLine is the line that moves.
type progressLine struct {
	cancel context.CancelFunc
	text   string
	done   bool
}

func (progressLine) Init() tea.Cmd { return nil }

func (l progressLine) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case explore.Report:
		l.text = progress(msg)
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+c" {
			l.cancel() // the search ends with what it has, and then the line
		}
	case tea.QuitMsg:
		l.done = true
	}
	return l, nil
}

func (l progressLine) View() tea.View {
	if l.text == "" || l.done {
		return tea.NewView("")
	}
	return tea.NewView(l.text + "\nctrl+c ends it with what is found so far")
}
