package shop_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/shop"
	"lockstep/stages"
)

// payment is how long a sale takes: so short that waiters, who look every 20 ms,
// need not look often.
const payment = 100 * time.Microsecond

// sale is a flash sale of two servers, with half of the buyers each.
type sale struct {
	stage         stages.Stage
	buyers, wants int
	stock         int
}

// run holds the sale and returns its books. A purchase is made under a
// lock of the buyer's own.
func (s sale) run(t *testing.T) shop.Books {
	t.Helper()
	const key = "inventory01"
	books := shop.Books{Initial: s.stock}
	var sold atomic.Int64
	timeline, err := faults.Run(faults.Options{Watch: "lock:stock"}, func(w *faults.World) error {
		w.Put(key, strconv.Itoa(s.stock))
		var servers []*faults.Client
		for _, name := range []string{"A", "B"} {
			server := w.Client(name)
			store := shop.Shop{Redis: server.Redis(), Stock: key, Payment: payment}
			var locks []stages.Lock
			for i := range s.buyers / 2 {
				if s.stage.PerService && i > 0 {
					locks = append(locks, locks[0])
					continue
				}
				lock, err := s.stage.New(stages.Flow{Redis: server.Redis(), Key: "lock:stock", Lease: 30 * time.Second, Thread: i + 1})
				if err != nil {
					return err
				}
				locks = append(locks, lock)
			}
			server.Do("Rush", func(ctx context.Context) {
				n, err := shop.Rush(ctx, len(locks), s.wants, func(ctx context.Context, buyer int) error {
					_, err := s.stage.Bracket(ctx, locks[buyer], func(ctx context.Context) (string, error) {
						_, err := store.Sell(ctx)
						return "", err
					})
					return err
				})
				if err != nil {
					t.Error(err)
				}
				sold.Add(int64(n))
			})
			servers = append(servers, server)
		}
		for _, server := range servers {
			if !w.Await(server, time.Minute) {
				t.Errorf("the buyers of %s are not done", server.Name())
			}
		}
		for _, k := range w.Keys() {
			if k.Name == key {
				books.Left, _ = strconv.Atoi(k.Value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, timeline)
	}
	books.Sold = int(sold.Load())
	return books
}

// The fourth article's sale: 50 buyers, 500 items. Whoever has a lock that both
// servers know sells each item once.
func TestFlashSale(t *testing.T) {
	for _, stage := range stages.All()[1:] {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			short := sale{stage, buyers, 1, buyers / 2}.run(t)
			if short != (shop.Books{Initial: buyers / 2, Sold: buyers / 2, Left: 0}) {
				t.Errorf("%d buyers and half as many items: %v", buyers, short)
			}
			plenty := sale{stage, buyers, 1, buyers * wants}.run(t)
			if plenty != (shop.Books{Initial: buyers * wants, Sold: buyers, Left: buyers * (wants - 1)}) {
				t.Errorf("%d buyers who want one each, and %d items: %v", buyers, buyers*wants, plenty)
			}
		})
	}
}

// All buyers come back until all is sold. It takes long: LOCKSTEP_TEST_ALL=1 has it of
// every stage.
func TestSellOut(t *testing.T) {
	for _, stage := range stages.All()[1:] {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			if stage.Name != stages.V1.Name && os.Getenv("LOCKSTEP_TEST_ALL") == "" {
				t.Skip("it takes long")
			}
			enough := sale{stage, buyers, wants, buyers * wants}.run(t)
			if enough != (shop.Books{Initial: buyers * wants, Sold: buyers * wants, Left: 0}) {
				t.Errorf("%d buyers who want %d each, and as many items: %v", buyers, wants, enough)
			}
		})
	}
}

// Two servers with a mutex each sell every item twice: both read the same stock.
func TestFlashSaleWithMutexes(t *testing.T) {
	t.Parallel()
	books := sale{stages.V0, 50, 10, 500}.run(t)
	if books.SoldTwice() != 250 {
		t.Errorf("each sale of one server should have a twin on the other: %v", books)
	}
}

func TestBooks(t *testing.T) {
	for _, c := range []struct {
		books shop.Books
		twice int
		says  string
	}{
		{shop.Books{Initial: 500, Sold: 50, Left: 450}, 0, "50 of 500 sold, 450 left"},
		{shop.Books{Initial: 1, Sold: 2, Left: 0}, 1, "2 of 1 sold, 0 left: 1 sold twice"},
	} {
		if got := c.books.SoldTwice(); got != c.twice {
			t.Errorf("%+v: %d sold twice, want %d", c.books, got, c.twice)
		}
		if got := c.books.String(); got != c.says {
			t.Errorf("got %q, want %q", got, c.says)
		}
	}
}

// order has two requests of one user come at the same time, and returns the
// orders that came of it and the errors that the requests ended with.
func order(t *testing.T, stage stages.Stage) (orders []string, errs []error) {
	t.Helper()
	timeline, err := faults.Run(faults.Options{Watch: "lock:user"}, func(w *faults.World) error {
		w.Put("voucher", "10")
		var store shop.Shop
		for _, name := range []string{"A", "B"} {
			server := w.Client(name)
			store = shop.Shop{Redis: server.Redis(), Stock: "voucher", Payment: payment}
			lock, err := stage.New(stages.Flow{Redis: server.Redis(), Key: "lock:user:7", Lease: 30 * time.Second, Thread: 1})
			if err != nil {
				return err
			}
			server.Do("Order", func(ctx context.Context) {
				_, err := stage.Bracket(ctx, lock, func(ctx context.Context) (string, error) {
					_, err := store.Order(ctx, "user-7")
					return "", err
				})
				errs = append(errs, err)
			})
		}
		w.Sleep(time.Second)
		reader := w.Client("reader")
		store.Redis = reader.Redis()
		reader.Do("Orders", func(ctx context.Context) { orders, _ = store.Orders(ctx) })
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, timeline)
	}
	return orders, errs
}

func TestOneOrderForEachUser(t *testing.T) {
	for _, stage := range stages.All()[1:] {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			orders, errs := order(t, stage)
			if !slices.Equal(orders, []string{"user-7"}) {
				t.Errorf("orders: %v, want one", orders)
			}
			if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], shop.ErrOrdered) {
				t.Errorf("the requests ended with %v, want nil and %v", errs, shop.ErrOrdered)
			}
		})
	}
}

func TestTwoOrdersWithMutexes(t *testing.T) {
	t.Parallel()
	if orders, _ := order(t, stages.V0); !slices.Equal(orders, []string{"user-7", "user-7"}) {
		t.Errorf("orders: %v, want the same user twice", orders)
	}
}
