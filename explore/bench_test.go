package explore

import (
	"testing"

	"lockstep/stages"
)

// How long it takes to find v4's gap between the look and the delete, what a
// schedule costs, and how long it takes to exhaust a space that is worth
// exhausting. On one processor, each once:
//
//	go test ./explore -run '^$' -bench . -cpu 1 -benchtime 1x
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		name string
		Budget
		Until  Property
		stages []stages.Stage
	}{
		{"find", Budget{Clients: 2, Slow: 3}, OwnHand, []stages.Stage{stages.V4}},
		{"slow", Budget{Clients: 2, Slow: 3}, "", stages.All()},
		{"everything", Budget{Clients: 2, Slow: 4, Crashes: 1, Lost: 1}, "", stages.All()},
		{"three", Budget{Clients: 3, Slow: 2}, "", stages.All()},
	} {
		for _, stage := range c.stages {
			b.Run(c.name+"/"+stage.Name, func(b *testing.B) {
				schedules, runs := 0, 0
				for b.Loop() {
					r, err := Search(b.Context(), Question{Stage: stage, Budget: c.Budget, Until: c.Until})
					if err != nil {
						b.Fatal(err)
					}
					schedules += r.Schedules
					runs += r.Runs
				}
				b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
				b.ReportMetric(float64(schedules)/float64(b.N), "schedules/op")
				b.ReportMetric(float64(runs)/float64(b.N), "runs/op")
			})
		}
	}
}
