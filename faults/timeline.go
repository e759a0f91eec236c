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
	scripts map[string]string // SHA-1 of a script: its name
	open    []*Step           // steps since the last change that may be repeated
}

// Step is one line of a timeline: commands that went through together, a fault,
// a remark, or time that passed.
type Step struct {
	At       time.Duration `json:"at"`              // fake time since the start, in ns
	Last     time.Duration `json:"last,omitempty"`  // when it happened last, if more than once
	Times    int           `json:"times"`           // how often it happened in a row
	Client   string        `json:"client,omitzero"` // who did it
	Commands [][]string    `json:"commands,omitempty"`
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
// since the state last changed. It returns the step as it stands in t.
func (t *Timeline) add(s Step) *Step {
	s.Times = 1
	if last := t.last(); last != nil {
		s.Before = last.After
	}
	changed := !slices.Equal(s.Before, s.After)
	repeatable := !changed && s.Fault == "" && s.Note == "" && s.Passed == 0
	if repeatable {
		for _, o := range t.open {
			if o.Client == s.Client && slices.Equal(o.Replies, s.Replies) &&
				slices.EqualFunc(o.Commands, s.Commands, slices.Equal[[]string]) {
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

// finish completes the recording: scripts whose text came after their first
// call get their names, and the verdict its place.
func (t *Timeline) finish(err error) *Timeline {
	for _, s := range t.Steps {
		for i, words := range s.Commands {
			if len(words) > 2 && words[0] == "EVALSHA" {
				s.Commands[i] = t.nameScript(words)
			}
			if s.Replies[i] == "NOSCRIPT" {
				s.Commands[i] = slices.Concat([]string{"EVALSHA"}, s.Commands[i][:1])
			}
		}
	}
	if err != nil {
		t.Verdict = err.Error()
		t.Broke = isBroken(err)
		if t.Broke {
			t.markSomething()
		}
	}
	return t
}

// markSomething marks the last thing that anybody did, unless a mark is there.
func (t *Timeline) markSomething() {
	var deed *Step
	for _, s := range t.Steps {
		if s.Broken != "" {
			return
		}
		if s.Passed == 0 {
			deed = s
		}
	}
	if deed != nil {
		deed.Mark("here")
	}
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
	if k.Fields == nil {
		return t.text(k.Value)
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
	return strings.Join(parts, " ")
}

// A random token is shown by the name of the client that used it first. These
// are the forms that tokens come in: a UUID, the text of crypto/rand, a long
// number in hex or decimal.
var token = regexp.MustCompile(`[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|\b[A-Z2-7]{26}\b|\b[0-9a-f]{16,}\b`)

// learn takes in what a client sent, names the tokens and scripts that are new,
// and returns the command as it is shown.
func (t *Timeline) learn(client string, words []string) []string {
	if name := strings.ToUpper(words[0]); name == "EVAL" || name == "SCRIPT" {
		text := words[min(len(words)-1, 1)]
		if name == "SCRIPT" {
			text = words[len(words)-1]
		}
		t.learnScript(text)
	}
	words = t.nameScript(words)
	for i, word := range words {
		if isScriptCall(words) && i == 1 {
			continue // a SHA-1 is no token
		}
		for _, tok := range token.FindAllString(word, -1) {
			if t.names[tok] == "" {
				t.tokens[client]++
				t.names[tok] = strings.ToLower(client)
				if n := t.tokens[client]; n > 1 {
					t.names[tok] += strconv.Itoa(n)
				}
			}
		}
	}
	shown := make([]string, len(words))
	for i, word := range words {
		if i == 0 || (isScriptCall(words) && i == 1) {
			shown[i] = word
			continue
		}
		shown[i] = t.text(word)
	}
	return shown
}

// A script's name is the first word of the comment that it begins with.
var scriptName = regexp.MustCompile(`^\s*--\s*([A-Za-z]\w*)`)

func (t *Timeline) learnScript(text string) {
	if m := scriptName.FindStringSubmatch(text); m != nil {
		sum := sha1.Sum([]byte(text))
		t.scripts[hex.EncodeToString(sum[:])] = m[1]
	}
}

func isScriptCall(words []string) bool {
	return len(words) > 2 && (words[0] == "EVAL" || words[0] == "EVALSHA")
}

// nameScript puts a command in the form in which it is shown: upper-case, a
// script called by its name. A script whose text went along keeps its EVAL.
func (t *Timeline) nameScript(words []string) []string {
	words = slices.Clone(words)
	words[0] = strings.ToUpper(words[0])
	if words[0] == "SET" {
		for i := 3; i < len(words); i++ {
			words[i] = strings.ToUpper(words[i])
		}
	}
	if !isScriptCall(words) {
		return words
	}
	if words[0] == "EVAL" {
		if m := scriptName.FindStringSubmatch(words[1]); m != nil {
			return append([]string{"EVAL", m[1]}, words[3:]...)
		}
		sum := sha1.Sum([]byte(words[1]))
		return append([]string{"EVAL", shortSum(hex.EncodeToString(sum[:]))}, words[3:]...)
	}
	if name := t.scripts[words[1]]; name != "" {
		return append([]string{name}, words[3:]...)
	}
	return words
}

func shortSum(sum string) string { return "script " + sum[:min(7, len(sum))] }

// phrases are the forms by which a fault may call a command.
func (t *Timeline) phrases(words []string) []string {
	named := t.nameScript(words)
	if named[0] == "EVAL" && len(named) > 1 {
		return []string{strings.Join(named[1:], " "), strings.Join(named, " ")}
	}
	if upper := strings.ToUpper(words[0]); upper != named[0] {
		return []string{strings.Join(named, " "), upper}
	}
	return []string{strings.Join(named, " ")}
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
	return token.ReplaceAllStringFunc(value, func(tok string) string {
		if name := t.names[tok]; name != "" {
			return name
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
