package faults

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Timeline is the recording of a run. Equal runs have equal timelines, down to
// the byte: real time, random tokens and the order of maps don't reach it.
type Timeline struct {
	Watch   string   `json:"watch"` // the key shown at the right
	Clients []string `json:"clients"`
	Steps   []*Step  `json:"steps"`
	Broke   bool     `json:"broke"`             // the play found the promise broken
	Verdict string   `json:"verdict,omitempty"` // what the play said was lost, or what stopped it

	names   map[string]string // random token: the name it is shown by
	tokens  map[string]int    // client: how many tokens it has shown
	scripts map[string]string // a script without a name, as scriptSum has it: its name
	open    []*Step           // steps since the last change that may be repeated
}

// Step is one line of a timeline: commands that went through together, a fault,
// a remark, or time that passed.
type Step struct {
	At       time.Duration `json:"at"`              // fake time since the start, in ns
	Last     time.Duration `json:"last,omitempty"`  // when it happened last, if more than once
	Times    int           `json:"times"`           // how often it happened in a row
	Client   string        `json:"client,omitzero"` // who did it
	Sent     time.Duration `json:"-"`               // when its commands came to the door, in fake time since the start
	Commands [][]string    `json:"commands,omitempty"`
	like     [][]string    // its commands, with "…" for each token that is new here
	Replies  []string      `json:"replies,omitempty"`
	Fault    string        `json:"fault,omitempty"`
	Note     string        `json:"note,omitempty"`
	Passed   time.Duration `json:"passed,omitempty"` // in ns
	Before   []Holding     `json:"-"`
	After    []Holding     `json:"state"`
	Broken   string        `json:"broken,omitempty"` // how this step breaks the promise
}

// Holding is what one watched key held after a step.
type Holding struct {
	Key   string        `json:"key"`
	Value string        `json:"value"` // the owner's name, with its count in a hash
	Ends  time.Duration `json:"ends"`  // fake time since the start; Never without a lease
}

// Mark says how this step breaks the promise. The first mark stays.
func (s *Step) Mark(format string, args ...any) {
	if s.Broken == "" {
		s.Broken = fmt.Sprintf(format, args...)
	}
}

// Writes reports whether the step set a string key.
func (s *Step) Writes(key string) bool {
	return slices.ContainsFunc(s.Commands, func(words []string) bool {
		return len(words) > 1 && words[0] == "SET" && words[1] == key
	})
}

func newTimeline(watch string) *Timeline {
	return &Timeline{
		Watch:   watch,
		names:   map[string]string{},
		tokens:  map[string]int{},
		scripts: map[string]string{},
	}
}

func (t *Timeline) cast(client string) { t.Clients = append(t.Clients, client) }

func (t *Timeline) last() *Step {
	if len(t.Steps) == 0 {
		return nil
	}
	return t.Steps[len(t.Steps)-1]
}

// add records a step, or counts it where it only repeats what its client did
// since the state last changed. A token that is new each time makes no difference.
// It returns the step as it stands in t.
func (t *Timeline) add(s Step) *Step {
	s.Times = 1
	if last := t.last(); last != nil {
		s.Before = last.After
	}
	changed := !slices.Equal(s.Before, s.After)
	repeatable := !changed && s.Fault == "" && s.Note == "" && s.Passed == 0
	if repeatable {
		for _, o := range t.open {
			if s.repeats(o) {
				o.goOn(s)
				o.Times++
				o.Last = s.At
				return o
			}
		}
		t.open = append(t.open, &s)
	} else {
		t.open = nil
	}
	t.Steps = append(t.Steps, &s)
	return &s
}

// repeats reports whether a step is like one before: each word is the same, or has
// new tokens in the place of new tokens.
func (s *Step) repeats(before *Step) bool {
	if s.Client != before.Client || len(s.Commands) != len(before.Commands) || !slices.Equal(s.Replies, before.Replies) {
		return false
	}
	for i, words := range s.Commands {
		if len(words) != len(before.Commands[i]) {
			return false
		}
		for j, word := range words {
			if word != before.Commands[i][j] && s.like[i][j] != before.like[i][j] {
				return false
			}
		}
	}
	return true
}

