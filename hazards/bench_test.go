package hazards

import (
	"testing"

	"lockstep/stages"
)

// What one run of a hazard costs, the whole world with it.
func BenchmarkHazard(b *testing.B) {
	for _, l := range []struct {
		hazard Hazard
		stage  stages.Stage
	}{
		{MisDelete, stages.V3},
		{MisDelete, stages.V4},
		{GCPause, stages.V5},
		{ExpiryMidBusiness, stages.V7},
	} {
		b.Run(l.hazard.Name+"/"+l.stage.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := l.hazard.Run(l.stage); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
