package wrong

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"
)

// renewals lists the locks whose watchdog sleeps, bites the wrong one, or does
// not come home.
func renewals() []Lock {
	return []Lock{
		{
			Name:     "no watchdog",
			Mistake:  "The lease is long enough for the work, as it was measured last year.",
			Exercise: workshop.E7, Check: "ExpiryMidBusiness", Says: "A's lease ended before its work did",
			New: on(func(h *handle) stages.Lock { return &counted{handle: h} }),
		},
		{
			Name:     "a watchdog that comes too late",
			Mistake:  "It renews at the end of the lease, and not before it.",
			Exercise: workshop.E7, Check: "ExpiryMidBusiness", Says: "A's lease ended before its work did",
			New: on(spoilt(func(l *watched) { l.every = l.lease + l.lease/10 })),
		},
		{
			Name:     "renewal without an owner check",
			Mistake:  "PEXPIRE on the key, whoever holds it now. A lost lock's watchdog feeds the next holder's, dead or alive.",
			Exercise: workshop.E7, Check: "NoRevival", Says: "B is dead, and A's watchdog renews its lock",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return true, l.rdb.PExpire(ctx, l.key, l.lease).Err()
				}
			})),
		},
		{
			Name:     "renewal as long as there is a key",
			Mistake:  "PEXPIRE again, and its 0 ends the watchdog. It comes only if nobody takes the lock meanwhile, and then there is nobody to harm.",
			Exercise: workshop.E7, Check: "NoRevival", Says: "B is dead, and A's watchdog renews its lock",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return l.rdb.PExpire(ctx, l.key, l.lease).Result()
				}
			})),
		},
		{
			Name:     "a look before the renewal",
			Mistake:  "HGET in Go, and then PEXPIRE. It is exercise 5 once more: what was mine when I looked is another's when I renew.",
			Exercise: workshop.E7, Check: "LateRenewal", Says: "A's watchdog has prolonged its lease",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					owner, err := l.rdb.HGet(ctx, l.key, "").Result()
					if errors.Is(err, redis.Nil) || err == nil && owner != l.owner {
						return false, nil
					}
					if err != nil {
						return true, err
					}
					return l.rdb.PExpire(ctx, l.key, l.lease).Result()
				}
			})),
		},
		{
			Name:     "renewal that makes the key anew",
			Mistake:  "The renewal is the acquisition once more. A lock that was lost comes back to life, beside whoever was in it meanwhile.",
			Exercise: workshop.E7, Check: "NoRevival", Says: "has made it anew",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return enter.Run(ctx, l.rdb, []string{l.key}, l.token, l.owner, l.entries, l.lease.Milliseconds()).Bool()
				}
			})),
		},
		{
			Name:     "renewal before the lock is held",
			Mistake:  "Lock starts the watchdog and then waits. With PEXPIRE, a waiter keeps a dead holder's lock for ever.",
			Exercise: workshop.E7, Check: "WaiterRenewsNothing", Says: "A is dead, a lease has gone by, and B still waits",
			New: on(func(h *handle) stages.Lock { return &watchdogFirst{watched: newWatched(h), blind: true} }),
		},
		{
			Name:     "a watchdog that gives up while its owner waits",
			Mistake:  "Started before the lock is held, it asks for the owner, finds another, and ends. Who had to wait works without it.",
			Exercise: workshop.E7, Check: "RenewedAfterWait", Says: "nobody has renewed it",
			New: on(func(h *handle) stages.Lock { return &watchdogFirst{watched: newWatched(h)} }),
		},
		{
			Name:     "no watchdog for TryLock",
			Mistake:  "Lock starts it, and TryLock was forgotten.",
			Exercise: workshop.E7, Check: "RenewedAfterTry", Says: "A got the lock from TryLock",
			New: on(func(h *handle) stages.Lock { return lockWatches{newWatched(h)} }),
		},
		{
			Name:     "a watchdog for a lock that nobody has",
			Mistake:  "It is started before the command is sent, and ended if that says no. After an error it renews what Redis may have given.",
			Exercise: workshop.E7, Check: "UnknownEntry", Says: "is renewed for ever",
			New: on(func(h *handle) stages.Lock { return watchdogAnyway{newWatched(h)} }),
		},
		{
			Name:     "memory for an owner check, renewed",
			Mistake:  "With a watchdog the lease can't end, so the handle's memory will do, and DEL. Until somebody deletes the key, or a server loses it.",
			Exercise: workshop.E7, Check: "UnlockAfterLoss", Says: "A's Unlock has freed the lock of B",
			New: on(func(h *handle) stages.Lock { return memoryRelease{newWatched(h)} }),
		},
		{
			Name:     "one error ends the renewals",
			Mistake:  "if err != nil { return }: one lost reply, and the work goes on without a lease (linagora/cozy-stack#4911).",
			Exercise: workshop.E7, Check: "RenewalGivesUp", Says: "one lost reply ended the renewals",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					held, err := l.renewIfOwner(ctx)
					return held && err == nil, nil
				}
			})),
		},
		{
			Name:     "renewal that survives the unlock",
			Mistake:  "The unlock deletes, and nobody tells the goroutine (redisson/redisson#7272). It goes on asking, and renews the next hold too.",
			Exercise: workshop.E7, Check: "RenewalEnds", Says: "its watchdog has sent something since",
			New: on(func(h *handle) stages.Lock { return survives{newWatched(h)} }),
		},
		{
			Name:     "a watchdog for each entry",
			Mistake:  "Every entry starts a goroutine that renews, and the last unlock stops one of them.",
			Exercise: workshop.E7, Check: "RenewalPiledUp", Says: "A is inside once",
			New: on(func(h *handle) stages.Lock { return perEntry{newWatched(h)} }),
		},
		{
			Name:     "a watchdog for the first hold",
			Mistake:  "sync.Once starts it. The second hold of a handle is nobody's.",
			Exercise: workshop.E7, Check: "LockedAnew", Says: "this time nobody renews its lease",
			New: on(func(h *handle) stages.Lock { return &onlyOnce{watched: newWatched(h)} }),
		},
		{
			Name:     "the inner unlock stops the watchdog",
			Mistake:  "Each unlock stops it, and the last one was meant.",
			Exercise: workshop.E7, Check: "OuterRenewed", Says: "the inner unlock has stopped the watchdog",
			New: on(func(h *handle) stages.Lock { return stopsEarly{newWatched(h)} }),
		},
		{
			Name:     "renewals under the caller's context",
			Mistake:  "The goroutine ends with the context of Lock, which was the limit of the wait.",
			Exercise: workshop.E7, Check: "WaitLimit", Says: "the renewals ended with the context of Lock",
			New: on(func(h *handle) stages.Lock { return callersContext{newWatched(h)} }),
		},
		{
			Name:     "an unlock with the request's context",
			Mistake:  "The request timed out, its deferred Unlock gets its context, and go-redis sends nothing (blnkfinance/blnk#354).",
			Exercise: workshop.E7, Check: "CancelledUnlock", Says: "the unlock was cancelled with it",
			New: on(func(h *handle) stages.Lock { return cancelledUnlock{newWatched(h)} }),
		},
		{
			Name:     "a failed unlock goes on renewing",
			Mistake:  "The watchdog is stopped after the release has succeeded. If that fails, the lock is nobody's for ever.",
			Exercise: workshop.E7, Check: "FailedUnlock", Says: "its watchdog renews the lock for ever",
			New: on(func(h *handle) stages.Lock { return stopsAfter{newWatched(h)} }),
		},
		{
			Name:     "a constant for a renewal",
			Mistake:  "The lease is as asked, and the renewal makes it thirty seconds.",
			Exercise: workshop.E7, Check: "RenewedAsAsked", Says: "renewals make it 30s",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner, 30_000).Bool()
				}
			})),
		},
		{
			Name:     "a renewal in whole seconds",
			Mistake:  "EXPIRE counts seconds, 300 ms are none of them, and EXPIRE 0 is a DEL.",
			Exercise: workshop.E7, Check: "Schedules", Says: "both inside",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()/1000*1000).Bool()
				}
			})),
		},
		{
			Name:     "a third of whole seconds",
			Mistake:  "int(lease.Seconds()) / 3 is zero for a short lease, and the watchdog renews without a pause. Or panics: a ticker refuses zero.",
			Exercise: workshop.E7, Check: "RenewedAsAsked", Says: "it goes on and on, and never pauses",
			New: on(spoilt(func(l *watched) { l.every = time.Duration(int(l.lease.Seconds())/3) * time.Second })),
		},
		{
			Name:     "a false alarm",
			Mistake:  "The first renewal that fails closes Lost. The next one succeeds, and the work was given up for nothing.",
			Exercise: workshop.E7, Check: "FalseAlarm", Says: "A still has its lock, and Lost says that it is gone",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					held, err := l.renewIfOwner(ctx)
					if err != nil {
						l.hold.lose()
					}
					return held, err
				}
			})),
		},
		{
			Name:     "renewals that add up",
			Mistake:  "Each renewal adds a lease to what is left. After an hour of work, a crash is felt for hours.",
			Exercise: workshop.E7, Check: "RenewedAsAsked", Says: "if A dies, the others wait that long",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					left, err := l.rdb.PTTL(ctx, l.key).Result()
					if err != nil {
						return true, err
					}
					return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.owner, (left + l.lease).Milliseconds()).Bool()
				}
			})),
		},
		{
			Name:     "PERSIST",
			Mistake:  "The first renewal takes the lease away, and the unlock will delete the key. If there is an unlock.",
			Exercise: workshop.E7, Check: "HolderGone", Says: "its lock stays for ever",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return true, l.rdb.Persist(ctx, l.key).Err()
				}
			})),
		},
		{
			Name:     "no news of a loss",
			Mistake:  "The renewal finds another owner, and returns. The work goes on.",
			Exercise: workshop.E7, Check: "ToldOfLoss", Says: "Lost does not say so",
			New: on(func(h *handle) stages.Lock { return noNews{newWatched(h)} }),
		},
		{
			Name:     "no way to be told",
			Mistake:  "The lock has no Lost: its watchdog writes a line to the log.",
			Exercise: workshop.E7, Check: "ToldOfLoss", Says: "has no method Lost",
			New: on(func(h *handle) stages.Lock { l := newWatched(h); return &mute{l.handle, l} }),
		},
		{
			Name:     "a loss at each unlock",
			Mistake:  "The unlock closes Lost, so that the goroutine that listens ends. It can't tell that from a loss, and gives its work up.",
			Exercise: workshop.E7, Check: "ToldOfLoss", Says: "Lost tells of a loss",
			New: on(func(h *handle) stages.Lock { return lossAtUnlock{newWatched(h)} }),
		},
		{
			Name:     "one Lost for all holds",
			Mistake:  "The channel is made by New. Once closed, it says for ever that the lock is lost.",
			Exercise: workshop.E7, Check: "LockedAnew", Says: "Lost still tells of the last time",
			New: on(func(h *handle) stages.Lock {
				l := oneLost{watched: newWatched(h), lost: make(chan struct{})}
				l.close = sync.OnceFunc(func() { close(l.lost) })
				return &l
			}),
		},
		{
			Name:     "only Redis can tell of a loss",
			Mistake:  "A renewal that fails is tried again, and again. That the lease has ended meanwhile, the holder hears when Redis is back.",
			Exercise: workshop.E7, Check: "CutOff", Says: "no renewal has got through for a whole lease",
			New: on(func(h *handle) stages.Lock { return waitsForRedis{newWatched(h)} }),
		},
		{
			Name:     "an entry that comes twice counts twice",
			Mistake:  "HINCRBY, the reply is lost, and go-redis sends it again. One unlock leaves the lock behind, and the watchdog keeps it.",
			Exercise: workshop.E7, Check: "LostReply", Says: "A entered once and was counted twice",
			New: on(func(h *handle) stages.Lock {
				return &countsAgain{newWatched(h), byCount{handle: h, enter: countUp, leave: countDown}}
			}),
		},
		{
			Name:     "an unlock that comes twice counts twice",
			Mistake:  "Each entry has a name, and no unlock has: HINCRBY −1, the reply is lost, and go-redis sends it again. The inner unlock was the outer one, too.",
			Exercise: workshop.E7, Check: "RepeatedUnlock", Says: "A left once, and was counted out twice",
			New: on(func(h *handle) stages.Lock {
				return &countsOut{countsAgain{newWatched(h), byCount{handle: h, enter: countNew, leave: countDown}}}
			}),
		},
		{
			Name:     "a watchdog on the wrong owner",
			Mistake:  "The renewal asks for the handle's token where the owner's stands: it finds nobody, and ends.",
			Exercise: workshop.E7, Check: "ExpiryMidBusiness", Says: "A's lease ended before its work did",
			New: on(spoilt(func(l *watched) {
				l.extend = func(ctx context.Context) (bool, error) {
					return renewIfOwner.Run(ctx, l.rdb, []string{l.key}, l.token, l.lease.Milliseconds()).Bool()
				}
			})),
		},
	}
}

