package faults

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A lease of 951 years is what go-redis makes of a Duration behind EX. Redis takes
// it, and the lock is held.
func TestLongLease(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"SET lock a NX EX 30000000000",
		"SET lock a PX 30000000000000 NX",
		"SETEX lock 30000000000 a",
		"PSETEX lock 30000000000000 a",
		"EVAL local_expire 1 lock 30000000000",
	} {
		args := []any{}
		for word := range strings.FieldsSeq(words) {
			if word == "local_expire" {
				word = `redis.call('SET', KEYS[1], 'a'); return redis.call('EXPIRE', KEYS[1], ARGV[1])`
			}
			args = append(args, word)
		}
		timeline, err := Run(Options{Watch: "lock"}, func(w *World) error {
			a := w.Client("A")
			a.Do("SET", func(ctx context.Context) { require.NoError(t, a.Redis().Do(ctx, args...).Err()) })
			w.Sleep(time.Hour)
			require.Equal(t, longestLease-time.Hour, w.Watched()[0].Ends-w.Now(), words)
			a.Do("EXISTS", func(ctx context.Context) { require.EqualValues(t, 1, a.Redis().Exists(ctx, "lock").Val()) })
			return nil
		})
		require.NoError(t, err)
		require.Contains(t, timeline.String(), "a, years left", words)
	}
	for _, words := range []string{"GET EX 30000000000", "SET EX 30000000000", "SET lock EX NX", "EXPIRE lock", "SET lock a EX nine"} {
		args := strings.Fields(words)
		require.False(t, shorten(nil, args[0], args[1:]...))
		require.Equal(t, words, strings.Join(args, " "))
	}
}
