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
	id      int
	down    net.Conn // towards the client
	up      net.Conn // towards the server
	fromUp  *bufio.Reader
	replies chan string
	gone    chan struct{} // closed by cut
	once    sync.Once

	// Guarded by World.mu.
	queue    [][]string // what the client has sent and waits for: one batch
	said     []string   // what that says, when saidWith tokens had names
	saidWith int
	judged   bool // faults were looked up for this batch
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
		replies: make(chan string, 16), gone: make(chan struct{}),
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
	defer c.cut()
	r := bufio.NewReader(c.down)
	for {
		words, err := readCommand(r)
		if err != nil {
			if errors.Is(err, errNotRESP) {
				// The client gets to read this before the connection ends.
				_, _ = io.WriteString(c.down, errorReply("ERR Protocol error: %v", err))
			}
			return
		}
		c.w.mu.Lock()
		c.queue, c.said = append(c.queue, words), nil
		c.w.mu.Unlock()
		select {
		case c.w.knock <- struct{}{}:
		default:
		}
	}
}

// answer hands replies to the client, who may be slow to read them.
func (c *conn) answer() {
	for {
		select {
		case reply := <-c.replies:
			if _, err := io.WriteString(c.down, reply); err != nil {
				return
			}
		case <-c.gone:
			return
		}
	}
}

func (c *conn) reply(reply string) {
	select {
	case c.replies <- reply:
	case <-c.gone:
	}
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

// nextAtDoor picks the connection whose batch goes through next, or nil if none
// may. The world is at rest. The order depends on the script alone: the client
// by its place in the cast, then what the batch says, then the connection by
// its place in the client's own history. What it says comes before the
// connection, because two goroutines of a client that wake at one instant get
// their connections in an order that nobody decides.
func (w *World) nextAtDoor() *conn {
	for {
		c, struck := w.judge()
		if struck == nil {
			return c
		}
		struck()
	}
}

// judge looks for the next batch that may pass. If a fault strikes first, it
// returns that to be carried out, without World.mu.
func (w *World) judge() (next *conn, struck func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := slices.DeleteFunc(slices.Clone(w.conns), func(c *conn) bool {
		return len(c.queue) == 0 || c.paused || c.dead || c.due > w.Now()
	})
	if len(waiting) == 0 {
		return nil, nil
	}
	next = slices.MinFunc(waiting, func(a, b *conn) int {
		if a.index != b.index {
			return cmp.Compare(a.index, b.index)
		}
		return cmp.Or(slices.Compare(a.says(), b.says()), cmp.Compare(a.id, b.id))
	})
	if next.judged || isSetUp(next.queue[0][0]) {
		return next, nil
	}
	next.judged = true
	return next, next.strikeFirst()
}

// says is what a batch says, with random tokens by name: their bytes must not
// decide anything.
func (c *conn) says() []string {
	if c.said != nil && c.saidWith == len(c.w.timeline.names) {
		return c.said
	}
	var said []string
	for _, words := range c.queue {
		said = append(said, c.w.timeline.phrases(words)[0])
		for i, word := range words {
			if i != 1 || !isScriptCall(words) {
				said = append(said, c.w.timeline.named(word))
			}
		}
	}
	c.said, c.saidWith = said, len(c.w.timeline.names)
	return said
}

// strikeFirst carries out the fault that is armed for this batch and strikes
// before the server sees it. The caller holds World.mu.
func (c *conn) strikeFirst() func() {
	var phrases []string
	for _, words := range c.queue {
		phrases = append(phrases, c.w.timeline.phrases(words)...)
	}
	c.onReply = c.strike(phrases, loseReply, crashAfter)
	f := c.strike(phrases, pauseBefore, crashBefore, loseRequest, delay)
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
	default:
		c.due = c.w.Now() + f.delay
		return func() {
			c.w.record(Step{Client: c.process.name, Fault: f.pattern + " is under way for " + f.delay.String()})
		}
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
	batch, onReply := c.queue, c.onReply
	c.queue, c.judged, c.due, c.onReply = nil, false, 0, nil
	w.mu.Unlock()

	if isSetUp(batch[0][0]) {
		for _, words := range batch {
			reply, err := c.exchange(words)
			if err != nil {
				c.cut()
				return
			}
			c.reply(reply)
		}
		return
	}
	w.refresh(nil)
	replies := make([]string, 0, len(batch))
	for _, words := range batch {
		reply, err := c.exchange(words)
		if err != nil {
			w.record(Step{Client: c.process.name, Commands: [][]string{words}, Fault: "the server closed the connection"})
			c.cut()
			return
		}
		replies = append(replies, reply)
	}
	w.mu.Lock()
	c.sent += len(batch)
	w.mu.Unlock()
	w.refresh(slices.Concat(batch...))

	step := Step{Client: c.process.name}
	for i, words := range batch {
		step.Commands = append(step.Commands, w.timeline.learn(c.process.name, words))
		step.Replies = append(step.Replies, describe(replies[i], w.timeline.text))
	}
	switch {
	case onReply == nil:
		w.record(step)
		for _, reply := range replies {
			c.reply(reply)
		}
	case onReply.kind == loseReply:
		step.Fault = "the reply is lost"
		c.cut()
		w.record(step)
	default:
		w.record(step)
		c.crash("crashes before it reads the reply")
	}
}

// exchange sends one command to the server and reads the reply.
func (c *conn) exchange(words []string) (string, error) {
	if name := strings.ToUpper(words[0]); blocks(name) {
		return errorReply("ERR Lockstep's proxy does not carry %s yet: it would block the world", name), nil
	}
	if _, err := c.up.Write(encode(words)); err != nil {
		return "", err
	}
	return proto.Read(c.fromUp)
}

// blocks reports whether the reply to a command comes when it pleases. The
// proxy waits for each reply before time may pass, so it can't carry those.
func blocks(name string) bool {
	switch name {
	case "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR", "WAIT", "WAITAOF",
		"BLPOP", "BRPOP", "BLMOVE", "BLMPOP", "BRPOPLPUSH", "BZPOPMIN", "BZPOPMAX", "BZMPOP":
		return true
	case "XREAD", "XREADGROUP":
		return true
	}
	return false
}