// spoilt is a watched lock with a step of its watchdog changed.
func spoilt(change func(*watched)) func(*handle) stages.Lock {
	return func(h *handle) stages.Lock {
		l := newWatched(h)
		change(l)
		return l
	}
}

// watchdogFirst starts its watchdog before it has the lock.
type watchdogFirst struct {
	*watched
	blind bool // the watchdog renews whatever is there
}

func (l *watchdogFirst) Lock(ctx context.Context) error {
	if l.blind {
		l.extend = func(ctx context.Context) (bool, error) {
			return true, l.rdb.PExpire(ctx, l.key, l.lease).Err()
		}
	}
	l.watch(time.Now())
	l.self = l.counted
	return l.counted.Lock(ctx)
}

type lockWatches struct{ *watched }

func (l lockWatches) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.counted.TryLock(ctx)
	if ok && l.entries == 1 {
		l.begin(time.Now())
	}
	return ok, err
}

func (l lockWatches) Lock(ctx context.Context) error {
	l.self = l.watched
	defer func() { l.self = l }()
	return l.watched.Lock(ctx)
}

type watchdogAnyway struct{ *watched }

func (l watchdogAnyway) TryLock(ctx context.Context) (bool, error) {
	first := l.entries == 0
	if first {
		l.watch(time.Now())
	}
	ok, err := l.counted.TryLock(ctx)
	if first && !ok && err == nil {
		l.hold.end()
	}
	return ok, err
}

