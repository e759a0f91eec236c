package faults

import (
	"testing/synctest"
	"time"
)

// Now is the fake time since the world began.
func (w *World) Now() time.Duration { return time.Since(w.start) }

// Sleep lets d of fake time pass, at most a day. Whatever is due meanwhile
// happens at its instant: tries of those who wait, renewals, the ends of
// leases. It returns when the world is at rest.
func (w *World) Sleep(d time.Duration) {
	if d <= 0 || d > longestSleep {
		w.mistake("Sleep(%v): between 1 ns and %v, please", d, longestSleep)
	}
	w.pass(d, func() bool { return false })
	w.record(Step{Passed: d})
}

// Await lets time pass until c's call has ended, and reports whether it did so
// within limit, which is at most a day.
func (w *World) Await(c *Client, limit time.Duration) bool {
	if limit <= 0 || limit > longestSleep {
		w.mistake("Await(%s, %v): between 1 ns and %v, please", c.name, limit, longestSleep)
	}
	before := w.Now()
	ended := w.pass(limit, func() bool { return !c.busy() })
	if passed := w.Now() - before; passed > 0 {
		w.record(Step{Passed: passed})
	}
	return ended
}

// pass lets time go by until enough says so or d has passed, and reports which:
// true for enough. Fake time moves only while this goroutine is blocked, and it
// blocks only here; so it wakes for each command that comes to the door and for
// each lease that ends, deals with that, and blocks again.
func (w *World) pass(d time.Duration, enough func() bool) bool {
	end := w.Now() + d
	w.settle()
	for !enough() {
		now := w.Now()
		if now >= end {
			return false
		}
		timer := time.NewTimer(min(end, w.nextEvent(now)) - now)
		select {
		case <-w.knock:
		case <-timer.C:
		}
		timer.Stop()
		w.endLeases()
		w.settle()
	}
	return true
}

// nextEvent is the next instant after now at which something happens that no
// goroutine's timer announces: a lease ends, or a delayed command is due.
func (w *World) nextEvent(now time.Duration) time.Duration {
	next := now + longestSleep
	for _, k := range w.keys {
		if k.Ends > now {
			next = min(next, k.Ends)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		if c.due > now {
			next = min(next, c.due)
		}
	}
	for _, p := range w.processes {
		if p.frozen > now && !p.dead {
			next = min(next, p.frozen)
		}
	}
	return next
}

// endLeases records the watched leases that have ended at this instant.
func (w *World) endLeases() {
	now := w.Now()
	due := false
	var ended []string
	for _, k := range w.keys {
		if k.Ends == Never || k.Ends > now {
			continue
		}
		due = true
		if w.timeline.watches(k.Name) {
			ended = append(ended, k.Name)
		}
	}
	if !due {
		return
	}
	w.refresh(nil)
	for _, name := range ended {
		w.record(Step{Note: "the lease of " + name + " ends"})
	}
}

// settle brings the world to rest: every goroutine waits, and no command is at
// the door that may go through. This is the only place where commands pass, one
// at a time, so their order depends on the script alone. In a directed world
// only connections are set up here.
//
// Code that tries again without a pause never comes to rest: that ends the play.
func (w *World) settle() {
	if !w.settling.CompareAndSwap(false, true) {
		w.mistake("a verb on a client's own goroutine: only the play may move the world")
	}
	defer w.settling.Store(false)
	w.moved.Store(int64(w.Now()))
	for {
		synctest.Wait()
		if w.deliver() {
			continue
		}
		w.reportSpins()
		if w.opts.Directed {
			c := w.nextSetUp()
			if c == nil {
				return
			}
			w.letThrough(c)
			continue
		}
		c, struck := w.judge()
		switch {
		case struck != nil:
			struck()
		case c != nil:
			w.letThrough(c)
		default:
			return
		}
	}
}
