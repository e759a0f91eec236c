package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A real server says what is left of a lease a moment later. What the command
// gave is found again.
func TestLease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		left int64 // ms
		sent string
		want time.Duration
	}{
		// Sent in milliseconds.
		{30000, "SET lock a NX PX 30000", 30 * time.Second},
		{29999, "SET lock a NX PX 30000", 30 * time.Second},
		{29950, "SET lock a NX PX 30000", 30 * time.Second},
		{12344, "SET lock a NX PX 12345", 12345 * time.Millisecond},
		{1, "PEXPIRE lock 1", time.Millisecond},
		{0, "PEXPIRE lock 1", time.Millisecond},

		// Sent in seconds.
		{29998, "SET lock a EX 30", 30 * time.Second},
		{7000, "EXPIRE lock 7", 7 * time.Second},

		// Among other numbers, and more than one command.
		{29999, "EVALSHA sha 1 lock 1 30000", 30 * time.Second},
		{29999, "EVALSHA sha 1 lock 7 30", 30 * time.Second},
		{29999, "MULTI SET n 7 SET lock a PX 30000 EXEC", 30 * time.Second},

		// Known by heart to a script: the roundest that is near enough.
		{9999, "EVALSHA sha 1 lock", 10 * time.Second},
		{9951, "EVALSHA sha 1 lock", 10 * time.Second},
		{9949, "EVALSHA sha 1 lock", 9950 * time.Millisecond},
		{1499, "EVALSHA sha 1 lock", 1500 * time.Millisecond},
		{1233, "EVALSHA sha 1 lock", 1240 * time.Millisecond},
		{9999, "EVALSHA sha 1 lock 500", 10 * time.Second},
		{9999, "", 10 * time.Second},
	} {
		require.Equal(t, c.want, lease(c.left, strings.Fields(c.sent)), "%d ms left after %q", c.left, c.sent)
	}
}