// goOn marks the tokens that are not the same in a step that repeats this one: of
// a#2, a#3 and so on the first is shown, as "a#2…".
func (s *Step) goOn(again Step) {
	for i, words := range s.Commands {
		for j, word := range words {
			if word != again.Commands[i][j] && !strings.HasSuffix(word, "…") {
				words[j] = word + "…"
			}
		}
	}
}

// finish completes the recording: scripts whose text came after their first
// call get their names, and the verdict its place.
func (t *Timeline) finish(err error) *Timeline {
	for _, s := range t.Steps {
		for i, words := range s.Commands {
			if len(words) > 1 && words[0] == "EVALSHA" {
				if name := t.scripts[words[1]]; name != "" {
					words = slices.Concat([]string{name}, words[2:])
				}
			}
			if i < len(s.Replies) && s.Replies[i] == "NOSCRIPT" {
				// What it was called with stands in the EVAL that follows.
				if words[0] != "EVALSHA" {
					words = slices.Concat([]string{"EVALSHA"}, words)
				}
				words = words[:min(2, len(words))]
			}
			s.Commands[i] = words
		}
	}
	if err != nil {
		t.Verdict = err.Error()
		t.Broke = isBroken(err)
	}
	return t
}

// looksAfter reports whether go-redis has only looked after a subscription.
func (s *Step) looksAfter() bool {
	return len(s.Commands) == 1 && s.Commands[0][0] == "PING" && slices.Equal(s.Replies, []string{listening})
}

// lastDeed is the last step in which somebody did something.
func (t *Timeline) lastDeed() *Step {
	for _, s := range slices.Backward(t.Steps) {
		if s.Passed == 0 && !s.looksAfter() {
			return s
		}
	}
	return nil
}

// shows reports whether a command of that name has passed.
func (t *Timeline) shows(command string) bool {
	return slices.ContainsFunc(t.Steps, func(s *Step) bool {
		return slices.ContainsFunc(s.Commands, func(words []string) bool { return words[0] == command })
	})
}

// watches reports whether the timeline shows the state of a key.
func (t *Timeline) watches(key string) bool {
	return t.Watch != "" && strings.HasPrefix(key, t.Watch)
}

// watched is the state of the watched keys, presentable.
func (t *Timeline) watched(keys []Key) []Holding {
	var held []Holding
	for _, k := range keys {
		if t.watches(k.Name) {
			held = append(held, Holding{Key: k.Name, Value: t.value(k), Ends: k.Ends})
		}
	}
	return held
}

// value shows what a key holds. A hash of owners and counts reads "a ×2".
func (t *Timeline) value(k Key) string {
	switch k.Type {
	case "string":
		return t.text(k.Value)
	case "hash":
	default:
		return "a " + k.Type
	}
	var parts []string
	for _, f := range k.Fields {
		switch {
		case f.Name == "": // a lock's own bookkeeping, kept under the one name that no owner has
		case f.Value == "1":
			parts = append(parts, t.text(f.Name))
		default:
			parts = append(parts, t.text(f.Name)+" ×"+t.text(f.Value))
		}
	}
	slices.Sort(parts) // the server's order is that of random tokens
	return strings.Join(parts, " ")
}

// A random token is shown by the name of the client that used it first. These
// are the forms that tokens come in: a UUID, the text of crypto/rand, a long
// number in hex or decimal.
var token = regexp.MustCompile(`[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|\b[A-Z2-7]{26}\b|\b[0-9a-f]{16,}\b`)

// longestWithTokens is the most bytes of a value that is searched for tokens.
const longestWithTokens = 1 << 10

func tokens(value string) []string {
	if len(value) > longestWithTokens {
		return nil
	}
	return token.FindAllString(value, -1)
}

// sumLength is the length of a SHA-1 in hex, which is no token.
const sumLength = 40

// learn takes in what a client sent, and names the tokens and scripts that are
// new.
func (t *Timeline) learn(client string, words []string) {
	t.learnScript(words)
	_, rest := t.parts(words)
	for _, word := range rest {
		for _, tok := range tokens(word) {
			if t.names[tok] == "" && len(tok) != sumLength {
				t.tokens[client]++
				t.names[tok] = strings.ToLower(client)
				if n := t.tokens[client]; n > 1 {
					t.names[tok] += "#" + strconv.Itoa(n)
				}
			}
		}
	}
}

