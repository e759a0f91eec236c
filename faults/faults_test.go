package faults_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

// The words that the tests of this package share.

// watched is the key whose state the timelines show.
var watched = faults.Options{Watch: "lock"}

// perform performs a play that must go well.
func perform(t *testing.T, play func(*faults.World)) *faults.Timeline {
	t.Helper()
	return performWith(t, watched, play)
}

func performWith(t *testing.T, opts faults.Options, play func(*faults.World)) *faults.Timeline {
	t.Helper()
	timeline, err := faults.Run(opts, func(w *faults.World) error {
		play(w)
		return nil
	})
	require.NoError(t, err, "%s", timeline)
	return timeline
}

// fail performs a play that must end in the error want, and returns what the
// error says and how far the play came.
func fail(t *testing.T, want error, play func(*faults.World)) (said string, timeline *faults.Timeline) {
	t.Helper()
	timeline, err := faults.Run(watched, func(w *faults.World) error {
		play(w)
		return nil
	})
	require.ErrorIs(t, err, want, "%s", timeline)
	return err.Error(), timeline
}

// send has c send one command. The answer is there once the call has ended.
func send(c *faults.Client, words ...any) *redis.Cmd {
	cmd := redis.NewCmd(context.Background(), words...)
	c.Do(fmt.Sprint(words...), func(ctx context.Context) {
		_ = c.Redis().Process(ctx, cmd) // the error is in cmd too
	})
	return cmd
}

// pipe has c send commands in one write; as a transaction if tx says so.
func pipe(c *faults.Client, tx bool, commands ...[]any) *[]redis.Cmder {
	var answers []redis.Cmder
	c.Do("pipeline", func(ctx context.Context) {
		p := c.Redis().Pipeline()
		if tx {
			p = c.Redis().TxPipeline()
		}
		for _, words := range commands {
			p.Do(ctx, words...)
		}
		answers, _ = p.Exec(ctx) // the errors are in the answers too
	})
	return &answers
}

// held is what the server holds: each key's value by its name.
func held(w *faults.World) map[string]string {
	values := map[string]string{}
	for _, k := range w.Keys() {
		values[k.Name] = k.Value
	}
	return values
}

// lines are the lines of a timeline without its header, each with its runs of
// spaces made one, so that a test may say what is there and not where.
func lines(t *faults.Timeline) []string {
	var all []string
	for line := range strings.Lines(t.String()) {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	return all[1:]
}

// wire is a connection of c's without go-redis, for bytes that it would not send.
func wire(t *testing.T, c *faults.Client) net.Conn {
	t.Helper()
	conn, err := c.Redis().Options().Dialer(t.Context(), "tcp", "")
	require.NoError(t, err)
	return conn
}
