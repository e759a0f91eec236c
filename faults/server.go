package faults

import (
	"net"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Never is the end of a lease that has none.
const Never time.Duration = -1

// Key is one key of the server, with what it holds.
type Key struct {
	Name   string
	Type   string        // as Redis has it: string, hash, list, …
	Value  string        // of a string
	Fields []Field       // of a hash, sorted by name; nil for other types
	Ends   time.Duration // when its lease ends: fake time since the start, or Never
}

// Field is one field of a hash.
type Field struct{ Name, Value string }

// server is a Redis server that lives in fake time.
type server interface {
	// dial opens a connection.
	dial() (net.Conn, error)

	// sync brings the server's leases to now, the fake time since the world
	// began, and reports what the server holds, sorted by name. sent is what
	// went through since the last sync, nil if nothing did.
	sync(now time.Duration, sent []string) ([]Key, error)

	// speaksUp reports whether it can say something that nobody asked for, to a
	// subscriber, without time passing meanwhile.
	speaksUp() bool

	// put sets a string, without a lease.
	put(key, value string) error

	close()
}

// embedded is a miniredis inside the bubble: its clock is the bubble's.
type embedded struct{ *miniredis.Miniredis }

func openEmbedded() (server, error) {
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true)
	return embedded{m}, nil
}

func (embedded) speaksUp() bool { return true }

func (e embedded) dial() (net.Conn, error) {
	conn, err := e.Dial()
	if err == nil {
		e.Server().SetPreHook(shorten) // there is a Server since the first Dial
	}
	return conn, err
}

func (e embedded) sync(now time.Duration, _ []string) ([]Key, error) {
	var keys []Key
	for _, name := range e.Keys() {
		k := Key{Name: name, Type: e.Type(name), Ends: Never}
		var err error
		switch k.Type {
		case "string":
			k.Value, err = e.Get(name)
		case "hash":
			k.Fields, err = e.fields(name)
		}
		if err != nil {
			return nil, err
		}
		if ttl := e.TTL(name); ttl > 0 {
			k.Ends = now + min(ttl, longestLease)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func (e embedded) fields(name string) ([]Field, error) {
	names, err := e.HKeys(name)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	fields := make([]Field, len(names))
	for i, f := range names {
		fields[i] = Field{f, e.HGet(name, f)}
	}
	return fields, nil
}

func (e embedded) put(key, value string) error { return e.Set(key, value) }

func (e embedded) close() { e.Close() }
