package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A fault waits, armed, for a command of one client.
//
// Its pattern names the command as the timeline shows it: "DEL", "SET stock", or
// a script by its name, "releaseIfOwner". An armed fault strikes once, at the
// next command that fits, and two that fit strike in turn, at one command each;
// one that strikes nothing is a mistake of the play. A pipeline or a transaction
// is one command here: a fault for any part of it strikes the whole.
type fault struct {
	kind    string
	pattern string
	delay   time.Duration
}

const (
	pauseBefore = "the pause"
	crashBefore = "the crash before it"
	crashAfter  = "the crash after it"
	loseRequest = "the loss of the request"
	loseReply   = "the loss of the reply"
	delay       = "the delay"
)

// PauseBefore holds the client up at its next command that fits pattern, and
// with it the whole process: nothing more reaches Redis until [process.Resume].
// This is the stop-the-world pause at its worst moment.
func (p *process) PauseBefore(pattern string) { p.arm(fault{kind: pauseBefore, pattern: pattern}) }

// CrashBefore kills the client when a command that fits pattern is about to
// leave it: Redis never sees it.
func (p *process) CrashBefore(pattern string) { p.arm(fault{kind: crashBefore, pattern: pattern}) }

// CrashAfter kills the client when Redis has done a command that fits pattern,
// before the reply arrives.
func (p *process) CrashAfter(pattern string) { p.arm(fault{kind: crashAfter, pattern: pattern}) }

// LoseRequest cuts the connection before Redis sees a command that fits
// pattern. The client can't tell this from [process.LoseReply].
func (p *process) LoseRequest(pattern string) { p.arm(fault{kind: loseRequest, pattern: pattern}) }

// LoseReply cuts the connection after Redis has done a command that fits
// pattern, before the reply arrives.
func (p *process) LoseReply(pattern string) { p.arm(fault{kind: loseReply, pattern: pattern}) }

// Delay keeps a command that fits pattern on the wire for d, while the rest of
// the client goes on. It arrives even if the client is paused meanwhile, has given
// up, or died.
func (p *process) Delay(pattern string, d time.Duration) {
	if d <= 0 || d > longestSleep {
		p.w.mistake("Delay(%q, %v): between 1 ns and %v, please", pattern, d, longestSleep)
	}
	p.arm(fault{kind: delay, pattern: pattern, delay: d})
}

// Disarm takes back the faults that have not struck: for a play that runs on
// code which may or may not send what they wait for.
func (p *process) Disarm() {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.armed = nil
}

// Pause stops the client's world at once: nothing it sends reaches Redis until
// [process.Resume]. Its own timers still fire.
func (p *process) Pause() {
	switch {
	case p.Crashed():
		p.w.mistake("%s has crashed and can't be paused", p.name)
	case p.Paused():
		p.w.mistake("%s is paused already", p.name)
	}
	p.pause("is paused")
}

// Resume lets a paused client go on.
func (p *process) Resume() {
	if p.Crashed() {
		p.w.mistake("%s has crashed and can't Resume", p.name)
	}
	p.w.mu.Lock()
	was := p.paused
	p.paused = false
	p.w.mu.Unlock()
	if !was {
		p.w.mistake("%s can't Resume: it is not paused%s", p.name, p.armedYet())
	}
	p.w.record(Step{Client: p.name, Fault: p.name + " goes on"})
	p.w.settle()
}

// Paused reports whether the client is paused.
func (p *process) Paused() bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.paused
}

// Crash kills the client where it stands. Its goroutines end, their deferred
// calls never reach Redis, and no error tells them why.
func (p *process) Crash() {
	if p.Crashed() {
		p.w.mistake("%s can't crash twice", p.name)
	}
	p.crash("crashes")
	p.w.settle()
}

// Crashed reports whether the client is dead.
func (p *process) Crashed() bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.dead
}

func (p *process) arm(f fault) {
	if strings.TrimSpace(f.pattern) == "" {
		p.w.mistake("%s of %s: before or after which command?", f.kind, p.name)
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.armed = append(p.armed, &f)
}

// armedYet names the faults that still wait, for messages.
func (p *process) armedYet() string {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	var s string
	for _, f := range p.armed {
		s += ": " + f.kind + ` still waits for "` + f.pattern + `"`
	}
	return s
}

// missed says that a fault struck nothing.
func (p *process) missed(f *fault) string {
	hint := ""
	if command := strings.ToUpper(f.pattern); command != f.pattern && p.w.timeline.shows(command) {
		hint = "; the command is called " + command
	}
	return fmt.Sprintf("%s never sent %q, so %s did not happen%s", p.name, f.pattern, f.kind, hint)
}

// strike returns the first armed fault that fits one of the phrases, and disarms
// it. The caller holds World.mu.
func (p *process) strike(phrases []string) *fault {
	for i, f := range p.armed {
		for _, phrase := range phrases {
			if fits(f.pattern, phrase) {
				p.armed = slices.Delete(p.armed, i, i+1)
				return f
			}
		}
	}
	return nil
}

// fits reports whether phrase begins with the words of pattern.
func fits(pattern, phrase string) bool {
	return strings.HasPrefix(phrase+" ", strings.TrimSpace(pattern)+" ")
}

func (p *process) pause(how string) {
	p.w.mu.Lock()
	p.paused = true
	p.w.mu.Unlock()
	p.w.record(Step{Client: p.name, Fault: p.name + " " + how})
}

func (p *process) crash(how string) {
	p.die()
	p.w.record(Step{Client: p.name, Fault: p.name + " " + how})
}
