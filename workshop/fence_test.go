package workshop_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"

	v5 "lockstep/v5_lua_release"
)

type v5Lock = v5.Lock

// counted is v5 with a number that goes wrong.
type counted struct {
	*v5Lock
	rdb           *redis.Client
	before, after func(ctx context.Context, rdb *redis.Client) int64
	token         int64
}

func (c *counted) Token() int64 { return c.token }

func (c *counted) TryLock(ctx context.Context) (bool, error) {
	var token int64
	if c.before != nil {
		token = c.before(ctx, c.rdb)
	}
	ok, err := c.v5Lock.TryLock(ctx)
	if ok && c.after != nil {
		token = c.after(ctx, c.rdb)
	}
	if ok {
		c.token = token
	}
	return ok, err
}

func (c *counted) Lock(ctx context.Context) error {
	for {
		ok, err := c.TryLock(ctx)
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// withCounter is e9's entry with a lock whose number goes wrong.
func withCounter(before, after func(ctx context.Context, rdb *redis.Client) int64) workshop.Entry {
	e := withShop(nil)
	e.New = func(f stages.Flow) (stages.Lock, error) {
		l, err := v5.New(f.Redis, f.Key, f.Lease)
		return &counted{v5Lock: l, rdb: f.Redis, before: before, after: after}, err
	}
	e.Sell = func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
		return sell(ctx, lock, rdb, stock, func(mine, seen int64) bool { return mine < seen })
	}
	e.ErrNotHeld = v5.ErrNotHeld
	return e
}

type shop = func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error)

// withShop is e9's entry with a shop that is wrong.
func withShop(s shop) workshop.Entry {
	e := workshop.E9.Solution()
	e.Sell, e.ErrStale = s, errStale
	return e
}

var errStale = errors.New("stale")

// sell looks and writes with WATCH, so that nothing comes between.
func sell(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string, refuse func(mine, seen int64) bool) (left int, err error) {
	mine := lock.(interface{ Token() int64 }).Token()
	left, err = rdb.Get(ctx, stock).Int()
	if err != nil || left <= 0 {
		return 0, fmt.Errorf("sold out: %w", err)
	}
	left--
	err = rdb.Watch(ctx, func(tx *redis.Tx) error {
		seen, err := tx.Get(ctx, "seen").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if refuse(mine, seen) {
			return errStale
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "seen", mine, 0)
			p.Set(ctx, stock, left, 0)
			return nil
		})
		return err
	}, "seen")
	return left, err
}

var inProcess atomic.Int64

// The ways to get a fence wrong, and who notices. What is right by other means
// passes.
func TestWrongFences(t *testing.T) {
	incr := func(ctx context.Context, rdb *redis.Client) int64 { return rdb.Incr(ctx, "count").Val() }
	for _, c := range []struct {
		name  string
		entry workshop.Entry
		by    string // the check that fails; empty if all pass
	}{
		{"a shop with WATCH", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			return sell(ctx, lock, rdb, stock, func(mine, seen int64) bool { return mine < seen })
		}), ""},
		{"counted in the process", withCounter(nil, func(context.Context, *redis.Client) int64 {
			return inProcess.Add(1)
		}), "TokenIsShared"},
		{"the clock as the number", withCounter(nil, func(context.Context, *redis.Client) int64 {
			return time.Now().UnixMilli()
		}), "TokenGrows"},
		{"counted before the lock is held", withCounter(incr, nil), "TokenInOrder"},
		{"counted after the lock was taken", withCounter(nil, incr), "TokenInOrder"},
		{"a count that ends with the lease", withCounter(nil, func(ctx context.Context, rdb *redis.Client) int64 {
			defer rdb.Expire(ctx, "count", 30*time.Second)
			return incr(ctx, rdb)
		}), "TokenGrows"},
		{"a count that ends hours later", withCounter(nil, func(ctx context.Context, rdb *redis.Client) int64 {
			defer rdb.Expire(ctx, "count", 12*time.Hour)
			return incr(ctx, rdb)
		}), "TokenGrows"},
		{"a shop that looks and then writes", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			mine := lock.(interface{ Token() int64 }).Token()
			seen, _ := rdb.Get(ctx, "seen").Int64()
			if mine < seen {
				return 0, errStale
			}
			left, err := rdb.Get(ctx, stock).Int()
			if err != nil || left <= 0 {
				return 0, fmt.Errorf("sold out: %w", err)
			}
			rdb.Set(ctx, "seen", mine, 0)
			return left - 1, rdb.Set(ctx, stock, left-1, 0).Err()
		}), "StopTheWorld"},
		{"a shop that looks, notes the number, and then sells", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			mine := lock.(interface{ Token() int64 }).Token()
			seen, _ := rdb.Get(ctx, "seen").Int64()
			if mine < seen {
				return 0, errStale
			}
			rdb.Set(ctx, "seen", mine, 0)
			left, err := rdb.Get(ctx, stock).Int()
			if err != nil || left <= 0 {
				return 0, fmt.Errorf("sold out: %w", err)
			}
			return left - 1, rdb.Set(ctx, stock, left-1, 0).Err()
		}), "StopTheWorld"},
		{"a shop that sells, and then notes the number", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			mine := lock.(interface{ Token() int64 }).Token()
			left, err := rdb.Eval(ctx, `
				if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[2]) or 0) then return -2 end
				if tonumber(redis.call('GET', KEYS[1])) <= 0 then return -1 end
				return redis.call('DECR', KEYS[1])
			`, []string{stock, "seen"}, mine).Int()
			switch {
			case err != nil:
				return 0, err
			case left == -2:
				return 0, errStale
			case left == -1:
				return 0, errors.New("sold out")
			}
			return left, rdb.Set(ctx, "seen", mine, 0).Err()
		}), "HalfSale"},
		{"numbers that are compared as text", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			return sell(ctx, lock, rdb, stock, func(mine, seen int64) bool { return fmt.Sprint(mine) < fmt.Sprint(seen) })
		}), "TenthHold"},
		{"a shop that refuses the number it has seen", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			return sell(ctx, lock, rdb, stock, func(mine, seen int64) bool { return mine <= seen })
		}), "SecondSale"},
		{"a shop that refuses nobody", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			return sell(ctx, lock, rdb, stock, func(int64, int64) bool { return false })
		}), "StaleSale"},
		{"a shop that takes one seller at most", withShop(func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
			return sell(ctx, lock, rdb, stock, func(mine, seen int64) bool { return seen > 0 && mine != seen })
		}), "StaleSale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var failed []string
			for _, check := range workshop.E9.Wins {
				if r := c.entry.Examine(check); !r.OK {
					failed = append(failed, check.Report(r))
					if check.Name == c.by {
						return
					}
				}
			}
			switch {
			case c.by != "":
				t.Errorf("%s does not notice it; these do: %q", c.by, failed)
			case len(failed) > 0:
				t.Errorf("it is right, and fails:\n%s", failed[0])
			}
		})
	}
}
