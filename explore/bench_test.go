package explore

import (
	"fmt"
	"testing"

	"lockstep/stages"
)

// What a schedule costs, how long it takes to find v4's gap between the look and
// the delete, and to exhaust a space that is worth exhausting. On one processor:
//
//	go test ./explore -run '^$' -bench . -cpu 1
func BenchmarkSearch(b *testing.B) {
	slow := Budget{Clients: 2, Slow: 3}
	everything := Budget{Clients: 2, Slow: 4, Crashes: 1, Lost: 1}
	three := Budget{Clients: 3, Slow: 2}
	bench := func(name string, q Question) {
		b.Run(fmt.Sprintf("%s/%s", name, q.Stage), func(b *testing.B) {
			schedules := 0
			for b.Loop() {
				r, err := Search(b.Context(), q)
				if err != nil {
					b.Fatal(err)
				}
				schedules += r.Schedules
			}
			b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
			b.ReportMetric(float64(schedules)/float64(b.N), "schedules/op")
		})
	}
	bench("find", Question{Stage: stages.V4, Budget: slow, Until: OwnHand})
	for name, budget := range map[string]Budget{"slow": slow, "everything": everything, "three": three} {
		for _, s := range stages.All() {
			bench(name, Question{Stage: s, Budget: budget})
		}
	}
}
