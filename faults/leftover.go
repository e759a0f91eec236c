package faults

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// What is left when a world has ended, and should not be: goroutines that wait for
// what never comes. Go says of them that there are some. Who looks for a mistake
// wants to know where they are.

// bubbleOf is how Go calls a bubble in a stack.
var bubbleOf = regexp.MustCompile(`synctest bubble \d+`)

// thisBubble is the bubble that the calling goroutine is in.
func thisBubble() string {
	head := make([]byte, 64)
	return bubbleOf.FindString(string(head[:runtime.Stack(head, false)]))
}

// listening lists the processes that are alive and have a subscription open. The
// caller holds World.mu.
func (w *World) listening() []string {
	var names []string
	for _, c := range w.conns {
		if c.subscribed && !c.dead && !slices.Contains(names, c.process.name) {
			names = append(names, c.process.name)
		}
	}
	return names
}

// leftover says what is left of a world that can't go on, for a sentence on it.
// Nobody else is in its bubble any more.
func (w *World) leftover() string {
	if len(w.unclosed) > 0 {
		return fmt.Sprintf("a subscription of %s is open at the end: close it, on every way out", strings.Join(w.unclosed, " and of "))
	}
	where := ""
	if at := leftIn(w.bubble); len(at) > 0 {
		where = " in " + strings.Join(at, " and in ")
	}
	return "goroutines are left" + where + " that nothing can wake, not even the end of their context"
}

const (
	mostStacks = 1 << 20 // bytes that are looked at of what goroutines do
	mostLeft   = 3       // places that are named
)

// leftIn lists where the goroutines of a bubble are: the innermost call of each
// that is of this module, and not of the engine, as "Lock (lock.go:50)".
func leftIn(bubble string) []string {
	stacks := make([]byte, mostStacks)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var places []string
	for goroutine := range strings.SplitSeq(string(stacks), "\n\n") {
		head, calls, _ := strings.Cut(goroutine, "\n")
		if !strings.Contains(head, bubble+"]") {
			continue
		}
		for _, m := range ownCall.FindAllStringSubmatch(calls, -1) {
			if m[1] == "faults" || m[1] == "hazards" {
				continue
			}
			place := fmt.Sprintf("%s (%s)", m[2], filepath.Base(m[3]))
			if !slices.Contains(places, place) && len(places) < mostLeft {
				places = append(places, place)
			}
			break
		}
	}
	slices.Sort(places) // the order of goroutines is anybody's
	return places
}

// ownCall is a call of this module in a stack: its package, the function, and the
// place.
var ownCall = regexp.MustCompile(`(?m)^(?:created by )?lockstep/(?:\w+/)*(\w+)\.(?:\(\*?\w+\)\.)?(\w+)[^\n]*\n\s+(\S+:\d+)`)
