package explore

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
	"lockstep/stages"
)

// stray is a guide that goes where luck takes it.
type stray struct {
	Question
	*rand.Rand
}

func (s stray) covers(*place, int) bool { return false }

func (s stray) pick(at *place) (faults.Choice, bool) {
	choices := s.affordable(at.Offers, at.Spent)
	return choices[s.IntN(len(choices))], true
}

// A sale that comes too late breaks a promise once. The same step after another late
// sale shows nothing new, and says nothing of where it is the first.
func TestSecondLateSaleForetellsNoFirst(t *testing.T) {
	t.Parallel()
	after := func(broken ...Property) landing {
		return landing{State: state{Clients: []actor{{Knows: "sells", Waiting: true}}, Broken: broken}}
	}
	sale := faults.Choice{Kind: faults.Pass, Client: "A", Nth: 1}
	known := newSteps()

	known.note(after(ToldInTime), sale, after(ToldInTime))

	_, ok := known.foresee(after().State, sale, nil)
	require.False(t, ok)
	to, ok := known.foresee(after(ToldInTime).State, sale, nil)
	require.True(t, ok)
	require.Equal(t, after(ToldInTime).State, to)
}

// Where a step is foreseen to lead, it leads, in all stages and drafts.
func TestForesight(t *testing.T) {
	t.Parallel()
	walks, programs := 2, []Program{Plain}
	if os.Getenv(allEnv) != "" {
		walks, programs = 40, []Program{Plain, Long, Nested, Tries}
	}
	budget := Budget{Clients: 3, Slow: 6, Crashes: 1, Lost: 2, Freezes: 1}
	for _, stage := range everyStage() {
		for _, program := range programs {
			if stage.Name == stages.ResetExpire.Name && program == Nested {
				continue // it keeps a timer for each entry, and a state knows of one
			}
			t.Run(stage.Name+", "+string(program), func(t *testing.T) {
				t.Parallel()
				q := Question{Stage: stage, Budget: budget, Program: program, deepest: 40}
				s, guide, foreseen := newSearch(q), stray{q, rand.New(rand.NewPCG(1, 2))}, 0
				for range walks {
					trail, err := newRun(q).follow(t.Context(), nil, guide)
					require.NoError(t, err)
					for i, p := range trail.Places[1:] {
						before, choice := trail.Places[i], trail.Path[i]
						if to, ok := s.steps.foresee(before.State, choice, before.Offers); ok {
							foreseen++
							require.Equal(t, p.State, to, "%v, after %v", trail.Path[:i+1], trail.Path[:i])
						}
						if offers, ok := s.steps.foreseeOffers(p.State); ok {
							require.Equal(t, p.Offers, offers, "%v", trail.Path[:i+1])
						}
					}
					s.note(trail, 0)
				}
				require.Positive(t, foreseen)
			})
		}
	}
}
