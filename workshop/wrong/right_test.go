package wrong

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// The locks that right ones could be, and that are no copies of the stages. A
// right lock that is failed is worse than a wrong one that passes.
var rightOnes = []struct {
	name     string
	exercise workshop.Exercise
	lock     func(*handle) stages.Lock
}{
	{"SET and DEL in unnamed scripts", workshop.E1, func(h *handle) stages.Lock { return unnamedScripts{h} }},
	{"a loop, already", workshop.E1, func(h *handle) stages.Lock { return plain{h} }},
	{"a ticker", workshop.E2, func(h *handle) stages.Lock { return ticking{plain{h}} }},
	{"a goroutine that waits", workshop.E2, func(h *handle) stages.Lock { return goroutineWaits{plain{h}} }},
	{"back-off with a ceiling, and jitter", workshop.E2, func(h *handle) stages.Lock { return jitter{plain{h}} }},
	{"an owner, already", workshop.E3, func(h *handle) stages.Lock { return leased{h} }},
	{"SETNX and PEXPIRE in one script", workshop.E3, func(h *handle) stages.Lock { return inOneScript{leased{h}} }},
	{"rdb.Do", workshop.E3, func(h *handle) stages.Lock { return setWith{leased{h}, []any{"PX", h.lease.Milliseconds()}} }},
	{"a UUID, and GET before DEL", workshop.E4, func(h *handle) stages.Lock { h.token = uuid(); return getThenDel{leased{h}} }},
	{"a token in hex for each hold", workshop.E4, func(h *handle) stages.Lock { return tokenPerHold{leased{h}} }},
	{"WATCH, MULTI, EXEC", workshop.E5, func(h *handle) stages.Lock { return watchRelease{leased{h}} }},
	{"a sleep until the lease ends, at most 50 ms", workshop.E5, func(h *handle) stages.Lock { return shortSleeps{leased{h}} }},
	{"SCRIPT LOAD, and then EVALSHA", workshop.E5, func(h *handle) stages.Lock { return loaded{leased{h}} }},
	{"a key with a hash tag", workshop.E5, func(h *handle) stages.Lock { h.key += ":{lock}"; return leased{h} }},
	{"two keys that come and go together", workshop.E5, func(h *handle) stages.Lock { return twoKeys{leased{h}} }},
	{"a second request after an error", workshop.E5, func(h *handle) stages.Lock { return asksAgain{leased{h}} }},
	{"a queue in the process before Redis", workshop.E5, func(h *handle) stages.Lock { return &queued{leased: leased{h}} }},
	{"a script in a pipeline", workshop.E6, func(h *handle) stages.Lock { return inPipeline{byCount{h, countUp, countDown}} }},
	{"v6's count", workshop.E6, func(h *handle) stages.Lock { return byCount{h, countUp, countDown} }},
	{"a count in the value", workshop.E6, func(h *handle) stages.Lock { return countInValue{h} }},
	{"a field for each handle", workshop.E6, func(h *handle) stages.Lock { return &counted{handle: h} }},
	{"a mutex in the handle", workshop.E6, func(h *handle) stages.Lock { return &guarded{counted: &counted{handle: h}} }},
	{"a watchdog on that", workshop.E7, func(h *handle) stages.Lock { return newWatched(h) }},
	{"renewal by WATCH, MULTI, EXEC", workshop.E7, func(h *handle) stages.Lock { return renewsByWatch(newWatched(h)) }},
	{"a renewal every sixth of the lease", workshop.E7, func(h *handle) stages.Lock { l := newWatched(h); l.every = l.lease / 6; return l }},
	{"a name for each entry", workshop.E7, func(h *handle) stages.Lock { return &namedEntries{watched: newWatched(h)} }},
}

// allEnv is the environment variable that has the tests run all checks on all of
// them, which takes half a minute.
const allEnv = "LOCKSTEP_TEST_ALL"

func TestRightLocksPass(t *testing.T) {
	t.Parallel()
	if os.Getenv(allEnv) == "" {
		t.Skipf("it takes long; %s=1 runs it", allEnv)
	}
	for _, right := range rightOnes {
		for _, c := range right.exercise.Checks() {
			t.Run(right.exercise.Name+"/"+right.name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				entry := workshop.Entry{Exercise: right.exercise, New: on(right.lock), ErrNotHeld: errNotHeld}
				if r := entry.Examine(c); !r.OK {
					t.Errorf("%s\n\n%s", c.Story, r)
				}
			})
		}
	}
}

type unnamedScripts struct{ *handle }

