package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// Kind says what a choice does.
type Kind byte

// The kinds of choices, as a schedule spells them behind the client.
const (
	Pass   Kind = ' ' // a client's waiting command goes through
	Tick   Kind = '.' // time passes to the next event
	Crash  Kind = '!' // a client dies
	Lose   Kind = '?' // a client's waiting command goes through, and the reply is lost
	Freeze Kind = '*' // nothing that a client sends goes through for a while
)

// Choice is one step of a schedule.
type Choice struct {
	Kind   Kind
	Client string // one capital letter; empty for Tick
	Nth    int    // which of the client's waiting commands, from 1, for Pass and Lose
}

// String is the choice as a schedule has it: "A", "B2", ".", "A!", "A?", "A*".
func (c Choice) String() string {
	switch {
	case c.Kind == Tick:
		return "."
	case c.Kind == Pass && c.Nth > 1:
		return fmt.Sprintf("%s%d", c.Client, c.Nth)
	case c.Kind == Pass:
		return c.Client
	case c.Kind == Lose && c.Nth > 1:
		return fmt.Sprintf("%s%d?", c.Client, c.Nth)
	default:
		return c.Client + string(c.Kind)
	}
}

// Schedule is the list of choices that makes one run.
type Schedule []Choice

// String is the schedule as one word, which [ParseSchedule] reads.
func (s Schedule) String() string {
	var b strings.Builder
	for _, c := range s {
		b.WriteString(c.String())
	}
	return b.String()
}

// ErrSchedule means that a schedule can't be read, or does not fit the world.
var ErrSchedule = errors.New("this schedule does not fit")

// ParseSchedule reads what [Schedule.String] has written. The error is
// ErrSchedule, with the place.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	for i := 0; i < len(text); {
		if text[i] == byte(Tick) {
			s = append(s, Choice{Kind: Tick})
			i++
			continue
		}
		if text[i] < 'A' || text[i] > 'Z' {
			letter, _ := utf8.DecodeRuneInString(text[i:])
			return nil, fmt.Errorf("%w: %q at place %d is no client, which is a capital letter, and no dot", ErrSchedule, letter, i+1)
		}
		c := Choice{Kind: Pass, Client: text[i : i+1], Nth: 1}
		i++
		numbered := i < len(text) && text[i] >= '2' && text[i] <= '9'
		if numbered {
			c.Nth = int(text[i] - '0')
			i++
		}
		if i < len(text) && slices.Contains([]Kind{Crash, Lose, Freeze}, Kind(text[i])) {
			c.Kind = Kind(text[i])
			if c.Kind != Lose {
				if numbered {
					return nil, fmt.Errorf("%w: %q at place %d takes no number", ErrSchedule, text[i], i+1)
				}
				c.Nth = 0
			}
			i++
		}
		s = append(s, c)
	}
	return s, nil
}

// Choices lists what may happen next in a directed world, in an order that
// depends on the script alone. What a choice costs, and whether it may be
// afforded, is the caller's to say.
func (w *World) Choices() []Choice {
	w.mu.Lock()
	defer w.mu.Unlock()
	var choices []Choice
	nth := map[string]int{}
	waiting := w.waiting()
	slices.SortFunc(waiting, inOrder)
	for _, c := range waiting {
		nth[c.process.name]++
		choices = append(choices, Choice{Pass, c.process.name, nth[c.process.name]})
	}
	choices = append(choices, Choice{Kind: Tick})
	for _, c := range choices {
		if c.Kind == Pass {
			choices = append(choices, Choice{Lose, c.Client, c.Nth})
		}
	}
	for _, p := range w.processes {
		if !p.dead && p.working() {
			choices = append(choices, Choice{Kind: Crash, Client: p.name})
			if p.frozen <= w.Now() {
				choices = append(choices, Choice{Kind: Freeze, Client: p.name})
			}
		}
	}
	return choices
}

// working reports whether a flow of the instance has something to do.
func (p *process) working() bool {
	return slices.ContainsFunc(p.flows, (*Client).busy)
}

// longestTick is how far time passes in a step when nothing is announced. A client may
// poll something that is not Redis, like a mutex, and never come to the door: in
// a day that would be millions of tries.
const longestTick = time.Minute