// shown is a command as a step has it.
func (t *Timeline) shown(words []string) []string {
	head, rest := t.parts(words)
	shown := slices.Clone(head)
	for _, word := range rest {
		shown = append(shown, t.text(word))
	}
	return shown
}

// A script's name is the first word of the comment that it begins with. One without
// such a comment goes by its SHA-1.
var scriptName = regexp.MustCompile(`^\s*--\s*([A-Za-z]\w*)`)

// learnScript notes the name of a script whose text goes to the server.
func (t *Timeline) learnScript(words []string) {
	text := ""
	switch command := strings.ToUpper(words[0]); {
	case command == "EVAL" && len(words) > 1:
		text = words[1]
	case command == "SCRIPT" && len(words) > 2:
		text = words[2]
	}
	if text == "" {
		return
	}
	sum := scriptSum(text)
	t.scripts[sum] = sum
	if m := scriptName.FindStringSubmatch(text); m != nil {
		t.scripts[sum] = m[1]
	}
}

// scriptSum calls a script by the beginning of its SHA-1.
func scriptSum(text string) string {
	sum := sha1.Sum([]byte(text))
	return shortSum(hex.EncodeToString(sum[:]))
}

func shortSum(sum string) string { return "script " + sum[:7] }

// parts puts a command in the form in which it is shown: what it does, and with
// what. Commands are upper-case, and a script is called by its name; one whose
// text goes along keeps its EVAL, and one without a name is called by its SHA-1.
func (t *Timeline) parts(words []string) (head, rest []string) {
	command := strings.ToUpper(words[0])
	rest = words[1:]
	switch {
	case command == "SET" && len(words) > 3:
		rest = slices.Clone(rest)
		for i := 2; i < len(rest); i++ {
			rest[i] = strings.ToUpper(rest[i])
		}
	case command == "EVAL" && len(words) > 2:
		name := scriptSum(words[1])
		if m := scriptName.FindStringSubmatch(words[1]); m != nil {
			name = m[1]
		}
		return []string{command, name}, words[3:]
	case command == "EVALSHA" && len(words) > 2 && len(words[1]) == sumLength:
		sum := shortSum(words[1])
		if name := t.scripts[sum]; name != "" {
			return []string{name}, words[3:]
		}
		return []string{command, sum}, words[3:]
	}
	if quoted := strconv.Quote(command); quoted != `"`+command+`"` || strings.Contains(command, " ") {
		command = quoted
	}
	return []string{command}, rest
}

// phrases are the forms by which a fault may call a command.
func (t *Timeline) phrases(words []string) []string {
	head, rest := t.parts(words)
	phrase := strings.Join(slices.Concat(head, rest), " ")
	switch command := strings.ToUpper(words[0]); {
	case command == "EVAL" && len(head) > 1:
		return []string{strings.Join(slices.Concat(head[1:], rest), " "), phrase}
	case command == "EVALSHA":
		return []string{phrase, command}
	}
	return []string{phrase}
}

// longestText is the most characters of a value that a timeline shows.
const longestText = 32

// text makes a value presentable: tokens by name, odd bytes quoted, long values
// cut.
func (t *Timeline) text(value string) string {
	value = t.named(value)
	cut := ""
	if len(value) > longestText {
		cut = fmt.Sprintf("… (%d bytes)", len(value))
		value = value[:longestText]
	}
	quoted := strconv.Quote(value)
	if value == "" || strings.Contains(value, " ") || quoted != `"`+value+`"` {
		return quoted + cut
	}
	return value + cut
}

// named is a value with its tokens by name. A token that nobody has used yet has
// none: all of those look alike.
func (t *Timeline) named(value string) string {
	if len(value) > longestWithTokens {
		return value
	}
	return token.ReplaceAllStringFunc(value, func(tok string) string {
		if name := t.names[tok]; name != "" {
			return name
		}
		if len(tok) == sumLength {
			return tok[:7] + "…"
		}
		return "…"
	})
}

// JSON is the timeline for machines: the exported fields, indented.
func (t *Timeline) JSON() ([]byte, error) { return json.MarshalIndent(t, "", "  ") }

func isBroken(err error) bool {
	_, ok := err.(*broken) //nolint:errorlint // only a verdict that stands alone marks a step
	return ok
}
