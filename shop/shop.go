// Package shop is the business that the locks protect: the flash sale of the
// source articles. It reads, checks and writes back, in three steps that only a
// lock holds together.
//
// A shop keeps no lock itself. Whoever calls it without one, or with one that
// lets two in, sells an item twice; [Books] finds out.
package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of a shop.
var (
	// ErrSoldOut means that no stock is left.
	ErrSoldOut = errors.New("shop: sold out")
	// ErrOrdered means that this user has an order for this voucher already.
	ErrOrdered = errors.New("shop: one order for each user")
)

// Shop sells one item, whose stock is in Redis.
type Shop struct {
	Redis *redis.Client
	Stock string // key of the stock: inventory01

	// Payment is how long a sale takes between the check and the write.
	Payment time.Duration
}

// Restock sets the stock to n.
func (s Shop) Restock(ctx context.Context, n int) error {
	if err := s.Redis.Set(ctx, s.Stock, n, 0).Err(); err != nil {
		return fmt.Errorf("restock %s: %w", s.Stock, err)
	}
	return nil
}

// Left is the stock that is left.
func (s Shop) Left(ctx context.Context) (int, error) {
	left, err := s.Redis.Get(ctx, s.Stock).Int()
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", s.Stock, err)
	}
	return left, nil
}

// Sell sells one item and returns how many are left, or ErrSoldOut. It is safe
// only under a lock: between the read and the write of one caller, others must
// not sell.
func (s Shop) Sell(ctx context.Context) (left int, err error) {
	left, err = s.Left(ctx)
	if err != nil {
		return 0, err
	}
	if left <= 0 {
		return 0, ErrSoldOut
	}
	if err := s.pay(ctx); err != nil {
		return 0, err
	}
	left--
	return left, s.Restock(ctx, left)
}

// Order sells one item to user unless user has one, and returns how many are
// left, ErrOrdered or ErrSoldOut. It is safe only under a lock.
func (s Shop) Order(ctx context.Context, user string) (left int, err error) {
	orders, err := s.Orders(ctx)
	if err != nil {
		return 0, err
	}
	if slices.Contains(orders, user) {
		return 0, ErrOrdered
	}
	left, err = s.Sell(ctx)
	if err != nil {
		return 0, err
	}
	if err := s.Redis.RPush(ctx, s.Stock+":orders", user).Err(); err != nil {
		return 0, fmt.Errorf("order for %s: %w", user, err)
	}
	return left, nil
}

// Orders lists who has ordered, in order.
func (s Shop) Orders(ctx context.Context) ([]string, error) {
	orders, err := s.Redis.LRange(ctx, s.Stock+":orders", 0, -1).Result()
	if err != nil {
		return nil, fmt.Errorf("read orders of %s: %w", s.Stock, err)
	}
	return orders, nil
}

// pay takes its time.
func (s Shop) pay(ctx context.Context) error {
	if s.Payment == 0 {
		return nil
	}
	select {
	case <-time.After(s.Payment):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("payment: %w", ctx.Err())
	}
}

// Books are the books of a sale after it: what was there, what was sold, and
// what is left.
type Books struct{ Initial, Sold, Left int }

// SoldTwice is how many items were sold to more than one buyer: what was sold
// and is left, over what there was.
func (b Books) SoldTwice() int { return b.Sold + b.Left - b.Initial }

// String says it in a sentence.
func (b Books) String() string {
	s := fmt.Sprintf("%d of %d sold, %d left", b.Sold, b.Initial, b.Left)
	if twice := b.SoldTwice(); twice != 0 {
		s += fmt.Sprintf(": %d sold twice", twice)
	}
	return s
}
