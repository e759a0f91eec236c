package shop

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Rush lets buyers loose on a shop at the same time. Each buys until it has
// wants items or the shop is sold out; buy makes one purchase for a buyer, under
// whatever lock. Rush returns how many purchases succeeded, and the first error
// but for ErrSoldOut.
func Rush(ctx context.Context, buyers, wants int, buy func(ctx context.Context, buyer int) error) (sold int, err error) {
	var n atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for buyer := range buyers {
		group.Go(func() error {
			for range wants {
				switch err := buy(ctx, buyer); {
				case errors.Is(err, ErrSoldOut):
					return nil
				case err != nil:
					return err
				}
				n.Add(1)
			}
			return nil
		})
	}
	err = group.Wait()
	return int(n.Load()), err
}
