package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Errors that [Run] returns beside those of the play itself.
var (
	// ErrBroken marks an error made by [World.Broken]: the thing under study
	// broke its promise. It is a finding, not a fault of the play.
	ErrBroken = errors.New("the promise is broken")

	// ErrPlay marks a mistake in the script: a verb that makes no sense where
	// it stands, a fault armed for a command that never came, a panic.
	ErrPlay = errors.New("the play is wrong")

	// ErrStuck marks a world that can't go on: somebody waits for what never
	// comes, or code outlives its world.
	ErrStuck = errors.New("the world is stuck")

	// ErrServer marks a failure of the Redis server below the world.
	ErrServer = errors.New("the server failed")
)

const (
	// longestSleep is the most fake time that one verb lets pass.
	longestSleep = 24 * time.Hour

	// patience is how long, in fake time, a world waits for a play that waits
	// for something itself. A verb never takes this long, so a play that lets
	// so much time go by since its last one is stuck.
	patience = 10 * longestSleep

	// afterlife is how long, in fake time, the goroutines of a closed world
	// have to come to the door once more and be turned away.
	afterlife = 24 * time.Hour

	// realLimit guards fake time with real time: code that spins without ever
	// sleeping or speaking to Redis never lets the fake clock move.
	realLimit = time.Minute
)

// Options of a world. The zero value is what most plays want.
type Options struct {
	// NoRetries turns off go-redis's habit of sending a command again when
	// its connection broke (Options.MaxRetries, 3 by default).
	NoRetries bool

	// Directed has no command go through by itself: the play picks among
	// [World.Choices] what happens next.
	Directed bool

	// Watch is the key whose state the timeline shows at its right after each
	// step, with every key that has it as a prefix.
	Watch string
}

// World is one run: a bubble of fake time, one Redis server, the clients, and
// the timeline of what they did. Its methods are the verbs of a play; they may
// be called only on the goroutine that performs the play. Mark and Note may be
// called on a client's, too, where it is the only one that moves.
type World struct {
	opts     Options
	start    time.Time
	ctx      context.Context // ends with the world; every call runs under it
	server   server
	keys     []Key // what the server held after the last step
	timeline *Timeline
	observe  func(*Step)

	bubble   string   // that it lives in, as stacks have it
	unclosed []string // processes that had a subscription open at the end

	// telling guards the steps of the timeline: a client's goroutine may mark
	// one while the play goes on.
	telling sync.Mutex

	// moved is the fake time of the play's last verb, in ns.
	moved    atomic.Int64
	settling atomic.Bool // a verb is bringing the world to rest

	// knock has a value when a command has come to the door since it was last
	// read. Cap 1: one knock is enough for any number of visitors.
	knock chan struct{}

	mu        sync.Mutex // guards all below: clients' goroutines come here too
	processes []*process
	conns     []*conn
	closed    bool
}

// Run performs a play in a world of its own and returns the timeline, and nil
// if the play returned nil and made no mistake.
//
// An error of the play comes back as it is. Beside it errors.Is finds ErrPlay
// when the script is wrong, ErrStuck when the world could not go on, and
// ErrServer when Redis failed; the timeline then shows how far it came, and the
// message who waits for what.
//
// The server is embedded, or, when LOCKSTEP_SERVER names a binary, a private
// process of that; see [ServerEnv]. If that can't be started, Run says so in
// one line and exits with status 1: nothing that follows could be trusted.
func Run(opts Options, play func(*World) error) (timeline *Timeline, err error) {
	open, release := lendServer()
	defer release()

	w := &World{opts: opts, timeline: newTimeline(opts.Watch)}
	guard := time.AfterFunc(realLimit, func() {
		fmt.Fprintln(os.Stderr, w.stillRunning())
		debug.SetTraceback("all")
		panic("lockstep: real-time guard")
	})
	defer guard.Stop()

	defer func() {
		// The bubble panics when goroutines are left that nothing can wake.
		if p := recover(); p != nil {
			if text := fmt.Sprint(p); strings.HasPrefix(text, "deadlock: ") {
				p = w.leftover()
			}
			err = errors.Join(err, fmt.Errorf("%w: %v%s", ErrStuck, p, w.whoWaits()))
		}
		timeline = w.timeline.finish(err)
	}()
	// A bubble wants a test to report to. It has nothing to report: all that
	// goes wrong is in err. So a blank one will do, and worlds can be had
	// outside of tests.
	synctest.Test(new(testing.T), func(*testing.T) { err = w.run(open, play) })
	return w.timeline, err
}

func (w *World) run(open func() (server, error), play func(*World) error) error {
	w.start, w.bubble = time.Now(), thisBubble()
	w.knock = make(chan struct{}, 1) // made here, in the bubble: waiting for it lets time pass
	srv, err := open()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrServer, err)
	}
	w.server = srv
	defer srv.close()
	ctx, cancel := context.WithCancel(context.Background())
	w.ctx = ctx

	played := make(chan error, 1)
	go func() { // the play's own goroutine; ends with the play
		err := fmt.Errorf("%w: its goroutine ended early (a FailNow inside a play?)", ErrPlay)
		defer func() { played <- err }()
		err = w.perform(play)
	}()
	err = w.await(played)
	switch missed := w.unfired(); {
	case missed == nil:
	case err == nil:
		err = missed
	case errors.Is(err, ErrBroken): // but not, perhaps, for the reason that the play had in mind
		w.Note("%s", strings.TrimPrefix(missed.Error(), ErrPlay.Error()+": "))
	}
	cancel()
	w.close()
	return err
}

