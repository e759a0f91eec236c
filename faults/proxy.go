package faults

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2/proto"
)

// conn is one connection of a client, with the proxy in the middle. Two
// goroutines serve the client's side, so that neither a pipeline nor a client
// that has stopped reading can hold the play up; the server's side is used by
// the play's goroutine alone, for one command at a time.
type conn struct {
	*process
	id     int
	down   net.Conn // towards the client
	up     net.Conn // towards the server
	fromUp *bufio.Reader
	more   chan struct{} // has a value when replies were added; cap 1
	gone   chan struct{} // closed by cut
	once   sync.Once

	// A transaction that has been begun, and whether a command of it was
	// refused. Used by the play's goroutine alone.
	inMulti, refused bool

	// A connection that has subscribed gets what the server says when it pleases:
	// from then on hear takes it in, and deliver hands it on.
	subscribed bool

	// Guarded by World.mu.
	heard    []string   // what the server has said to a subscriber, and the client has not got yet
	queue    [][]string // what the client has sent and waits for: one batch
	said     []string   // what that says, when saidWith tokens had names
	saidWith int
	came     time.Duration // when the batch came to the door
	flow     int           // which of the client's flows sent the batch, as far as that is known
	judged   bool          // faults were looked up for this batch
	orphan   bool          // the client is gone, and the batch still under way
	replies  []string      // for the client, who may be slow to read them
	kept     bool          // the client is to hear of them when it does again
	due      time.Duration
	onReply  *fault // strikes when the server has done the batch
}