// Take makes a choice happen, and returns when the world is at rest. Time passes
// to the next event, but no more than a minute, and while a command waits no further
// than step. A frozen client stays so for freeze. The error is ErrSchedule if the
// choice is not among [World.Choices].
func (w *World) Take(choice Choice, step, freeze time.Duration) error {
	if choices := w.Choices(); !slices.Contains(choices, choice) {
		var words []string
		for _, c := range choices {
			words = append(words, c.String())
		}
		return fmt.Errorf("%w: %s is no choice here; there are %s", ErrSchedule, choice, strings.Join(words, " "))
	}
	switch choice.Kind {
	case Tick:
		w.tick(step)
	case Crash:
		w.processNamed(choice.Client).crash("crashes")
	case Freeze:
		p := w.processNamed(choice.Client)
		w.mu.Lock()
		p.frozen = w.Now() + freeze
		w.mu.Unlock()
		w.record(Step{Client: p.name, Fault: p.name + " freezes for " + clock(freeze)})
	default:
		w.pick(choice)
	}
	w.settle()
	w.reportPanics()
	return nil
}

// pick lets a waiting command through.
func (w *World) pick(choice Choice) {
	w.mu.Lock()
	var mine []*conn
	for _, c := range w.waiting() {
		if c.process.name == choice.Client {
			mine = append(mine, c)
		}
	}
	slices.SortFunc(mine, inOrder)
	c := mine[choice.Nth-1]
	w.mu.Unlock()
	if choice.Kind == Lose {
		w.mu.Lock()
		c.onReply = &fault{kind: loseReply}
		w.mu.Unlock()
	}
	w.letThrough(c)
}

// willMiss reports whether c's command calls a script that no client has sent
// yet.
func (w *World) willMiss(c *conn) bool {
	head, _ := w.timeline.parts(c.queue[0])
	return len(head) > 1 && head[0] == "EVALSHA"
}

// tick lets time pass until something happens: a command comes to the door, a
// lease ends, a frozen client thaws.
func (w *World) tick(step time.Duration) {
	select {
	case <-w.knock: // somebody who is at the door already
	default:
	}
	before := w.Now()
	next := min(w.nextEvent(before), before+longestTick)
	if w.anyoneWaits() {
		next = min(next, before+step)
	}
	timer := time.NewTimer(next - before)
	defer timer.Stop()
	select {
	case <-w.knock:
	case <-timer.C:
	}
	w.endLeases()
	synctest.Wait()
}

func (w *World) anyoneWaits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting()) > 0
}

func (w *World) processNamed(name string) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		if p.name == name {
			return p
		}
	}
	return nil
}

// nextSetUp is a connection where something waits that is no step of its own: its
// set-up, or the call of a script that the server doesn't know yet. It does nothing
// then, and the client sends the script. What counts is when that runs.
func (w *World) nextSetUp() *conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := slices.DeleteFunc(w.waiting(), func(c *conn) bool { return !setsUp(c.queue) && !w.willMiss(c) })
	if len(waiting) == 0 {
		return nil
	}
	return slices.MinFunc(waiting, inOrder)
}

// utterance is a command that went through, as its client remembers it.
type utterance struct {
	flow    int    // of the client's flows, the one that sent it
	name    string // of the command, or of the script
	request string
	text    string        // the request, with what came back
	lost    bool          // nothing came back
	asked   time.Duration // when it was sent
	heard   time.Duration // when it went through, the last time
}

