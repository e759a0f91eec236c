package spin_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestRecursionOverflow(t *testing.T) { hazards.RecursionOverflow.Lesson(t, stages.V1, stages.V2) }