// await waits for the end of the play, as long as it keeps moving.
func (w *World) await(played chan error) error {
	for {
		select {
		case err := <-played:
			return err
		case <-time.After(patience):
		}
		if w.Now()-time.Duration(w.moved.Load()) >= patience {
			return fmt.Errorf("%w: the play itself waits for something that never comes%s", ErrStuck, w.whoWaits())
		}
	}
}

// perform runs the play and turns its panics into errors.
func (w *World) perform(play func(*World) error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case mistake:
			err = p.error
		default:
			err = fmt.Errorf("%w: it panicked: %v%s", ErrPlay, p, site())
		}
	}()
	if err := play(w); err != nil {
		return err
	}
	w.reportPanics()
	return nil
}

// site is the file and line of the code that has just panicked, for a deferred
// function: a stack with its addresses would be another in each run.
func site() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if frame.File != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(" (%s:%d)", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// A mistake ends a play from within a verb: what follows in the script would
// only build on it.
type mistake struct{ error }

func (w *World) mistake(format string, args ...any) {
	panic(mistake{fmt.Errorf("%w: %s%s", ErrPlay, fmt.Sprintf(format, args...), w.whoWaits())})
}

// unfired says which faults were armed for a command that never came.
func (w *World) unfired() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		for _, f := range p.armed {
			return fmt.Errorf("%w: %s", ErrPlay, p.missed(f))
		}
	}
	return nil
}

// close ends the world: it crashes every client that is still there, then lets
// time pass until each goroutine that sleeps has come to the door and left.
func (w *World) close() {
	w.mu.Lock()
	w.closed = true
	w.unclosed = w.listening()
	processes := w.processes
	w.mu.Unlock()
	for _, p := range processes {
		p.die()
	}
	w.mu.Lock()
	underWay := slices.Clone(w.conns)
	w.mu.Unlock()
	for _, c := range underWay {
		c.cut()
	}
	synctest.Wait()
	time.Sleep(afterlife)
}

// Broken is what a play returns when the promise under study is broken. It says
// in a sentence what a person lost by it. At which step that was is for Mark to
// say: the last one before the end may well be right.
func (w *World) Broken(format string, args ...any) error {
	return &broken{fmt.Sprintf(format, args...)}
}

type broken struct{ what string }

func (b *broken) Error() string        { return b.what }
func (b *broken) Is(target error) bool { return target == ErrBroken }

// Observe has see called after every step, before the play goes on. It may
// mark the step with [Step.Mark]. There is one observer at a time.
func (w *World) Observe(see func(*Step)) { w.observe = see }

// Note adds a remark to the timeline, in no client's column.
func (w *World) Note(format string, args ...any) {
	w.record(Step{Note: fmt.Sprintf(format, args...)})
}

// Mark marks the last thing that anybody did as the step that breaks the promise.
func (w *World) Mark(format string, args ...any) {
	w.telling.Lock()
	defer w.telling.Unlock()
	if deed := w.timeline.lastDeed(); deed != nil {
		deed.Mark(format, args...)
	}
}

// stillRunning says what is wrong with a world that never comes to an end, and how
// far it has come.
func (w *World) stillRunning() string {
	w.telling.Lock()
	defer w.telling.Unlock()
	return fmt.Sprintf("lockstep: after %v of real time this play is still running: "+
		"some code takes very many steps, with no sleep or a very short one, or waits for a mutex. So far:\n\n%s", realLimit, w.timeline)
}

// record adds a step at this instant.
func (w *World) record(s Step) {
	s.At = w.Now()
	s.After = w.timeline.watched(w.keys)
	w.telling.Lock()
	added := w.timeline.add(s)
	w.telling.Unlock()
	if w.observe != nil && added.Times == 1 {
		w.observe(added)
	}
}

// Keys returns what the server holds, sorted by name.
func (w *World) Keys() []Key {
	w.refresh(nil)
	return w.keys
}

// Watched returns what the watched keys hold, as a timeline shows it.
func (w *World) Watched() []Holding {
	w.refresh(nil)
	return w.timeline.watched(w.keys)
}

// Put gives a key a string value, without a lease, before the play begins. It is
// no step.
func (w *World) Put(key, value string) {
	if err := w.server.put(key, value); err != nil {
		panic(mistake{fmt.Errorf("%w: %w", ErrServer, err)})
	}
	w.refresh([]string{"SET", key, value})
}

// refresh reads what the server holds now; sent is the command that went
// through since the last look, if one did.
func (w *World) refresh(sent []string) {
	keys, err := w.server.sync(w.Now(), sent)
	if err != nil {
		panic(mistake{fmt.Errorf("%w: %w", ErrServer, err)})
	}
	w.keys = keys
}

// whoWaits says for each call that has not ended what it waits for.
func (w *World) whoWaits() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var s string
	for _, p := range w.processes {
		for _, c := range p.flows {
			if c.busy() {
				s += fmt.Sprintf("\n%s is in %s, %s", c.name, c.call.what, p.waitsFor())
			}
		}
		if !p.working() && !p.dead && p.atDoor() {
			s += fmt.Sprintf("\n%s is %s, and in no call: has the play called Redis itself, outside of Do?", p.name, p.waitsFor())
		}
	}
	return s
}