type memoryRelease struct{ *watched }

func (l memoryRelease) Unlock(ctx context.Context) error {
	if l.entries != 1 {
		return l.watched.Unlock(ctx)
	}
	l.entries = 0
	l.hold.end()
	return released(deleteAny.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}))
}

type survives struct{ *watched }

func (l survives) Unlock(ctx context.Context) error { return l.counted.Unlock(ctx) }

type perEntry struct{ *watched }

func (l perEntry) TryLock(ctx context.Context) (bool, error) {
	asked := time.Now()
	ok, err := l.counted.TryLock(ctx)
	if ok {
		l.hold = nil
		l.watch(asked)
	}
	return ok, err
}

type onlyOnce struct {
	*watched
	once sync.Once
}

func (l *onlyOnce) TryLock(ctx context.Context) (bool, error) {
	asked := time.Now()
	ok, err := l.counted.TryLock(ctx)
	if ok && l.entries == 1 {
		l.begin(asked)
		l.once.Do(func() { go l.renew(l.hold) })
	}
	return ok, err
}

type stopsEarly struct{ *watched }

func (l stopsEarly) Unlock(ctx context.Context) error {
	if l.hold != nil {
		l.hold.stop()
	}
	return l.watched.Unlock(ctx)
}

type callersContext struct{ *watched }

