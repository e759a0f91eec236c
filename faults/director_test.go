package faults_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

func TestSchedulesAreWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "A", "AB.A!B?B*", "A2B3?..", "A?A!"} {
		s, err := faults.ParseSchedule(word)
		require.NoError(t, err, word)
		require.Equal(t, word, s.String())
	}
	for word, says := range map[string]string{
		"a":     `'a' at place 1`,
		"A !":   `' ' at place 2`,
		"A2!":   `'!' at place 3`,
		"?":     `'?' at place 1`,
		"A9?B1": `'1' at place 5`,
	} {
		_, err := faults.ParseSchedule(word)
		require.ErrorIs(t, err, faults.ErrSchedule, word)
		require.ErrorContains(t, err, says)
	}
}

// directed has A and B ask for the same key, and a directs who comes first.
func directed(t *testing.T, word string) (*faults.Timeline, error) {
	t.Helper()
	schedule, err := faults.ParseSchedule(word)
	require.NoError(t, err)
	return faults.Run(faults.Options{Watch: "k", Directed: true}, func(w *faults.World) error {
		for _, name := range []string{"A", "B"} {
			c := w.Client(name)
			c.Do("Lock", func(ctx context.Context) { c.Redis().SetNX(ctx, "k", name, time.Second) })
		}
		for _, choice := range schedule {
			if err := w.Take(choice, 10*time.Millisecond, time.Second); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestTheDirectorDecides(t *testing.T) {
	t.Parallel()
	for word, steps := range map[string][]string{
		"":     {},
		"BA":   {"0s SET k B EX 1 NX → OK B, 1s left", "0s SET k A EX 1 NX → nil B, 1s left"},
		"A..B": {"0s SET k A EX 1 NX → OK A, 1s left", "0.02s SET k B EX 1 NX → nil A, 0.98s left"},
		"A!B":  {"0s ── A crashes ── free", "0s SET k B EX 1 NX → OK B, 1s left"},
		"A?AB": {
			"0s SET k A EX 1 NX → OK ── the reply is lost ── A, 1s left",
			"0s SET k A EX 1 NX → nil A, 1s left", "0s SET k B EX 1 NX → nil A, 1s left",
		},
		"A*B.A": {
			"0s ── A freezes for 1s ── free", "0s SET k B EX 1 NX → OK B, 1s left",
			"1s ── the lease of k ends ── free", "1s SET k A EX 1 NX → OK A, 1s left",
		},
	} {
		timeline, err := directed(t, word)
		require.NoError(t, err, word)
		require.Equal(t, steps, append([]string{}, lines(timeline)...), word)
	}
	for _, word := range []string{"C", "A2", "AA", "A!A", "A!A!"} {
		_, err := directed(t, word)
		require.ErrorIs(t, err, faults.ErrSchedule, word)
	}
}

// Worlds in equal states look alike, however they came there.
func TestStatesOfADirectedWorld(t *testing.T) {
	t.Parallel()
	state := func(word string) (s faults.State) {
		schedule, err := faults.ParseSchedule(word)
		require.NoError(t, err)
		_, err = faults.Run(faults.Options{Directed: true}, func(w *faults.World) error {
			for _, name := range []string{"A", "B"} {
				c := w.Client(name)
				c.Do("Get", func(ctx context.Context) {
					for range 3 {
						c.Redis().Get(ctx, "stock")
					}
				})
			}
			for _, choice := range schedule {
				if err := w.Take(choice, time.Millisecond, time.Second); err != nil {
					return err
				}
			}
			s = w.State(faults.Timer{})
			return nil
		})
		require.NoError(t, err)
		return s
	}
	require.Equal(t, state("AB"), state("BA"))
	require.NotEqual(t, state("AB"), state("A"))
	require.NotEqual(t, state("AB"), state("AB!"))
	require.NotEqual(t, state("AB"), state("AB*"))

	// go-redis has asked again, and its client knows of nothing.
	require.Equal(t, state("AB"), state("A?AB"))
	require.NotEqual(t, state("AB"), state("A?B"))
}

// Which flow has said what makes a difference, though the instance has said the same.
func TestStateOfFlows(t *testing.T) {
	t.Parallel()
	state := func(nth int) (s faults.State) {
		_, err := faults.Run(faults.Options{Directed: true}, func(w *faults.World) error {
			a := w.Client("A")
			for _, flow := range []*faults.Client{a, a.Flow("A2")} {
				flow.Do("Get", func(ctx context.Context) {
					for range 2 {
						a.Redis().Get(ctx, "stock")
					}
				})
			}
			err := w.Take(faults.Choice{Kind: faults.Pass, Client: "A", Nth: nth}, time.Millisecond, time.Second)
			s = w.State(faults.Timer{})
			return err
		})
		require.NoError(t, err)
		return s
	}
	require.Equal(t, state(1), state(1))
	require.NotEqual(t, state(1), state(2))
}

// Where nothing is announced, a step of time has an end all the same.
func TestTimePassesNoFurtherThanAMinute(t *testing.T) {
	t.Parallel()
	_, err := faults.Run(faults.Options{Directed: true}, func(w *faults.World) error {
		a := w.Client("A")
		a.Do("wait", func(ctx context.Context) { <-ctx.Done() })
		require.NoError(t, w.Take(faults.Choice{Kind: faults.Tick}, time.Millisecond, 0))
		require.Equal(t, time.Minute, w.Now())
		return nil
	})
	require.NoError(t, err)
}
