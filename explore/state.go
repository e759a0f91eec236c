package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/shop"
	"lockstep/stages"
)

// state is what the rest of a run depends on, but for the budget that is left.
type state struct {
	World   world
	Clients []actor // by instance
	Broken  []Property
}

// world is what all clients have in common.
type world struct {
	Server    string // what it holds, for how long, and who took it
	Held      bool   // whether that is a lock
	Books     shop.Books
	Robberies int
	Now       time.Duration // where a caller has set a deadline
}

// actor is an instance in a state. Its flows, if it has several, are one.
type actor struct {
	Knows   string // what it has heard, and has at the door
	Inside  int    // how many of its flows are
	Served  int    // how many have an answer
	Waiting bool   // whether one has something to do yet
}

func (r *run) state() state {
	scene := r.scene.State(r.timer())
	s := state{World: world{scene.Server, r.scene.Held() > 0, r.scene.Books(), r.scene.Robberies, 0}}
	for _, lock := range r.scene.Watched() {
		s.World.Server += fmt.Sprintf("%s by %s\n", lock.Key, tokenOf(r.scene.Taker(lock.Key)))
	}
	if r.Stage.Name == stages.TimeoutIgnored.Name {
		s.World.Now = r.scene.Now()
	}
	for _, knows := range scene.Clients {
		s.Clients = append(s.Clients, actor{Knows: knows})
	}
	for i, c := range r.clients {
		a := &s.Clients[min(i, len(s.Clients)-1)]
		if c.Inside() {
			a.Inside++
		}
		if c.Answer() != "" {
			a.Served++
		}
		if c.Waiting() {
			a.Waiting = true
			a.Knows += fmt.Sprintf(" %v %v", c.Inside(), c.warned())
		}
	}
	for _, p := range Properties() {
		if _, broken := r.broken[p]; broken {
			s.Broken = append(s.Broken, p)
		}
	}
	return s
}

// over reports whether everybody is done or dead.
func (s state) over() bool {
	return !slices.ContainsFunc(s.Clients, func(a actor) bool { return a.Waiting })
}

// served is how many clients have an answer.
func (s state) served() (n int) {
	for _, a := range s.Clients {
		n += a.Served
	}
	return n
}

// inside is how many clients are.
func (s state) inside() (n int) {
	for _, a := range s.Clients {
		n += a.Inside
	}
	return n
}

// key is the state as a text, the same for states that go on alike.
//
// Clients that run the same program on handles of the same kind are alike: a
// state in which A is where B is in another, and B where A is, goes on as that
// does, with the names exchanged. So the clients are put in an order that does
// not depend on their names, and renamed by that.
func (s state) key(alike bool) string {
	order := make([]int, len(s.Clients))
	for i := range order {
		order[i] = i
	}
	if alike {
		faceless := make([]string, len(s.Clients))
		for i, a := range s.Clients {
			mine := map[string]string{token(i): "mine"}
			faceless[i] = rename(a.Knows, mine, "other") + "\n" + rename(s.World.Server, mine, "other")
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(faceless[i], faceless[j]) })
	}
	names := map[string]string{}
	for place, i := range order {
		names[token(i)] = token(place)
	}
	var b strings.Builder
	b.WriteString(rename(s.World.Server, names, ""))
	for _, i := range order {
		a := s.Clients[i]
		fmt.Fprintf(&b, "%s %d %d %v\n", rename(a.Knows, names, ""), a.Inside, a.Served, a.Waiting)
	}
	fmt.Fprintf(&b, "%v %d %d %v", s.World.Books, s.World.Robberies, s.World.Now, s.Broken)
	return b.String()
}

// timer is what the stage keeps going while its holder works, if it does.
func (r *run) timer() faults.Timer {
	if r.Stage.Renew == "" {
		return faults.Timer{}
	}
	timer := faults.Timer{Begins: r.Stage.Acquire, Renews: r.Stage.Renew}
	if r.Stage.Rests {
		timer.Ends = r.Stage.Release
	}
	return timer
}

// alike reports whether the clients differ in nothing but their names. In two
// drafts the second is another flow of the first's service, or has a number.
func (q Question) alike() bool {
	return q.Stage.Name != stages.SharedOwner.Name && q.Stage.Name != stages.ThreadNamedKey.Name
}

// token is how a timeline calls the token of client number i.
func token(i int) string { return tokenOf(names[i : i+1]) }

func tokenOf(client string) string { return strings.ToLower(client) }

// tokens are those of all clients.
var tokens = strings.ToLower(names)

// rename gives the tokens in a text the names that are in the map, and all
// others the one given, if it is not empty. A token is a word of one small
// letter, numbered if it is not its client's first: "a", "b#2".
func rename(text string, to map[string]string, others string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if end == i {
			b.WriteByte(text[i])
			i++
			continue
		}
		word := text[i:end]
		i = end
		letter, number := word[:1], word[1:]
		if (number == "" || number[0] == '#') && strings.Contains(tokens, letter) {
			switch name, ok := to[letter]; {
			case ok:
				letter = name
			case others != "":
				letter = others
			}
		}
		b.WriteString(letter)
		b.WriteString(number)
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c == '#' || c == ':' || c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
