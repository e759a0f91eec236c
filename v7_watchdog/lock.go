package watchdog

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// retryEvery is how long a waiter sleeps between two tries.
const retryEvery = 20 * time.Millisecond

// unlockTimeout bounds an Unlock whose caller's context is over already.
const unlockTimeout = 2 * time.Second

// acquireOrReenter answers with the first change, which took the lock, or with
// heldByOther.
const heldByOther = ""

var acquireOrReenter = redis.NewScript(`
-- acquireOrReenter: take the lock, or enter it once more as its owner.
-- KEYS[1] the lock   ARGV[1] the owner   ARGV[2] the lease in ms   ARGV[3] this change
-- The field with the empty name, which no owner has, keeps the first change and the
-- last. By the first Redis knows what was meant for an earlier hold and comes late;
-- by the last, what comes twice because its reply was lost, and counts once.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return ''
end
local first, last = string.match(redis.call('HGET', KEYS[1], '') or ARGV[3], '(%w*) ?(%w*)')
if last ~= ARGV[3] then
	redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
	redis.call('HSET', KEYS[1], '', first .. ' ' .. ARGV[3])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return first
`)

// releaseOnce answers with the entries that are left, or with notHeld.
const notHeld = -1

var releaseOnce = redis.NewScript(`
-- releaseOnce: leave the lock once; the last to leave frees it.
-- KEYS[1] the lock   ARGV[1] the owner   ARGV[2] this change   ARGV[3] the first one
local first, last = string.match(redis.call('HGET', KEYS[1], '') or '', '(%w*) ?(%w*)')
if first ~= ARGV[3] then
	return -1
end
if last == ARGV[2] then
	return tonumber(redis.call('HGET', KEYS[1], ARGV[1]))
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left == 0 then
	redis.call('DEL', KEYS[1])
else
	redis.call('HSET', KEYS[1], '', first .. ' ' .. ARGV[2])
end
return left
`)

var undoEntry = redis.NewScript(`
-- undoEntry: take back an entry of which the caller got no answer.
-- KEYS[1] the lock   ARGV[1] the owner   ARGV[2] the change that entered
local first, last = string.match(redis.call('HGET', KEYS[1], '') or '', '(%w*) ?(%w*)')
if last ~= ARGV[2] then
	return 0
end
redis.call('HSET', KEYS[1], '', first)
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then
	redis.call('DEL', KEYS[1])
end
return 1
`)

// Errors of New, and of Unlock.
var (
	// ErrNoClient means that New got no Redis client.
	ErrNoClient = errors.New("lock: no Redis client")
	// ErrNoKey means that New got an empty key.
	ErrNoKey = errors.New("lock: empty key")
	// ErrNoOwner means that New got an empty owner.
	ErrNoOwner = errors.New("lock: empty owner")
	// ErrLease means that New got a lease that Redis can't keep.
	ErrLease = errors.New("lock: the lease must be whole milliseconds, at least one")
	// ErrNotHeld means that Unlock found the lock free or somebody else's.
	ErrNotHeld = errors.New("lock: not held")
)

// Lock is one flow of control's handle on a lock. It is not for sharing: make
// one for each request, they cost nothing.
type Lock struct {
	rdb   *redis.Client
	key   string
	owner string
	lease time.Duration

	entries int    // entries through this handle that are not left yet
	hold    *hold  // the current hold with its watchdog, or the last one
	change  string // names the next entry or release, so that Redis knows it again
}

// New returns a handle on the lock that key names, for owner: one flow of
// control, and no other in any process. All handles of one owner enter the lock
// together; a Factory makes them. A watchdog renews the lease while the lock is
// held; without renewal Redis drops the lock when the lease ends. Nothing is
// sent yet. The error is ErrNoClient, ErrNoKey, ErrNoOwner or ErrLease.
func New(rdb *redis.Client, key, owner string, lease time.Duration) (*Lock, error) {
	switch {
	case rdb == nil:
		return nil, ErrNoClient
	case key == "":
		return nil, ErrNoKey
	case owner == "":
		return nil, ErrNoOwner
	case lease < time.Millisecond || lease%time.Millisecond != 0:
		return nil, fmt.Errorf("%w: got %v", ErrLease, lease)
	}
	return &Lock{rdb: rdb, key: key, owner: owner, lease: lease, change: rand.Text()}, nil
}

// TryLock takes the lock if it is free, or enters it once more if it is the
// owner's already, and reports whether it did. Either renews the lease. It does
// not wait for others. After an error nothing was entered: if Redis did it all
// the same, TryLock takes it back, which may take unlockTimeout beyond ctx; where
// it can't, it ends with its lease.
//
// ctx bounds this call, not the hold: the watchdog goes on when ctx is over.
func (l *Lock) TryLock(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	asked := time.Now()
	first, err := acquireOrReenter.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds(), l.change).Text()
	if err != nil {
		l.undo(ctx)
		return false, fmt.Errorf("acquire %s: %w", l.key, err)
	}
	if first == heldByOther {
		return false, nil
	}
	if l.entries > 0 && l.hold.first != first { // what this handle held before was lost on the way
		l.hold.lose()
		l.hold.end()
		l.entries = 0
	}
	if l.entries == 0 || l.hold.over() {
		l.hold = l.watch(first, asked)
	}
	l.entries++
	l.change = rand.Text()
	return true, nil
}

// Lock takes the lock, and waits for it as long as ctx lasts. It returns the
// error of ctx when that ends between two tries, and any error of TryLock at
// once.
func (l *Lock) Lock(ctx context.Context) error {
	for {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("acquire %s: %w", l.key, ctx.Err())
		case <-time.After(retryEvery):
		}
	}
}

// Unlock leaves the lock once; the last of as many calls as there were entries
// frees it. It returns ErrNotHeld if the lock is not the owner's, or is no more;
// so it does, too, when the reply to the last release was lost and go-redis sent
// it again. After any other error the entry counts as left here, and Redis drops
// the lock when its lease ends. A handle with no entry left returns ErrNotHeld
// and asks nobody: another handle of the owner may be inside.
//
// It works when ctx is over already, and takes unlockTimeout at most if the
// client has ContextTimeoutEnabled; otherwise half of it, and go-redis's ReadTimeout.
func (l *Lock) Unlock(ctx context.Context) error {
	if l.entries == 0 {
		return fmt.Errorf("release %s: %w", l.key, ErrNotHeld)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
	defer cancel()
	l.entries--
	if l.entries == 0 {
		l.hold.end() // renewals first; one that is stuck, Redis will refuse
	}
	left, err := releaseOnce.Run(ctx, l.rdb, []string{l.key}, l.owner, l.change, l.hold.first).Int()
	l.change = rand.Text()
	if err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	if left == notHeld {
		if l.entries > 0 { // this was an inner unlock, and the outer work goes on
			l.hold.lose()
			l.hold.end()
			l.entries = 0
		}
		return fmt.Errorf("release %s: %w", l.key, ErrNotHeld)
	}
	return nil
}

// undo takes back an entry of which nobody knows whether it happened.
func (l *Lock) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
	defer cancel()
	// Without an answer the lease has the last word.
	_ = undoEntry.Run(ctx, l.rdb, []string{l.key}, l.owner, l.change).Err()
	l.change = rand.Text()
}
