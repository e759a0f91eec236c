package explore

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/stages"
)

// state is what the rest of the run depends on, but for the budget that is left.
//
// Clients that run the same program on handles of the same kind are alike: a
// state in which A is where B is in another, and B where A is, goes on as that
// does, with the names exchanged. So the clients are put in an order that does
// not depend on their names, and renamed by that.
func (r *run) state() string {
	s := r.scene.State(r.timer())
	for i, c := range r.clients {
		block := min(i, len(s.Clients)-1) // flows of one service share one
		s.Clients[block] += fmt.Sprintf(" %v %v %v", c.Inside(), c.Waiting() && c.warned(), c.Answer() != "")
	}
	order := make([]int, len(s.Clients))
	for i := range order {
		order[i] = i
	}
	if r.alike() {
		faceless := make([]string, len(s.Clients))
		for i, block := range s.Clients {
			mine := map[string]string{tokenOf(i): "mine"}
			faceless[i] = rename(block, mine, "other") + "\n" + rename(s.Server, mine, "other")
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(faceless[i], faceless[j]) })
	}
	names := map[string]string{}
	for place, i := range order {
		names[tokenOf(i)] = tokenOf(place)
	}
	var b strings.Builder
	b.WriteString(rename(s.Server, names, ""))
	for _, i := range order {
		b.WriteString(rename(s.Clients[i], names, "") + "\n")
	}
	if r.Stage.Name == stages.TimeoutIgnored.Name { // its caller has set a deadline
		fmt.Fprintf(&b, "%d ", r.scene.Now())
	}
	var broken []string
	for _, p := range Properties() {
		if _, ok := r.broken[p]; ok {
			broken = append(broken, string(p))
		}
	}
	fmt.Fprintf(&b, "%v %d %v", r.scene.Books(), r.scene.Robberies, broken)
	return b.String()
}

// timer is the commands between which the stage keeps a timer going, if it does.
func (r *run) timer() (begins, renews string) {
	if r.Stage.Renew == "" {
		return "", ""
	}
	return r.Stage.Acquire, r.Stage.Renew
}

// alike reports whether the clients differ in nothing but their names. In two
// drafts the second is another flow of the first's service, or has a number.
func (r *run) alike() bool {
	return r.Stage.Name != stages.SharedOwner.Name && r.Stage.Name != stages.ThreadNamedKey.Name
}

// tokenOf is how a timeline calls the token of client number i.
func tokenOf(i int) string { return strings.ToLower(names[i : i+1]) }

// rename gives the tokens in a text the names that are in the map, and all
// others the one given, if it is not empty. A token is a word of one small
// letter, numbered if it is not its client's first: "a", "b#2".
func rename(text string, to map[string]string, others string) string {
	var b strings.Builder
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
		if strings.Contains(strings.ToLower(names), letter) && (number == "" || number[0] == '#') {
			switch name, ok := to[letter]; {
			case ok:
				letter = name
			case others != "":
				letter = others
			}
		}
		b.WriteString(letter + number)
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c == '#' || c == ':' || c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
