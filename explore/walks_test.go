package explore

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"lockstep/stages"
)

// Who walks without an aim comes to nothing that a search has not found: no other
// outcome, no other break, and none on a shorter way. The questions are chosen by luck,
// the same each time.
func TestWalksFindNothingElse(t *testing.T) {
	t.Parallel()
	skipWhereItIsTheSame(t)
	const questions, walks = 60, 100
	luck := rand.New(rand.NewPCG(3, 4))
	all := everyStage()
	for range questions {
		q := Question{
			Stage:     all[luck.IntN(len(all))],
			Budget:    Budget{Clients: 1 + luck.IntN(2), Slow: luck.IntN(3), Crashes: luck.IntN(2)},
			Program:   []Program{Plain, Long, Panics, Tries}[luck.IntN(4)],
			Lease:     1 + luck.IntN(4),
			NoRetries: luck.IntN(3) == 0,
		}
		switch luck.IntN(3) {
		case 0:
			q.Budget.Lost = 1
		case 1:
			q.Budget.Freezes = 1
		}
		if q.Stage.Name == stages.ResetExpire.Name { // it keeps several timers, and a state knows of one
			continue
		}
		seed := luck.Uint64()
		t.Run(q.Stage.Name+", "+string(q.Program), func(t *testing.T) {
			t.Parallel()
			q := q.withDefaults()
			r := ask(t, q)
			if !r.Exhausted {
				t.Skip("it has no end")
			}
			guide := stray{q, rand.New(rand.NewPCG(5, seed))}
			for range walks {
				walk, err := newRun(q).follow(t.Context(), nil, guide)
				require.NoError(t, err)
				if walk.Outcome != "" {
					require.True(t, r.outcomes[walk.Outcome], "%+v: %v ends with %s", q, walk.Path, walk.Outcome)
				}
				for p, length := range walk.Broken {
					found, ok := r.Broken(p)
					require.True(t, ok && len(found.Schedule) <= length, "%+v: %v breaks %s", q, walk.Path[:length], p)
				}
			}
		})
	}
}
