package explore

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/faults"
)

// steps is what is known of single steps: where each has led, and what a client can
// do. What is known need not be run again.
//
// A step of one client takes no time, and nobody else takes part. What comes of it
// depends on the server and on that client, whatever the others do meanwhile, and
// changes nothing else. A step of time changes each for itself. A step that breaks a
// property concerns everybody. So does each step after a late sale, which is told once:
// from then on no step tells whether it would be one.
type steps struct {
	alone  map[own]result
	ages   ages
	shared map[common]state
	offers map[named][]faults.Choice
}

func newSteps() steps {
	return steps{map[own]result{}, newAges(), map[common]state{}, map[named][]faults.Choice{}}
}

// own is a step of one client.
type own struct {
	choice faults.Choice
	client actor
	world  world
}

type result struct {
	client actor
	world  world
}

// common is a step of everybody.
type common struct {
	choice faults.Choice
	from   string
}

type named struct {
	name   string
	client actor
}

// number is that of the client that a choice is about.
func number(c faults.Choice) int { return strings.Index(names, c.Client) }

func (s state) own(c faults.Choice) own { return own{c, s.Clients[number(c)], s.World} }

func (s state) common(c faults.Choice) common { return common{c, fmt.Sprint(s)} }

// note remembers where a choice has led.
func (k steps) note(from landing, c faults.Choice, to landing) {
	switch {
	case len(from.State.Broken) != len(to.State.Broken), slices.Contains(from.State.Broken, ToldInTime):
		k.shared[from.State.common(c)] = to.State
	case c.Kind == faults.Tick:
		k.ages.note(from.State, to.Now-from.Now, to.State)
		if _, known := k.ages.foresee(from.State, longestTick(from.Offers)); !known { // nothing to be seen has ended it
			k.shared[from.State.common(c)] = to.State
		}
	default:
		k.alone[from.State.own(c)] = result{to.State.Clients[number(c)], to.State.World}
	}
}

// noteOffers remembers what everybody can do in a state.
func (k steps) noteOffers(s state, offers []faults.Choice) {
	for i, client := range s.Clients {
		name := names[i : i+1]
		if _, known := k.offers[named{name, client}]; known {
			continue
		}
		k.offers[named{name, client}] = slices.DeleteFunc(slices.Clone(offers), func(c faults.Choice) bool { return c.Client != name })
	}
}

// foresee tells where a choice leads in a state with these offers, if that is known.
func (k steps) foresee(from state, c faults.Choice, offers []faults.Choice) (to state, ok bool) {
	if c.Kind == faults.Tick {
		to, ok = k.ages.foresee(from, longestTick(offers))
	} else {
		to, ok = k.foreseeOwn(from, c)
	}
	if ok && to.inside() <= max(1, from.inside()) {
		return to, true
	}
	to, ok = k.shared[from.common(c)]
	return to, ok
}

// foreseeOwn tells where the step of one client leads, if it breaks nothing.
func (k steps) foreseeOwn(from state, c faults.Choice) (state, bool) {
	i := number(c)
	r, ok := k.alone[from.own(c)]
	if c.Kind == faults.Crash { // it leaves nothing but what its customers have seen
		r, ok = result{actor{Knows: faults.Dead, Served: from.Clients[i].Served}, from.World}, true
	}
	to := state{r.world, slices.Clone(from.Clients), from.Broken}
	to.Clients[i] = r.client
	return to, ok
}

// foreseeOffers tells what can happen in a state, if that is known.
func (k steps) foreseeOffers(s state) (offers []faults.Choice, ok bool) {
	var all []faults.Choice
	for i, client := range s.Clients {
		mine, ok := k.offers[named{names[i : i+1], client}]
		if !ok && client.Knows != faults.Dead {
			return nil, false
		}
		all = append(all, mine...)
	}
	add := func(kinds ...faults.Kind) {
		for _, c := range all {
			if slices.Contains(kinds, c.Kind) {
				offers = append(offers, c)
			}
		}
	}
	add(faults.Pass)
	offers = append(offers, faults.Choice{Kind: faults.Tick})
	add(faults.Lose)
	add(faults.Crash, faults.Freeze)
	return offers, true
}
