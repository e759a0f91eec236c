package faults

import (
	"strconv"
	"strings"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
)

// longestLease is the longest lease that a world keeps. Redis takes millions of
// years, and a lock may ask for that by mistake: EX 30000000000, which go-redis
// makes of a time.Duration that nobody has turned into seconds. A Duration of Go
// ends after 292 years, and adding up must not go beyond that.
const longestLease = 100 * year

const year = 365 * 24 * time.Hour

// shorten keeps leases that are sent to the embedded server below longestLease. It
// counts in a Duration, and without this a lease that is far too long would be
// over at once. It changes args, which are the server's own copy; scripts' calls
// pass here too.
func shorten(_ *miniserver.Peer, command string, args ...string) (done bool) {
	at := func(i int, unit time.Duration) {
		if i >= len(args) {
			return
		}
		if n, err := strconv.ParseInt(args[i], 10, 64); err == nil && n > int64(longestLease/unit) {
			args[i] = strconv.FormatInt(int64(longestLease/unit), 10)
		}
	}
	switch command {
	case "EXPIRE", "SETEX":
		at(1, time.Second)
	case "PEXPIRE", "PSETEX":
		at(1, time.Millisecond)
	case "SET", "GETEX":
		for i, word := range args {
			switch {
			case i == 0 || i == 1 && command == "SET": // the key, the value
			case strings.EqualFold(word, "EX"):
				at(i+1, time.Second)
			case strings.EqualFold(word, "PX"):
				at(i+1, time.Millisecond)
			}
		}
	}
	return false
}
