package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

func init() { redis.SetLogger(&logging.VoidLogger{}) }

// poolSize is the number of connections a client may have at once. It is more
// than any play needs, because waiting for a free one is not what we study.
const poolSize = 256

// bufferSize is the size of a connection's buffers, in bytes. A longer command
// or reply goes in parts.
const bufferSize = 4 << 10

// deepest is the deepest stack that CountFrames can measure.
const deepest = 1 << 14

// mostAtOnce is the most commands that an instance may ask for at one instant of
// fake time. It is far more than any work needs.
const mostAtOnce = 10_000

// Client is a flow of control in one service instance. Each instance has its
// own go-redis client and its own connections, and reaches Redis only through
// its proxy. Faults strike the instance, and so all its flows.
type Client struct {
	*process
	name string
	nth  int // of the instance's flows, from 0
	call *call
}

// process is a service instance: what pauses and dies as one.
type process struct {
	w     *World
	name  string
	index int // in order of appearance; the first key of the door's order
	rdb   *redis.Client
	flows []*Client

	// Guarded by World.mu.
	dead       bool
	paused     bool
	frozen     time.Duration // until then nothing it sends goes through
	transcript []utterance   // in a directed world
	armed      []*fault
	sent       int // commands that went through
	asked      int // commands that its code has asked go-redis for at askedAt
	askedAt    time.Duration
	spins      bool      // asked more than mostAtOnce
	dialled    int       // connections so far
	stack      []uintptr // room to measure a stack; nil unless asked for
	frames     int
}

// call is one thing that a flow was told to do.
type call struct {
	what  string
	ended atomic.Bool
	panic string // what it panicked with, and where
}

// Client adds a service instance to the world.
func (w *World) Client(name string) *Client {
	if name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		w.mistake("a client called %q: a name of one line, please", name)
	}
	p := &process{w: w, name: name}
	w.mu.Lock()
	for _, other := range w.processes {
		if other.name == name {
			w.mu.Unlock()
			w.mistake("there are two clients called %q", name)
		}
	}
	p.index = len(w.processes)
	w.processes = append(w.processes, p)
	w.mu.Unlock()
	w.timeline.cast(name)

	retries := 0 // go-redis's own default
	if w.opts.NoRetries {
		retries = -1
	}
	p.rdb = redis.NewClient(&redis.Options{
		Addr:     "world:6379",
		Dialer:   p.dial,
		Protocol: 2,
		PoolSize: poolSize,

		// Small buffers: a world lives for a millisecond, and pays for each.
		ReadBufferSize:  bufferSize,
		WriteBufferSize: bufferSize,

		// A context is the only limit on a command: real-time limits would
		// mix two clocks.
		ContextTimeoutEnabled: true,
		ReadTimeout:           -1,
		WriteTimeout:          -1,
		DialTimeout:           -1,
		ConnMaxIdleTime:       -1,

		// Back-off is drawn at random, so there is none.
		MaxRetries:      retries,
		MinRetryBackoff: -1,
		MaxRetryBackoff: -1,
		DialerRetries:   1,

		DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled,
		},
	})
	p.rdb.AddHook(gate{p})
	return p.Flow(name)
}

// Flow adds another flow of control to the instance: a goroutine that serves a
// second request, with a name of its own.
func (p *process) Flow(name string) *Client {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	c := &Client{process: p, name: name, nth: len(p.flows)}
	p.flows = append(p.flows, c)
	return c
}

// Name is the flow's name.
func (c *Client) Name() string { return c.name }

// Instance is the name of the service instance.
func (p *process) Instance() string { return p.name }

// Redis is the instance's go-redis client, for the code under study.
func (p *process) Redis() *redis.Client { return p.rdb }

// Do starts f on the flow's own goroutine and returns when the world is at
// rest: f has ended, or it waits. what names the call in messages. The context
// ends with the world.
func (c *Client) Do(what string, f func(ctx context.Context)) {
	if c.Crashed() {
		c.w.mistake("%s has crashed and can't %s", c.name, what)
	}
	if c.busy() {
		c.w.mistake("%s can't %s: it is still in %s", c.name, what, c.call.what)
	}
	c.w.reportPanics()
	c.call = &call{what: what}
	go func(call *call) { // ends with f, or at the door once c is dead
		defer func() {
			if !c.Crashed() {
				c.w.knockAtDoor() // the play may be waiting for this end
			}
		}()
		defer call.ended.Store(true)
		defer func() {
			if p := recover(); p != nil {
				call.panic = fmt.Sprintf("%v%s", p, site())
			}
		}()
		f(context.WithValue(c.w.ctx, flowKey{}, c.nth))
	}(c.call)
	c.w.settle()
	c.w.reportPanics()
}

// reportPanics ends the play if a call has panicked.
func (w *World) reportPanics() {
	for _, p := range w.processes {
		for _, c := range p.flows {
			if c.call != nil && !c.busy() && c.call.panic != "" {
				what := c.call.panic
				c.call.panic = ""
				w.mistake("%s panicked in %s: %s", c.name, c.call.what, what)
			}
		}
	}
}

// Waiting reports whether the flow's last call has not ended yet: it waits for
// the lock, for time to pass, or at a fault.
func (c *Client) Waiting() bool { return c.busy() && !c.Crashed() }

func (c *Client) busy() bool { return c.call != nil && !c.call.ended.Load() }

