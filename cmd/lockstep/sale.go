package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"lockstep/explore"
	"lockstep/faults"
	"lockstep/shop"
	"lockstep/stages"
)

// sale is a flash sale in a world of its own: a number of instances of the
// shop, which sell one item to each of their buyers, all at once.
type sale struct {
	stage          stages.Stage
	buyers, stock  int
	instances      int
	payment, lease time.Duration
}

// sold is how a sale went.
type sold struct {
	shop.Books
	Waiting  int            // buyers who never got their turn
	Errors   map[string]int // what other buyers were told, and how many
	Took     time.Duration  // of fake time, until the last buyer was done
	Commands int            // that the instances sent
}

const (
	saleKey  = "lock:stock"
	stockKey = "inventory01"
)

// hold holds the sale.
func (s sale) hold() (sold, error) {
	result := sold{Books: shop.Books{Initial: s.stock}, Waiting: s.buyers, Errors: map[string]int{}}
	_, err := faults.Run(faults.Options{Watch: saleKey}, func(w *faults.World) error {
		w.Put(stockKey, strconv.Itoa(s.stock))
		var mu sync.Mutex // guards result and closed
		closed, opened := false, time.Now()
		served := func(sale bool, err error) {
			mu.Lock()
			defer mu.Unlock()
			if closed { // who still waited is sent home with the end of the world
				return
			}
			result.Waiting--
			result.Took = max(result.Took, time.Since(opened))
			if sale {
				result.Sold++
			}
			for _, cause := range causes(err) {
				result.Errors[cause]++
			}
		}
		var instances []*faults.Client
		for i := range s.instances {
			instance := w.Client(fmt.Sprintf("instance %d", i+1))
			instances = append(instances, instance)
			if err := s.open(instance, s.buyersOf(i), served); err != nil {
				return err
			}
		}
		for _, instance := range instances {
			w.Await(instance, max(time.Nanosecond, s.longest()-w.Now()))
		}
		mu.Lock()
		defer mu.Unlock()
		closed = true
		for _, instance := range instances {
			result.Commands += instance.Sent()
		}
		for _, k := range w.Keys() {
			if k.Name == stockKey {
				result.Left, _ = strconv.Atoi(k.Value) // the shop writes nothing but numbers
			}
		}
		return nil
	})
	return result, err
}

// causes are the errors at the bottom of err, in words: without what was being
// done, and to which key.
func causes(err error) []string {
	switch e := err.(type) { //nolint:errorlint // it goes down the tree by itself
	case interface{ Unwrap() []error }:
		var all []string
		for _, part := range e.Unwrap() {
			all = append(all, causes(part)...)
		}
		return all
	case interface{ Unwrap() error }:
		return causes(e.Unwrap())
	case nil:
		return nil
	default:
		return []string{err.Error()}
	}
}

// open lets so many buyers loose on an instance, each with a lock of its own where
// the stage has them. served is told of each whether there was a sale, and the
// error that the buyer got to see.
func (s sale) open(instance *faults.Client, buyers int, served func(sale bool, err error)) error {
	store := shop.Shop{Redis: instance.Redis(), Stock: stockKey, Payment: s.payment}
	var locks []stages.Lock
	for i := range buyers {
		if s.stage.PerService && i > 0 {
			locks = append(locks, locks[0])
			continue
		}
		lock, err := s.stage.New(stages.Flow{Redis: instance.Redis(), Key: saleKey, Lease: s.lease, Thread: i + 1})
		if err != nil {
			return err
		}
		locks = append(locks, lock)
	}
	instance.Do("sell", func(ctx context.Context) {
		var group sync.WaitGroup
		defer group.Wait()
		for _, lock := range locks {
			group.Go(func() {
				sale := false
				_, err := s.stage.Bracket(ctx, lock, func(ctx context.Context) (string, error) {
					_, err := store.Sell(ctx)
					sale = err == nil
					return "", err
				})
				served(sale, err)
			})
		}
	})
	return nil
}

// buyersOf is how many buyers come to an instance: they spread evenly.
func (s sale) buyersOf(instance int) int {
	n := s.buyers / s.instances
	if instance < s.buyers%s.instances {
		n++
	}
	return n
}

// longest is when the last buyer must be done, in fake time, if nobody keeps the
// lock for good: one comes after the other, at the next poll.
func (s sale) longest() time.Duration {
	end := time.Duration(s.buyers)*(s.payment+explore.Poll) + time.Second
	if s.stage.Lease {
		end += s.lease
	}
	return end
}

// tries is about how often the lock is asked for, which is what a sale costs in
// real time: half of the buyers wait at each poll, and a watchdog asks three
// times a lease.
func (s sale) tries() int {
	polls := int((s.payment + explore.Poll - 1) / explore.Poll)
	tries := s.buyers * s.buyers / 2 * max(1, polls)
	if s.stage.Renew != "" {
		tries += s.buyers * int(3*s.payment/s.lease)
	}
	return tries
}