// remember adds a step to what a flow of the client has said and heard.
func (c *conn) remember(s Step, asked time.Duration, flow int, lost *fault) {
	if !c.w.opts.Directed {
		return
	}
	u := utterance{flow: flow, text: strings.TrimPrefix(s.say(), "EVAL "), lost: lost != nil, asked: asked, heard: c.w.Now()}
	s.Replies, s.Fault = nil, ""
	u.request = strings.TrimPrefix(s.say(), "EVAL ")
	u.name, _, _ = strings.Cut(u.request, " ")
	if u.lost { // its client doesn't know what came back
		u.text = u.request + " lost"
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.transcript = append(c.transcript, u)
}

// Dead is all that there is to say of a client that is dead.
const Dead = "dead"

// State describes all that the future of a directed world depends on.
type State struct {
	Server  string   // what the server holds, and for how long
	Clients []string // for each instance, what it said and heard, and what waits at the door
}

// Timer is what a client keeps going while it does something else, as a watchdog
// does, by the commands, or scripts, that tell of it. The zero Timer is none.
type Timer struct {
	Begins string // after which it is started
	Renews string // which it sends when it rings
	Ends   string // which finds it stopped if it answers that nothing is left, 0 or -1; empty if no command does
}

// sends reports whether when a command was sent decides when the timer rings.
func (t Timer) sends(command string) bool {
	return command != "" && (command == t.Begins || command == t.Renews)
}

func (t Timer) endsWith(u utterance) bool {
	left := strings.TrimPrefix(u.text, u.request+answers)
	return t.Ends != "" && u.name == t.Ends && (left == "0" || left == "-1")
}

// State describes where a directed world stands. Worlds in equal states go on
// alike, as long as their code depends on nothing else: a client that waits must
// have no memory of how often it tried, and none of its commands may have a
// deadline that the search comes near to.
//
// When the commands of the timer were sent and answered is part of the state. Of
// the others it is the time since the last one, if the client neither waits at the
// door nor is done: it sleeps then.
func (w *World) State(timer Timer) State {
	var server strings.Builder
	for _, k := range w.keys {
		fmt.Fprintf(&server, "%s %s", k.Name, w.timeline.named(k.Value))
		for _, f := range k.Fields {
			fmt.Fprintf(&server, " %s=%s", w.timeline.named(f.Name), w.timeline.named(f.Value))
		}
		if k.Ends != Never {
			fmt.Fprintf(&server, " %d", k.Ends-w.Now())
		}
		server.WriteByte('\n')
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := State{Server: server.String()}
	for _, p := range w.processes {
		s.Clients = append(s.Clients, p.state(timer))
	}
	return s
}

// state is the instance's part of the state. The caller holds World.mu.
func (p *process) state(timer Timer) string {
	if p.dead {
		return Dead
	}
	var b strings.Builder
	if p.frozen > p.w.Now() {
		fmt.Fprintf(&b, "frozen %d ", p.frozen-p.w.Now())
	}
	for i, flow := range p.flows {
		if i > 0 {
			b.WriteString(" | ")
		}
		flow.state(&b, timer)
	}
	return b.String()
}

// state writes down the flow's part of the state. The caller holds World.mu.
func (c *Client) state(b *strings.Builder, timer Timer) {
	business := c.door(b, timer)
	var said, kept []utterance
	for _, u := range c.transcript {
		if u.flow != c.nth {
			continue
		}
		if !timer.sends(u.name) {
			said = c.noted(said, u)
			if timer.endsWith(u) {
				kept = nil
			}
			continue
		}
		kept = c.noted(kept, u)
		last := len(kept) - 1
		switch tryAgain := last > 0 && kept[last-1].request == u.request; {
		case u.lost:
		case u.name == timer.Renews: // the timer runs from here
			kept = kept[last:]
		case tryAgain: // the one before has begun none
			kept = append(kept[:last-1], kept[last])
		}
	}
	now := c.w.Now()
	if c.busy() {
		b.WriteString("works")
		for i, u := range said {
			fmt.Fprintf(b, " [%s]", u.text)
			if !business && i == len(said)-1 {
				fmt.Fprintf(b, " %d", now-u.heard)
			}
		}
	}
	for _, u := range kept {
		fmt.Fprintf(b, " {%s} %d %d", u.text, now-u.asked, now-u.heard)
	}
}

// noted adds an utterance. One that says the same as the last renews it. And
// what go-redis has sent again, because the reply was lost, is one question to
// its client, asked when it was first sent.
func (c *Client) noted(us []utterance, u utterance) []utterance {
	last := len(us) - 1
	switch {
	case last >= 0 && us[last].lost && us[last].request == u.request && !c.w.opts.NoRetries:
		u.asked = us[last].asked
		return append(us[:last], u)
	case last >= 0 && us[last].text == u.text:
		us[last] = u
		return us
	}
	return append(us, u)
}

// door writes down what the flow has at the door, and reports whether any of it
// belongs to its business. The caller holds World.mu.
func (c *Client) door(b *strings.Builder, timer Timer) (business bool) {
	mine := slices.DeleteFunc(slices.Clone(c.w.conns), func(v *conn) bool {
		return v.process != c.process || v.flow != c.nth || len(v.queue) == 0
	})
	slices.SortFunc(mine, inOrder)
	for _, v := range mine {
		says := v.says()
		fmt.Fprintf(b, "<%s> ", strings.Join(says, " "))
		if timer.sends(says[0]) {
			fmt.Fprintf(b, "%d ", c.w.Now()-v.came)
		} else {
			business = true
		}
	}
	return business
}
