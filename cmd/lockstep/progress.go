package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/term"

	"lockstep/explore"
)

// plainEvery is how often progress is told where there is no terminal.
const plainEvery = 5 * time.Second

// clearLine empties the line of a terminal that the cursor is in.
const clearLine = "\r\x1b[K"

// searcher is a search that progress can be told of.
type searcher func(context.Context, explore.Question) (explore.Report, error)

// showProgress runs a search and shows how far it is: on a terminal in a line that
// changes, and is gone at the end; elsewhere in a line now and then.
func showProgress(ctx context.Context, out io.Writer, q explore.Question, search searcher) (explore.Report, error) {
	const room = 3                                                 // for the ^C that the terminal writes
	tell := func(text string) { _, _ = io.WriteString(out, text) } // nobody to tell, if that fails
	if isTerminal(out) {
		q.Progress = func(r explore.Report) {
			tell(clearLine + clip(progress(r)+" (ctrl+c ends it)", widthOf(out)-room))
		}
		defer tell(clearLine)
		return search(ctx, q)
	}
	last := time.Now()
	q.Progress = func(r explore.Report) {
		if time.Since(last) > plainEvery {
			last = time.Now()
			tell(progress(r) + "\n")
		}
	}
	return search(ctx, q)
}

func isTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// widthOf is the width of a terminal.
func widthOf(w any) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			return width
		}
	}
	return wide
}

// progress is how far a search is, in a line.
func progress(r explore.Report) string {
	rate := float64(r.Schedules) / max(r.Elapsed.Seconds(), 0.001)
	return fmt.Sprintf("%s, %s/s, %s, depth %d, broken %d",
		amount(r.Schedules, "schedule", "schedules"), thousands(int(rate)),
		amount(r.States, "state", "states"), r.Depth, len(r.Breaks))
}