// Sent counts the commands of the instance that went through. Left out is what
// go-redis sends for itself: the set-up of a connection, and the PING with which it
// looks after a subscription.
func (p *process) Sent() int {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.sent
}

// Visitor is what an instance has at the door.
type Visitor struct {
	Command string        // as a timeline shows it; a token that is new is "…"
	Since   time.Duration // fake time since the start
}

// AtDoor lists what of the instance waits at the door, in the order in which
// [World.Choices] numbers it.
func (p *process) AtDoor() []Visitor {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	var mine []*conn
	for _, c := range p.w.conns {
		if c.process == p && len(c.queue) > 0 {
			mine = append(mine, c)
		}
	}
	slices.SortFunc(mine, inOrder)
	var visitors []Visitor
	for _, c := range mine {
		visitors = append(visitors, Visitor{strings.Join(c.says(), " "), c.came})
	}
	return visitors
}

// Frozen is how long the instance stays frozen yet; zero if it is not.
func (p *process) Frozen() time.Duration {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return max(0, p.frozen-p.w.Now())
}

// CountFrames has the instance measure the stack of each goroutine that calls
// Redis, for [process.Frames].
func (p *process) CountFrames() {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.stack = make([]uintptr, deepest)
}

// Frames is how many calls deep the goroutine was that sent the last command.
func (p *process) Frames() int {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.frames
}

// atDoor reports whether the instance has a command at the door. The caller holds
// World.mu.
func (p *process) atDoor() bool {
	return slices.ContainsFunc(p.w.conns, func(c *conn) bool { return c.process == p && len(c.queue) > 0 })
}

// hears reports whether what is said to the instance reaches it now. The caller holds
// World.mu.
func (p *process) hears() bool { return !p.paused && !p.dead && p.frozen <= p.w.Now() }

// waitsFor says what holds the instance's calls up. The caller holds World.mu.
func (p *process) waitsFor() string {
	var at []string
	for _, c := range p.w.conns {
		if c.process == p && len(c.queue) > 0 {
			at = append(at, c.w.timeline.phrases(c.queue[0])[0])
		}
	}
	switch {
	case p.paused && len(at) > 0:
		return "paused before " + strings.Join(at, ", ")
	case len(at) > 0:
		return "held at the door with " + strings.Join(at, ", ")
	default:
		return "waiting for something that is not Redis"
	}
}

var errDead = errors.New("faults: this client is dead")

// dial makes a connection through the proxy; go-redis calls it.
func (p *process) dial(context.Context, string, string) (net.Conn, error) {
	p.w.mu.Lock()
	dead := p.dead
	p.w.mu.Unlock()
	if dead {
		return nil, errDead
	}
	return p.connect()
}

// die makes the instance dead: its connections are cut, and each goroutine of
// it that comes to the door ends there.
func (p *process) die() {
	p.w.mu.Lock()
	p.dead = true
	var mine []*conn
	for _, c := range p.w.conns {
		if c.process == p {
			mine = append(mine, c)
		}
	}
	p.w.mu.Unlock()
	for _, c := range mine {
		c.hangUp()
	}
	// Only a pool that is closed already makes this fail.
	_ = p.rdb.Close()
}

// gate is the go-redis hook at which the goroutines of a dead client end. It
// runs on the caller's own goroutine, so runtime.Goexit there is the end of a
// process as that goroutine sees it: no error comes back that a program could
// react to. Deferred functions run, and end at this same gate when they reach
// for Redis.
type gate struct{ p *process }

func (g gate) DialHook(next redis.DialHook) redis.DialHook { return next }

func (g gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if isSetUp(cmd.Name()) {
			return next(ctx, cmd)
		}
		g.ask()
		err := next(ctx, signed(ctx, cmd))
		g.pass()
		return err
	}
}

func (g gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		g.ask()
		err := next(ctx, signedBatch(ctx, cmds))
		g.pass()
		return err
	}
}

// ask counts a command that the calling goroutine asks for, and ends the goroutine
// if its process is dead, or goes on asking without a pause: fake time would never
// pass again. Not all of these get as far as the door. With a context that is over,
// go-redis sends nothing.
func (g gate) ask() {
	p := g.p
	p.w.mu.Lock()
	if now := p.w.Now(); now != p.askedAt {
		p.asked, p.askedAt = 0, now
	}
	p.asked++
	p.spins = p.spins || p.asked > mostAtOnce
	spins := p.spins
	p.w.mu.Unlock()
	if spins {
		runtime.Goexit()
	}
	g.pass()
}

// reportSpins ends the play if an instance asked for command after command without
// a pause.
func (w *World) reportSpins() {
	w.mu.Lock()
	spinning := slices.IndexFunc(w.processes, func(p *process) bool { return p.spins })
	w.mu.Unlock()
	if spinning >= 0 {
		w.mistake("%s has asked for %d commands in no time: it goes on and on, and never pauses", w.processes[spinning].name, mostAtOnce)
	}
}

// pass ends the calling goroutine if its process is dead.
func (g gate) pass() {
	g.p.w.mu.Lock()
	dead := g.p.dead
	if g.p.stack != nil && !dead {
		g.p.frames = runtime.Callers(1, g.p.stack)
	}
	g.p.w.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
}

// isSetUp reports whether a command prepares a connection, and says nothing
// about the code under study.
func isSetUp(command string) bool {
	switch strings.ToUpper(command) {
	case "HELLO", "AUTH", "SELECT", "CLIENT", "READONLY":
		return true
	}
	return false
}
