package explore

import (
	"testing"

	"lockstep/stages"
)

// What a schedule costs, and how long it takes to find v4's gap between the look
// and the delete.
func BenchmarkSearch(b *testing.B) {
	for name, q := range map[string]Question{
		"exhaust/v3": {Stage: stages.V3, Budget: Budget{Clients: 2, Slow: 3}},
		"exhaust/v5": {Stage: stages.V5, Budget: Budget{Clients: 2, Slow: 3}},
		"find/v4":    {Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 3}, Until: OwnHand},
	} {
		b.Run(name, func(b *testing.B) {
			schedules := 0
			for b.Loop() {
				r, err := Search(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				schedules += r.Schedules
			}
			b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
		})
	}
}
