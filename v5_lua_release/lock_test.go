package luarelease_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestGCPause(t *testing.T)       { hazards.GCPause.Lesson(t, stages.V4, stages.V5) }
func TestGCPauseWatch(t *testing.T)  { hazards.GCPause.Lesson(t, stages.V4, stages.V5Watch) }
func TestRetriedDelete(t *testing.T) { hazards.RetriedDelete.Lesson(t, stages.V4, stages.V5) }
