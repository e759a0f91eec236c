package faults

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/proto"
)

// A subscriber gets replies that it did not ask for. The embedded server sends
// them while some other command passes, so they are there when the world is at
// rest, and go to their clients in the order of the cast.

// listening is what a timeline shows in place of a reply that comes in its own time.
const listening = "listening"

// subscribe sends a command whose reply comes in its own time, and listens from
// then on.
func (c *conn) subscribe(words []string) error {
	if !c.subscribed {
		c.subscribed = true
		go c.hear() // ends with the connection
	}
	_, err := c.up.Write(encode(words))
	return err
}

// hear takes in what the server says to a subscriber.
func (c *conn) hear() {
	for {
		said, err := proto.Read(c.fromUp)
		if err != nil {
			return
		}
		c.w.mu.Lock()
		c.heard = append(c.heard, said)
		c.w.mu.Unlock()
		c.w.knockAtDoor()
	}
}

// deliver hands clients the replies that were kept for them, and subscribers what the
// server has said to them, and reports whether there was anything. The world is at
// rest.
func (w *World) deliver() bool {
	w.mu.Lock()
	var wakers, hearers []*conn
	for _, c := range w.conns {
		switch {
		case !c.hears():
		case c.kept:
			c.kept = false
			wakers = append(wakers, c)
		case len(c.heard) > 0:
			hearers = append(hearers, c)
		}
	}
	slices.SortFunc(hearers, func(a, b *conn) int { return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.id, b.id)) })
	heard := make([][]string, len(hearers))
	for i, c := range hearers {
		heard[i], c.heard = c.heard, nil
	}
	w.mu.Unlock()
	for _, c := range wakers {
		c.wake()
	}
	for i, c := range hearers {
		for _, said := range heard[i] {
			if what, ok := w.message(said); ok {
				w.record(Step{Client: c.process.name, Note: c.process.name + " hears " + what})
			}
			c.reply(said)
		}
	}
	return len(wakers)+len(hearers) > 0
}

// message is what a message says, and on which channel. It is false if this is
// none: the answer to SUBSCRIBE, say.
func (w *World) message(said string) (text string, ok bool) {
	parts, err := proto.ReadStrings(said)
	if err != nil || len(parts) != 3 || parts[0] != "message" {
		return "", false
	}
	return strings.TrimSpace(w.timeline.text(parts[2]) + " on " + w.timeline.text(parts[1])), true
}