func (l callersContext) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.watched.TryLock(ctx)
	if ok {
		context.AfterFunc(ctx, l.hold.stop)
	}
	return ok, err
}

type cancelledUnlock struct{ *watched }

func (l cancelledUnlock) Unlock(ctx context.Context) error {
	if l.entries == 1 {
		l.hold.end()
	}
	return l.counted.Unlock(ctx)
}

type stopsAfter struct{ *watched }

func (l stopsAfter) Unlock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := l.counted.Unlock(ctx)
	if err == nil && l.entries == 0 {
		l.hold.end()
	}
	return err
}

type noNews struct{ *watched }

func (l noNews) Lost() <-chan struct{} { return make(chan struct{}) }

// mute is a watched lock without its Lost.
type mute struct {
	*handle
	lock *watched
}

func (l *mute) TryLock(ctx context.Context) (bool, error) { return l.lock.TryLock(ctx) }
func (l *mute) Unlock(ctx context.Context) error          { return l.lock.Unlock(ctx) }

type lossAtUnlock struct{ *watched }

func (l lossAtUnlock) Unlock(ctx context.Context) error {
	if l.entries == 1 {
		l.hold.lose()
	}
	return l.watched.Unlock(ctx)
}

type oneLost struct {
	*watched
	lost  chan struct{}
	close func()
}

