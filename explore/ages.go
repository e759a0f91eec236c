package explore

import (
	"math"
	"strings"
	"time"

	"lockstep/faults"
)

// ages is what time does to the parts of a state: to what all clients have in
// common, and to each client. Nothing goes through meanwhile, so it does the same to a
// part whatever the others do. Only how far it goes depends on all of them: to where
// the first has something to do.
type ages struct {
	worlds  map[aged[world]]world
	clients map[aged[waiter]]waiter
	ends    map[world]time.Duration  // when a lease ends
	wakes   map[waiter]time.Duration // when a client has something to do
}

// aged is a part after a while.
type aged[part comparable] struct {
	part part
	by   time.Duration
}

// waiter is a client for which time passes.
type waiter struct {
	client actor
	now    time.Duration // where it has set a deadline
}

func newAges() ages {
	return ages{map[aged[world]]world{}, map[aged[waiter]]waiter{}, map[world]time.Duration{}, map[waiter]time.Duration{}}
}

// note remembers what a step of time has done.
func (k ages) note(from state, by time.Duration, to state) {
	k.worlds[aged[world]{from.World, by}] = to.World
	if from.World.leases() > to.World.leases() {
		k.ends[from.World] = by
	}
	for i := range from.Clients {
		before, after := from.waiter(i), to.waiter(i)
		k.clients[aged[waiter]{before, by}] = after
		if after.client.stirs(before.client) {
			k.wakes[before] = by
		}
	}
}

// foresee tells where a step of time leads that is no longer than limit, if that is
// known.
func (k ages) foresee(from state, limit time.Duration) (state, bool) {
	by := limit
	if end, ok := k.ends[from.World]; ok {
		by = min(by, end)
	}
	for i := range from.Clients {
		if wakes, ok := k.wakes[from.waiter(i)]; ok {
			by = min(by, wakes)
		}
	}
	// Who is known to have slept through all of it wakes no earlier.
	later, ok := k.worlds[aged[world]{from.World, by}]
	to := state{World: later, Broken: from.Broken}
	for i := range from.Clients {
		after, known := k.clients[aged[waiter]{from.waiter(i), by}]
		to.Clients = append(to.Clients, after.client)
		ok = ok && known
	}
	return to, ok
}

func (s state) waiter(i int) waiter { return waiter{s.Clients[i], s.World.Now} }

// leases is how many there are, and keys without one.
func (w world) leases() int { return strings.Count(w.Server, "\n") }

// stirs reports whether a client did something since it was as it was before.
func (a actor) stirs(before actor) bool {
	const door, frozen = "<", "frozen "
	return strings.Count(a.Knows, door) > strings.Count(before.Knows, door) || a.Waiting != before.Waiting ||
		strings.HasPrefix(before.Knows, frozen) && !strings.HasPrefix(a.Knows, frozen)
}

// longestTick is how far a step of time goes where there are these choices, if nothing
// happens.
func longestTick(offers []faults.Choice) time.Duration {
	if waits(offers) {
		return Poll
	}
	return math.MaxInt64
}
