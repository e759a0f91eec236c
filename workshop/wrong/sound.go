package wrong

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
)

// retryEvery is how long a waiter sleeps between two tries.
const retryEvery = 20 * time.Millisecond

// errNotHeld means that Unlock found the lock free or somebody else's.
var errNotHeld = errors.New("lock: not held")

// handle is what every lock here has.
type handle struct {
	rdb   *redis.Client
	key   string
	token string // the handle's own
	owner string // the flow's, who may have other handles
	lease time.Duration

	// self is the lock as its caller sees it, mistake included: Lock waits with
	// its TryLock.
	self stages.Lock
}

// on makes a lock on a handle.
func on(lock func(*handle) stages.Lock) func(stages.Flow) (stages.Lock, error) {
	return func(f stages.Flow) (stages.Lock, error) {
		switch {
		case f.Redis == nil:
			return nil, errors.New("lock: no Redis client")
		case f.Key == "":
			return nil, errors.New("lock: empty key")
		case f.NoOwner:
			return nil, errors.New("lock: empty owner")
		case f.Lease < time.Millisecond || f.Lease%time.Millisecond != 0:
			return nil, errors.New("lock: the lease must be whole milliseconds, at least one")
		}
		h := &handle{rdb: f.Redis, key: f.Key, token: newToken(), owner: cmp.Or(f.Owner, rand.Text()), lease: f.Lease}
		h.self = lock(h)
		return h.self, nil
	}
}

func newToken() string { return rand.Text() }

// Lock takes the lock, and waits for it as long as ctx lasts.
func (h *handle) Lock(ctx context.Context) error {
	for {
		ok, err := h.self.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryEvery):
		}
	}
}

// plain is a sound lock without a lease, as in v2_spin.
type plain struct{ *handle }

func (l plain) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.SetNX(ctx, l.key, l.token, 0).Result()
}

func (l plain) Unlock(ctx context.Context) error { return l.rdb.Del(ctx, l.key).Err() }

// leased is a sound lock with a lease and an owner, as in v5_lua_release.
type leased struct{ *handle }

func (l leased) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.SetNX(ctx, l.key, l.token, l.lease).Result()
}

var releaseIfOwner = redis.NewScript(`
-- releaseIfOwner: delete the lock if it is still its owner's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
`)

func (l leased) Unlock(ctx context.Context) error {
	return released(releaseIfOwner.Run(ctx, l.rdb, []string{l.key}, l.token))
}

// released is what a release means that answers with the keys it has deleted.
func released(answer *redis.Cmd) error {
	deleted, err := answer.Int()
	if err == nil && deleted == 0 {
		return errNotHeld
	}
	return err
}

// counted is a sound lock that its owner may enter again, through any handle: as
// v6_reentrant_hash, and deaf to what comes twice. The field with the empty name
// has the owner, and each handle has a field with its entries. They are set, not
// counted up, so a command whose reply was lost may come again.
type counted struct {
	*handle
	entries int // that are not left yet
}

var enter = redis.NewScript(`
-- enter: take the lock, or enter it once more as its owner.
-- KEYS[1] the lock   ARGV: the handle, the owner, the handle's entries, the lease in ms
local owner = redis.call('HGET', KEYS[1], '')
if owner and owner ~= ARGV[2] then
	return 0
end
local entries = owner and ARGV[3] or 1
redis.call('HSET', KEYS[1], '', ARGV[2], ARGV[1], entries)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return entries
`)

func (l *counted) TryLock(ctx context.Context) (bool, error) {
	return l.enterBy(ctx, enter)
}

// enterBy enters by a script that answers with the entries.
func (l *counted) enterBy(ctx context.Context, script *redis.Script) (bool, error) {
	entries, err := script.Run(ctx, l.rdb, []string{l.key}, l.token, l.owner, l.entries+1, l.lease.Milliseconds()).Int()
	if err != nil || entries == 0 {
		return false, err
	}
	l.entries = entries
	return true, nil
}

var leave = redis.NewScript(`
-- leave: leave the lock once; the last to leave frees it.
-- KEYS[1] the lock   ARGV: the handle, the owner, the entries that it has left
if redis.call('HGET', KEYS[1], '') ~= ARGV[2] or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return -1
end
if tonumber(ARGV[3]) > 0 then
	redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
	return 1
end
redis.call('HDEL', KEYS[1], ARGV[1])
if redis.call('HLEN', KEYS[1]) == 1 then
	redis.call('DEL', KEYS[1])
end
return 0
`)

func (l *counted) Unlock(ctx context.Context) error { return l.leaveBy(ctx, leave) }

// leaveBy leaves by a script that answers as leave does.
func (l *counted) leaveBy(ctx context.Context, script *redis.Script) error {
	if l.entries == 0 {
		return errNotHeld
	}
	l.entries--
	left, err := script.Run(ctx, l.rdb, []string{l.key}, l.token, l.owner, l.entries).Int()
	if err == nil && left < 0 {
		l.entries = 0
		return errNotHeld
	}
	return err
}

// watched is a sound lock with a watchdog, as v7_watchdog. A function of it is a
// step that a mistake may spoil.
type watched struct {
	*counted
	hold *hold // the current one, or the last

	extend func(context.Context) (held bool, err error)
	every  time.Duration // between two renewals
}

// hold is the time from the first entry to the last unlock.
type hold struct {
	ctx  context.Context // ends with the last unlock
	stop context.CancelFunc
	ends *time.Timer // fires when the lease does
	lost chan struct{}
	lose func() // closes lost, once, if the hold is not left
}

func newWatched(h *handle) *watched {
	l := &watched{counted: &counted{handle: h}, every: h.lease / 3}
	l.extend = l.renewIfOwner
	return l
}

func (l *watched) TryLock(ctx context.Context) (bool, error) {
	asked := time.Now()
	ok, err := l.counted.TryLock(ctx)
	if ok && l.entries == 1 {
		l.watch(asked)
	}
	return ok, err
}

// watch begins a hold, and renews it until its end: the goroutine ends with that.
func (l *watched) watch(asked time.Time) {
	l.begin(asked)
	go l.renew(l.hold)
}

func (l *watched) begin(asked time.Time) {
	if l.hold != nil {
		l.hold.end()
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &hold{ctx: ctx, stop: stop, lost: make(chan struct{})}
	h.lose = sync.OnceFunc(func() {
		if ctx.Err() == nil {
			close(h.lost)
		}
	})
	h.ends = time.AfterFunc(l.lease-time.Since(asked), h.lose)
	l.hold = h
}

func (h *hold) end() {
	h.stop()
	h.ends.Stop()
}

func (l *watched) renew(h *hold) {
	wait := l.every
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.lost:
			return
		case <-time.After(wait):
		}
		asked := time.Now()
		held, err := l.extend(h.ctx)
		switch {
		case err != nil:
			wait = l.every / 4
		case !held:
			h.lose()
			return
		default:
			wait = l.every
			h.ends.Reset(l.lease - time.Since(asked))
		}
	}
}

var renewIfOwner = redis.NewScript(`
-- renewIfOwner: begin the lease again if the lock is still its owner's.
if redis.call('HGET', KEYS[1], '') ~= ARGV[1] then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

func (l *watched) renewIfOwner(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.every)
	defer cancel()
	return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Bool()
}

func (l *watched) Unlock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if l.entries == 1 {
		l.hold.end()
	}
	return l.counted.Unlock(ctx)
}

// Lost is closed when the hold is over before its last unlock.
func (l *watched) Lost() <-chan struct{} {
	if l.hold == nil {
		return nil
	}
	return l.hold.lost
}