func (l unnamedScripts) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.Eval(ctx, `return redis.call('SETNX', KEYS[1], ARGV[1])`, []string{l.key}, l.token).Bool()
}

func (l unnamedScripts) Unlock(ctx context.Context) error {
	return l.rdb.Eval(ctx, `return redis.call('DEL', KEYS[1])`, []string{l.key}).Err()
}

type ticking struct{ plain }

func (l ticking) Lock(ctx context.Context) error {
	ticker := time.NewTicker(15 * time.Millisecond)
	defer ticker.Stop()
	for {
		ok, err := l.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited for %s: %w", l.key, ctx.Err())
		case <-ticker.C:
		}
	}
}

type goroutineWaits struct{ plain }

func (l goroutineWaits) Lock(ctx context.Context) error {
	won := make(chan error, 1)
	go func() { won <- l.plain.Lock(ctx) }() // ends with ctx
	select {
	case err := <-won:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

type jitter struct{ plain }

func (l jitter) Lock(ctx context.Context) error {
	return waitWith(ctx, l, func(last time.Duration) time.Duration {
		longest := min(max(2*last, 5*time.Millisecond), 60*time.Millisecond)
		return longest/2 + mathrand.N(longest/2)
	})
}

type inOneScript struct{ leased }

func (l inOneScript) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.Eval(ctx, `
		if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
		redis.call('PEXPIRE', KEYS[1], ARGV[2])
		return 1
	`, []string{l.key}, l.token, l.lease.Milliseconds()).Bool()
}

type getThenDel struct{ leased }

func (l getThenDel) Unlock(ctx context.Context) error {
	value, err := l.rdb.Get(ctx, l.key).Result()
	switch {
	case errors.Is(err, redis.Nil), err == nil && value != l.token:
		return errNotHeld
	case err != nil:
		return err
	}
	return l.rdb.Del(ctx, l.key).Err()
}

func uuid() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

type tokenPerHold struct{ leased }

func (l tokenPerHold) TryLock(ctx context.Context) (bool, error) {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	token := hex.EncodeToString(b)
	ok, err := l.rdb.SetNX(ctx, l.key, token, l.lease).Result()
	if ok {
		l.token = token
	}
	return ok, err
}

type watchRelease struct{ leased }

func (l watchRelease) Unlock(ctx context.Context) error {
	err := l.rdb.Watch(ctx, func(tx *redis.Tx) error {
		value, err := tx.Get(ctx, l.key).Result()
		if errors.Is(err, redis.Nil) || err == nil && value != l.token {
			return errNotHeld
		}
		if err != nil {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Del(ctx, l.key)
			return nil
		})
		return err
	}, l.key)
	if errors.Is(err, redis.TxFailedErr) {
		return errNotHeld
	}
	return err
}

type shortSleeps struct{ leased }

func (l shortSleeps) Lock(ctx context.Context) error {
	return waitWith(ctx, l, func(time.Duration) time.Duration {
		left, err := l.rdb.PTTL(ctx, l.key).Result()
		if err != nil || left <= 0 {
			return time.Millisecond
		}
		return min(left, 50*time.Millisecond)
	})
}

type loaded struct{ leased }

func (l loaded) Unlock(ctx context.Context) error {
	sum, err := l.rdb.ScriptLoad(ctx, `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0`).Result()
	if err != nil {
		return err
	}
	return released(l.rdb.EvalSha(ctx, sum, []string{l.key}, l.token))
}

type twoKeys struct{ leased }

func (l twoKeys) keys() []string { return []string{l.key, l.key + ":since"} }

func (l twoKeys) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.Eval(ctx, `
		if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
		redis.call('SET', KEYS[2], 'now', 'PX', ARGV[2])
		return 1
	`, l.keys(), l.token, l.lease.Milliseconds()).Bool()
}

func (l twoKeys) Unlock(ctx context.Context) error {
	return released(l.rdb.Eval(ctx, `
		if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
		return redis.call('DEL', KEYS[1], KEYS[2])
	`, l.keys(), l.token))
}

type asksAgain struct{ leased }

func (l asksAgain) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.leased.TryLock(ctx)
	if err != nil {
		ok, err = l.leased.TryLock(ctx)
	}
	return ok, err
}

func (l asksAgain) Unlock(ctx context.Context) error {
	err := l.leased.Unlock(ctx)
	if err != nil && !errors.Is(err, errNotHeld) {
		err = l.leased.Unlock(ctx)
	}
	return err
}

// queued lets one flow of its service at a time go on to Redis.
type queued struct {
	leased
	first bool
}

// fronts has the queues of all services, by their client and the key.
var fronts sync.Map

