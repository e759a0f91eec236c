package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/stages"
)

// A payment that ends within its lease is safe from v1 on; one that outlives it
// sells items twice on the stages whose lease ends, and on no other.
func TestSale(t *testing.T) {
	t.Parallel()
	leaseEnds := []string{"v3_expire", "v4_owner", "v5_lua_release", "v6_reentrant_hash"}
	for _, stage := range stages.All() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			short := sale{stage: stage, buyers: 8, stock: 20, instances: 2, payment: 10 * time.Millisecond, lease: 100 * time.Millisecond}
			long := short
			long.payment = 150 * time.Millisecond

			r, err := short.hold()
			require.NoError(t, err)
			require.Equal(t, 8, r.Sold)
			require.Zero(t, r.Waiting)
			require.Equal(t, stage.Name == stages.V0.Name, r.SoldTwice() > 0, "%v", r.Books)

			r, err = long.hold()
			require.NoError(t, err)
			require.Equal(t, 8, r.Sold)
			oversells := stage.Name == stages.V0.Name || slices.Contains(leaseEnds, stage.Name)
			require.Equal(t, oversells, r.SoldTwice() > 0, "%v", r.Books)
		})
	}
}

// The same sale has the same outcome each time, down to the number of commands.
func TestSaleIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	for _, stage := range slices.Concat(stages.All(), stages.Drafts()) {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			s := sale{stage: stage, buyers: 5, stock: 3, instances: 2, payment: 50 * time.Millisecond, lease: 90 * time.Millisecond}
			first, err := s.hold()
			require.NoError(t, err)
			require.LessOrEqual(t, first.Took, s.longest())
			for range 3 {
				again, err := s.hold()
				require.NoError(t, err)
				require.Equal(t, first, again)
			}
		})
	}
}

// No buyer is forgotten, however many there are for each instance.
func TestBuyersSpread(t *testing.T) {
	t.Parallel()
	for _, s := range []sale{{buyers: 50, instances: 2}, {buyers: 1, instances: 3}, {buyers: 11, instances: 4}} {
		sum := 0
		for i := range s.instances {
			sum += s.buyersOf(i)
		}
		require.Equal(t, s.buyers, sum)
	}
}
