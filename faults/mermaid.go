package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Mermaid is the timeline as a sequence diagram, in the language of mermaid.js,
// which forges draw: an arrow for each command and its reply, notes for faults,
// remarks and time, and a tinted box around each step that breaks the promise.
// The bar at a client is the time for which the watched key is the client's, as
// Redis has it, whatever the client believes.
func (t *Timeline) Mermaid() string {
	m := mermaid{t: t, holder: map[string]string{}}
	m.line("sequenceDiagram")
	for i, name := range t.Clients {
		if m.participant(i) == name {
			m.line("    participant %s", name)
		} else {
			m.line("    participant %s as %s", m.participant(i), escape(name))
		}
	}
	m.line("    participant R as Redis")
	for _, s := range t.Steps {
		m.step(s)
	}
	switch {
	case t.Broke:
		m.note(m.everybody(), "✗ "+t.Verdict)
	case t.Verdict != "":
		m.note(m.everybody(), "– "+t.Verdict)
	}
	return m.b.String()
}

type mermaid struct {
	t      *Timeline
	b      strings.Builder
	holder map[string]string // watched key: participant whose bar is open
}

func (m *mermaid) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

func (m *mermaid) note(over, text string) { m.line("    Note over %s: %s", over, escape(text)) }

// plain is a client's name that Mermaid takes as it is; R is Redis's.
var plain = regexp.MustCompile(`^[A-QS-Z][0-9]*$`)

// participant is what a client is called inside the diagram.
func (m *mermaid) participant(i int) string {
	if name := m.t.Clients[i]; plain.MatchString(name) {
		return name
	}
	return fmt.Sprintf("client%d", i+1)
}

// of is the participant that a client is, or "".
func (m *mermaid) of(client string) string {
	if i := slices.Index(m.t.Clients, client); i >= 0 {
		return m.participant(i)
	}
	return ""
}

// everybody is the whole width of the diagram.
func (m *mermaid) everybody() string {
	if len(m.t.Clients) == 0 {
		return "R"
	}
	return m.participant(0) + ",R"
}

func (m *mermaid) step(s *Step) {
	if s.Broken != "" {
		m.line("    rect rgba(220, 50, 50, 0.2)")
	}
	over := m.of(s.Client)
	if over == "" {
		over = m.everybody()
	}
	if len(s.Commands) > 0 && m.of(s.Client) != "" {
		m.exchange(s, over)
	} else {
		text := strings.Trim(s.say(), "─ ")
		if s.Passed == 0 {
			text = stopwatch(s.At) + " · " + text
		}
		m.note(over, text)
		m.bars(s)
	}
	if !slices.Equal(s.Before, s.After) {
		m.line("    Note right of R: %s", escape(s.state()))
	}
	if s.Broken != "" {
		mark := "✗ "
		if !m.t.Broke {
			mark = "! "
		}
		m.note(over, mark+s.Broken)
		m.line("    end")
	}
}

// exchange draws commands that went through together, and their replies.
func (m *mermaid) exchange(s *Step, from string) {
	var asked, answered []string
	for i, words := range s.Commands {
		asked = append(asked, strings.Join(words, " "))
		if i < len(s.Replies) && s.Replies[i] != "QUEUED" {
			answered = append(answered, s.Replies[i])
		}
	}
	text := stopwatch(s.At) + " · " + strings.Join(asked, "; ")
	if s.Times > 1 {
		text += fmt.Sprintf(" ×%d until %s", s.Times, clock(s.Last))
	}
	m.line("    %s->>R: %s", from, escape(text))
	m.bars(s)
	reply := strings.Join(answered, "; ")
	if s.Fault != "" {
		m.line("    R--x%s: %s", from, escape(strings.TrimSpace(reply+" ("+s.Fault+")")))
		return
	}
	m.line("    R-->>%s: %s", from, escape(reply))
}

// bars opens and closes the bars of those who hold the watched keys.
func (m *mermaid) bars(s *Step) {
	for _, was := range s.Before {
		if m.holder[was.Key] != "" && !slices.ContainsFunc(s.After, was.sameOwner) {
			m.line("    deactivate %s", m.holder[was.Key])
			delete(m.holder, was.Key)
		}
	}
	for _, is := range s.After {
		if taker := m.of(s.Client); taker != "" && !slices.ContainsFunc(s.Before, is.sameOwner) {
			m.line("    activate %s", taker)
			m.holder[is.Key] = taker
		}
	}
}

// sameOwner reports whether two holdings are one lock in one owner's hand,
// however often that has entered.
func (h Holding) sameOwner(other Holding) bool {
	mine, _, _ := strings.Cut(h.Value, " ")
	its, _, _ := strings.Cut(other.Value, " ")
	return h.Key == other.Key && mine == its
}

// escape writes a text so that Mermaid, and the page around it, take it as such.
func escape(text string) string { return mermaidEscapes.Replace(text) }

var mermaidEscapes = strings.NewReplacer(
	"#", "#35;", ";", "#59;", "%", "#37;", `"`, "#quot;",
	"<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ", "\r", " ",
)