func (l *queued) front() (who any) { return [2]any{l.rdb, l.key} }

func (l *queued) TryLock(ctx context.Context) (bool, error) {
	if _, taken := fronts.LoadOrStore(l.front(), l.token); taken {
		return false, nil
	}
	ok, err := l.leased.TryLock(ctx)
	if l.first = ok; !ok {
		fronts.Delete(l.front())
	}
	return ok, err
}

func (l *queued) Unlock(ctx context.Context) error {
	if l.first {
		l.first = false
		defer fronts.Delete(l.front())
	}
	return l.leased.Unlock(ctx)
}

type inPipeline struct{ byCount }

func (l inPipeline) TryLock(ctx context.Context) (bool, error) {
	pipe := l.rdb.Pipeline()
	entered := l.enter.Eval(ctx, pipe, []string{l.key}, l.owner, l.lease.Milliseconds())
	pipe.PTTL(ctx, l.key)
	if _, err := pipe.Exec(ctx); err != nil {
		return false, err
	}
	return entered.Bool()
}

type countInValue struct{ *handle }

func (l countInValue) TryLock(ctx context.Context) (bool, error) {
	return l.rdb.Eval(ctx, `
		local owner, count = string.match(redis.call('GET', KEYS[1]) or '', '^(.*) (%d+)$')
		if owner and owner ~= ARGV[1] then return 0 end
		redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. (tonumber(count or 0) + 1), 'PX', ARGV[2])
		return 1
	`, []string{l.key}, l.owner, l.lease.Milliseconds()).Bool()
}

func (l countInValue) Unlock(ctx context.Context) error {
	return released(l.rdb.Eval(ctx, `
		local owner, count = string.match(redis.call('GET', KEYS[1]) or '', '^(.*) (%d+)$')
		if owner ~= ARGV[1] then return 0 end
		if count == '1' then return redis.call('DEL', KEYS[1]) end
		redis.call('SET', KEYS[1], owner .. ' ' .. (count - 1), 'KEEPTTL')
		return 1
	`, []string{l.key}, l.owner))
}

type guarded struct {
	*counted
	mu sync.Mutex // held for no longer than a command takes
}

func (l *guarded) TryLock(ctx context.Context) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counted.TryLock(ctx)
}

func (l *guarded) Unlock(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counted.Unlock(ctx)
}

// renewsByWatch has the lock look and renew in a transaction.
func renewsByWatch(l *watched) *watched {
	l.extend = func(ctx context.Context) (held bool, err error) {
		err = l.rdb.Watch(ctx, func(tx *redis.Tx) error {
			owner, err := tx.HGet(ctx, l.key, "").Result()
			if errors.Is(err, redis.Nil) || err == nil && owner != l.owner {
				return nil
			}
			if err != nil {
				return err
			}
			held = true
			_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
				pipe.PExpire(ctx, l.key, l.lease)
				return nil
			})
			return err
		}, l.key)
		return held, err
	}
	return l
}

// namedEntries keeps a field for each entry, under a name that the entry draws:
// what comes twice is there once.
type namedEntries struct {
	*watched
	names []string
}

func (l *namedEntries) TryLock(ctx context.Context) (bool, error) {
	asked, name := time.Now(), newToken()
	ok, err := l.rdb.Eval(ctx, `
		local owner = redis.call('HGET', KEYS[1], '')
		if owner and owner ~= ARGV[1] then return false end
		redis.call('HSET', KEYS[1], '', ARGV[1], ARGV[2], 1)
		redis.call('PEXPIRE', KEYS[1], ARGV[3])
		return owner and 1 or 2
	`, []string{l.key}, l.owner, name, l.lease.Milliseconds()).Int()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if ok == 2 {
		l.names = nil // what was entered before is lost
	}
	if l.names = append(l.names, name); len(l.names) == 1 {
		l.watch(asked)
	}
	return true, nil
}

func (l *namedEntries) Unlock(ctx context.Context) error {
	if len(l.names) == 0 {
		return errNotHeld
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if len(l.names) == 1 {
		l.hold.end()
	}
	name := l.names[len(l.names)-1]
	l.names = slices.Delete(l.names, len(l.names)-1, len(l.names))
	return released(l.rdb.Eval(ctx, `
		if redis.call('HGET', KEYS[1], '') ~= ARGV[1] then return 0 end
		local left = redis.call('HDEL', KEYS[1], ARGV[2])
		if redis.call('HLEN', KEYS[1]) == 1 then redis.call('DEL', KEYS[1]) end
		return left
	`, []string{l.key}, l.owner, name))
}
