// Package starters has the locks that the exercises begin with, a folder for
// each. The exercises' own folders begin with the same files; there a learner
// changes them, and here they stay.
package starters

import (
	"context"

	"github.com/redis/go-redis/v9"

	"lockstep/stages"
	"lockstep/workshop"

	e1 "lockstep/workshop/starters/e1_setnx"
	e2 "lockstep/workshop/starters/e2_spin"
	e3 "lockstep/workshop/starters/e3_expire"
	e4 "lockstep/workshop/starters/e4_owner"
	e5 "lockstep/workshop/starters/e5_lua_release"
	e6 "lockstep/workshop/starters/e6_reentrant_hash"
	e7 "lockstep/workshop/starters/e7_watchdog"
	e8 "lockstep/workshop/starters/e8_wakeup"
	e9 "lockstep/workshop/starters/e9_fencing"
)

// Entries hands the starters in, as a learner does who has not written a line
// yet.
func Entries() []workshop.Entry {
	return []workshop.Entry{
		{Exercise: workshop.E1, New: func(f stages.Flow) (stages.Lock, error) { return e1.New(f.Redis, f.Key) }},
		{Exercise: workshop.E2, New: func(f stages.Flow) (stages.Lock, error) { return e2.New(f.Redis, f.Key) }},
		{Exercise: workshop.E3, New: func(f stages.Flow) (stages.Lock, error) { return e3.New(f.Redis, f.Key, f.Lease) }},
		{
			Exercise:   workshop.E4,
			New:        func(f stages.Flow) (stages.Lock, error) { return e4.New(f.Redis, f.Key, f.Lease) },
			ErrNotHeld: e4.ErrNotHeld,
		},
		{
			Exercise:   workshop.E5,
			New:        func(f stages.Flow) (stages.Lock, error) { return e5.New(f.Redis, f.Key, f.Lease) },
			ErrNotHeld: e5.ErrNotHeld,
		},
		{
			Exercise:   workshop.E6,
			New:        func(f stages.Flow) (stages.Lock, error) { return e6.New(f.Redis, f.Key, f.Owner, f.Lease) },
			ErrNotHeld: e6.ErrNotHeld,
		},
		{
			Exercise:   workshop.E7,
			New:        func(f stages.Flow) (stages.Lock, error) { return e7.New(f.Redis, f.Key, f.Owner, f.Lease) },
			ErrNotHeld: e7.ErrNotHeld,
		},
		{
			Exercise:   workshop.E8,
			New:        func(f stages.Flow) (stages.Lock, error) { return e8.New(f.Redis, f.Key, f.Lease) },
			ErrNotHeld: e8.ErrNotHeld,
		},
		{
			Exercise:   workshop.E9,
			New:        func(f stages.Flow) (stages.Lock, error) { return e9.New(f.Redis, f.Key, f.Lease) },
			ErrNotHeld: e9.ErrNotHeld,
			ErrStale:   e9.ErrStale,
			Sell: func(ctx context.Context, lock stages.Lock, rdb *redis.Client, stock string) (int, error) {
				return e9.NewShop(rdb, stock).Sell(ctx, lock.(*e9.Lock).Token())
			},
		},
	}
}
