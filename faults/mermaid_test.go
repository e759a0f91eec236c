package faults_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

func TestMermaid(t *testing.T) {
	t.Parallel()
	timeline, err := faults.Run(watched, misDelete)
	require.ErrorIs(t, err, faults.ErrBroken)
	golden(t, "misdelete.mmd", timeline.Mermaid())
}

// Nothing that a client can send reads as Mermaid's own signs, and a bar that is
// closed was open before: anything else, and a page shows an error in the place
// of the picture.
func TestMermaidIsWellFormed(t *testing.T) {
	t.Parallel()
	timeline, err := faults.Run(watched, func(w *faults.World) error {
		a, b := w.Client("A;#1"), w.Client(`<"B">`)
		a.LoseReply("SET lock")
		a.CrashAfter("SET other")
		for _, words := range [][]any{
			{"SET", "lock", "a", "PX", 30000, "NX"},
			{"SET", "lock", "100%% #; \"<b>\"\nend"},
			{"SET", "other", "`"},
		} {
			a.Do("write", func(ctx context.Context) { a.Redis().Do(ctx, words...) })
		}
		b.Do("delete", func(ctx context.Context) { b.Redis().Del(ctx, "lock") })
		w.Note("end; # of it")
		w.Sleep(time.Second)
		return w.Broken("it was; #all")
	})
	require.ErrorIs(t, err, faults.ErrBroken)
	picture := timeline.Mermaid()
	require.Contains(t, picture, "R--xclient1: OK (the reply is lost)")

	open := map[string]int{}
	for line := range strings.Lines(picture) {
		text := strings.NewReplacer("#35;", "", "#59;", "", "#37;", "", "#quot;", "", "#lt;", "", "#gt;", "", "#96;", "").Replace(line)
		_, text, _ = strings.Cut(text, ": ")
		require.NotContains(t, text, "#", line)
		require.NotContains(t, text, ";", line)
		require.NotContains(t, text, "%", line)
		switch words := strings.Fields(line); words[0] {
		case "activate":
			open[words[1]]++
		case "deactivate":
			open[words[1]]--
			require.GreaterOrEqual(t, open[words[1]], 0, picture)
		case "rect":
			open["rect"]++
		case "end":
			open["rect"]--
		}
	}
	require.Zero(t, open["rect"])
}