// connect puts a new connection between the client and the server.
func (p *process) connect() (net.Conn, error) {
	up, err := p.w.server.dial()
	if err != nil {
		return nil, err
	}
	client, down := net.Pipe()
	c := &conn{
		process: p, down: down, up: up, fromUp: bufio.NewReader(up),
		more: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	p.w.mu.Lock()
	p.dialled++
	c.id = p.dialled
	p.w.conns = append(p.w.conns, c)
	closed := p.dead
	p.w.mu.Unlock()
	if closed {
		c.cut()
		return nil, errDead
	}
	go c.listen() // ends when either side closes the connection
	go c.answer() // ends when the connection is cut
	return client, nil
}

// listen takes in what the client sends and lets it queue at the door.
func (c *conn) listen() {
	defer c.hangUp()
	r := bufio.NewReader(c.down)
	for {
		words, err := readCommand(r)
		if err != nil {
			if errors.Is(err, errNotRESP) || errors.Is(err, errTooBig) {
				// The client gets to read this before the connection ends. It may
				// have more to write before it reads.
				go func() { _, _ = io.Copy(io.Discard, r) }() // ends with the connection
				_, _ = io.WriteString(c.down, errorReply("ERR Protocol error: %v", err))
			}
			return
		}
		flow, words := signedBy(words)
		c.w.mu.Lock()
		if len(c.queue) == 0 {
			c.came, c.flow = c.w.Now(), 0
		}
		c.flow = max(c.flow, flow)
		c.queue, c.said = append(c.queue, words), nil
		c.w.mu.Unlock()
		c.w.knockAtDoor()
	}
}

// knockAtDoor wakes a play that lets time pass.
func (w *World) knockAtDoor() {
	select {
	case w.knock <- struct{}{}:
	default:
	}
}

// answer hands the client its replies.
func (c *conn) answer() {
	for {
		c.w.mu.Lock()
		replies := c.replies
		c.replies = nil
		c.w.mu.Unlock()
		for _, reply := range replies {
			if _, err := io.WriteString(c.down, reply); err != nil {
				return
			}
		}
		select {
		case <-c.more:
		case <-c.gone:
			return
		}
	}
}

// reply has the client hear of replies, or keeps them until it does.
func (c *conn) reply(replies ...string) {
	c.w.mu.Lock()
	c.replies = append(c.replies, replies...)
	c.kept = !c.hears()
	kept := c.kept
	c.w.mu.Unlock()
	if !kept {
		c.wake()
	}
}

// wake has the client hear of what there is.
func (c *conn) wake() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// hangUp is the client's end of the connection: it has closed it, or died. What
// is under way to the server arrives all the same.
func (c *conn) hangUp() {
	c.w.mu.Lock()
	c.orphan = c.due > 0 && len(c.queue) > 0
	orphan := c.orphan
	c.w.mu.Unlock()
	if !orphan {
		c.cut()
		return
	}
	_ = c.down.Close()
}

// cut breaks the connection. What waits at the door is lost with it.
func (c *conn) cut() {
	c.once.Do(func() {
		close(c.gone)
		_ = c.down.Close()
		_ = c.up.Close()
		c.w.mu.Lock()
		defer c.w.mu.Unlock()
		c.queue = nil
		c.w.conns = slices.DeleteFunc(c.w.conns, func(other *conn) bool { return other == c })
	})
}

// judge picks the connection whose batch goes through next, or none. If a fault
// strikes first, it returns that to be carried out, without World.mu. The world
// is at rest.
//
// The order depends on the script alone: the client by its place in the cast,
// then what the batch says, then the flow that sent it. Only what is equal in all
// that goes by its connection: goroutines of one flow that wake at one instant
// get their connections in an order that nobody decides.
func (w *World) judge() (next *conn, struck func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := w.waiting()
	if len(waiting) == 0 {
		return nil, nil
	}
	next = slices.MinFunc(waiting, inOrder)
	if next.judged || setsUp(next.queue) {
		return next, nil
	}
	next.judged = true
	return next, next.strikeFirst()
}

// waiting lists the connections whose batches may pass. What is under way arrives,
// whatever has become of its sender. The caller holds World.mu.
func (w *World) waiting() []*conn {
	now := w.Now()
	return slices.DeleteFunc(slices.Clone(w.conns), func(c *conn) bool {
		underWay := c.due > 0
		return len(c.queue) == 0 || c.due > now || !underWay && (c.paused || c.dead || c.frozen > now)
	})
}

// inOrder is the door's order. A client's connections are set up before any of
// its commands passes: which flow has one already is luck.
func inOrder(a, b *conn) int {
	if a.index != b.index {
		return cmp.Compare(a.index, b.index)
	}
	if first := setsUp(a.queue); first != setsUp(b.queue) {
		if first {
			return -1
		}
		return 1
	}
	return cmp.Or(slices.Compare(a.says(), b.says()), cmp.Compare(a.flow, b.flow), cmp.Compare(a.id, b.id))
}

// setsUp reports whether a batch only prepares the connection.
func setsUp(batch [][]string) bool {
	return !slices.ContainsFunc(batch, func(words []string) bool { return !isSetUp(words[0]) })
}

// says is what a batch says, with random tokens by name: their bytes must not
// decide anything. Nor must it whether a script goes with its text.
func (c *conn) says() []string {
	if c.said != nil && c.saidWith == len(c.w.timeline.names) {
		return c.said
	}
	var said []string
	for _, words := range c.queue {
		head, rest := c.w.timeline.parts(words)
		if len(head) > 1 {
			head = head[1:]
		}
		said = append(said, head...)
		for _, word := range rest {
			said = append(said, c.w.timeline.named(word))
		}
	}
	c.said, c.saidWith = said, len(c.w.timeline.names)
	return said
}

// strikeFirst looks for the fault that this batch meets. It returns what that
// does before the server sees the batch, to be carried out without World.mu, or
// nil if the batch may pass. The caller holds World.mu.
func (c *conn) strikeFirst() func() {
	var phrases []string
	for _, words := range c.queue {
		phrases = append(phrases, c.w.timeline.phrases(words)...)
	}
	f := c.strike(phrases)
	if f == nil {
		return nil
	}
	switch f.kind {
	case pauseBefore:
		return func() { c.pause("is paused before " + f.pattern) }
	case crashBefore:
		return func() { c.crash("crashes before " + f.pattern) }
	case loseRequest:
		return func() { c.lose("the request is lost: " + f.pattern) }
	case delay:
		c.due = c.w.Now() + f.delay
		return func() {
			c.w.record(Step{Client: c.process.name, Fault: f.pattern + " is under way for " + f.delay.String()})
		}
	default: // strikes when the server has done the batch
		c.onReply = f
		return nil
	}
}

// lose cuts the connection, and tells the reader.
func (c *conn) lose(what string) {
	c.cut()
	c.w.record(Step{Client: c.process.name, Fault: what})
}

// letThrough takes a batch to the server and the replies back.
func (w *World) letThrough(c *conn) {
	w.mu.Lock()
	batch, came, flow, onReply, orphan := c.queue, c.came, c.flow, c.onReply, c.orphan
	c.queue, c.judged, c.due, c.onReply = nil, false, 0, nil
	w.mu.Unlock()

	setUp := setsUp(batch)
	if !setUp {
		w.refresh(nil)
	}
	step := Step{Client: c.process.name, Sent: came}
	var replies []string
	for _, words := range batch {
		reply, err := c.exchange(words)
		if err != nil {
			step.Fault = "the server closed the connection"
			break
		}
		replies = append(replies, reply)
		if setUp {
			continue
		}
		if !changedNothing(words, reply) {
			w.refresh(words)
		}
		step.like = append(step.like, w.timeline.shown(words)) // before its new tokens have names
		if !isNoScript(reply) {                                // else it comes once more, and is learned then
			w.timeline.learn(c.process.name, words)
		}
		step.Commands = append(step.Commands, w.timeline.shown(words))
		answer := describe(reply, w.timeline.text)
		if c.subscribed {
			answer = listening
		}
		step.Replies = append(step.Replies, answer)
	}
	if setUp || w.opts.Directed && len(replies) == 1 && isNoScript(replies[0]) { // no step of a schedule
		c.reply(replies...)
		if step.Fault != "" {
			c.cut()
		}
		return
	}
	w.mu.Lock()
	if !step.looksAfter() {
		c.sent += len(replies)
	}
	w.mu.Unlock()
	if onReply != nil && onReply.kind == loseReply && step.Fault == "" {
		step.Fault = "the reply is lost"
	}
	c.remember(step, came, flow, onReply)
	w.record(step)
	switch {
	case onReply != nil && onReply.kind == crashAfter:
		c.crash("crashes before it reads the reply")
	case step.Fault != "", orphan:
		c.cut()
	default:
		c.reply(replies...)
	}
}

// exchange sends one command to the server and reads the reply. It keeps watch
// over transactions, so that one with a refused command is given up, as a real
// server does it: the proxy refuses some commands itself, and the embedded
// server forgets that it did.
func (c *conn) exchange(words []string) (string, error) {
	name := strings.ToUpper(words[0])
	if c.inMulti && c.refused && name == "EXEC" {
		c.inMulti = false
		if _, err := c.ask([]string{"DISCARD"}); err != nil {
			return "", err
		}
		return errorReply("EXECABORT Transaction discarded because of previous errors."), nil
	}
	var reply string
	var err error
	switch {
	case c.subscribed || name == "SUBSCRIBE" && c.w.server.speaksUp():
		return "", c.subscribe(words)
	case name == "CLIENT" && len(words) > 1 && strings.EqualFold(words[1], "REPLY"):
		reply = errorReply("ERR Lockstep's proxy does not carry CLIENT REPLY: it waits for each reply")
	case answersAsItPleases(name), name == "SUBSCRIBE", name == "UNSUBSCRIBE":
		reply = errorReply("ERR Lockstep's proxy does not carry %s: its replies come when they please", name)
	default:
		reply, err = c.ask(words)
	}
	switch {
	case name == "MULTI":
		c.inMulti, c.refused = true, false
	case name == "EXEC", name == "DISCARD":
		c.inMulti = false
	case c.inMulti && strings.HasPrefix(reply, "-"):
		c.refused = true
	}
	return reply, err
}

func (c *conn) ask(words []string) (string, error) {
	if _, err := c.up.Write(encode(words)); err != nil {
		return "", err
	}
	return proto.Read(c.fromUp)
}

// changedNothing reports whether a command that was answered so is known to have
// left all keys as they were, so that there is no need to look.
func changedNothing(words []string, reply string) bool {
	switch strings.ToUpper(words[0]) {
	case "GET", "TTL", "PTTL", "EXISTS", "PING", "WATCH", "UNWATCH", "MULTI":
		return true
	case "SET":
		return reply == "$-1\r\n" // NX, and somebody was there
	}
	return reply == "+QUEUED\r\n"
}

// isNoScript reports whether the server asks for a script's text.
func isNoScript(reply string) bool { return strings.HasPrefix(reply, "-NOSCRIPT") }

// answersAsItPleases reports whether a command has its reply at another time, or
// another number of them. The proxy waits for one reply to each command before
// time may pass, so it can't carry those.
func answersAsItPleases(name string) bool {
	switch name {
	case "PSUBSCRIBE", "SSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE",
		"MONITOR", "SYNC", "PSYNC", "WAIT", "WAITAOF", "XREAD", "XREADGROUP",
		"BLPOP", "BRPOP", "BLMOVE", "BLMPOP", "BRPOPLPUSH", "BZPOPMIN", "BZPOPMAX", "BZMPOP":
		return true
	}
	return false
}