func (l *oneLost) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.watched.TryLock(ctx)
	if ok && l.entries == 1 {
		go func(h *hold) { // ends with the hold
			select {
			case <-h.lost:
				l.close()
			case <-h.ctx.Done():
			}
		}(l.hold)
	}
	return ok, err
}

func (l *oneLost) Lost() <-chan struct{} { return l.lost }

type waitsForRedis struct{ *watched }

func (l waitsForRedis) TryLock(ctx context.Context) (bool, error) {
	ok, err := l.watched.TryLock(ctx)
	if ok {
		l.hold.ends.Stop()
	}
	return ok, err
}

// countsAgain counts in Redis, and asks it by HINCRBY.
type countsAgain struct {
	*watched
	count byCount
}

func (l *countsAgain) TryLock(ctx context.Context) (bool, error) {
	asked := time.Now()
	ok, err := l.count.TryLock(ctx)
	if ok {
		l.enteredAt(asked)
	}
	return ok, err
}

func (l *countsAgain) enteredAt(asked time.Time) {
	if l.entries++; l.entries == 1 {
		l.extend = l.renewCount
		l.watch(asked)
	}
}

var renewIfCounted = redis.NewScript(`
-- renewIfCounted: begin the lease again if the owner is inside.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`)

func (l *countsAgain) renewCount(ctx context.Context) (bool, error) {
	return renewIfCounted.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds()).Bool()
}

func (l *countsAgain) Unlock(ctx context.Context) error {
	if l.entries == 1 {
		l.hold.end()
	}
	l.entries = max(0, l.entries-1)
	return l.count.Unlock(context.WithoutCancel(ctx))
}

// countsOut knows an entry again, and no unlock.
type countsOut struct{ countsAgain }

var countNew = redis.NewScript(`
-- countNew: take the lock, or enter it once more as its owner, under a name.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
	return 0
end
if redis.call('HGET', KEYS[1], '') ~= ARGV[3] then
	redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
	redis.call('HSET', KEYS[1], '', ARGV[3])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

func (l *countsOut) TryLock(ctx context.Context) (bool, error) {
	asked := time.Now()
	ok, err := l.count.enter.Run(ctx, l.rdb, []string{l.key}, l.owner, l.lease.Milliseconds(), newToken()).Bool()
	if ok {
		l.enteredAt(asked)
	}
	return ok, err
}
