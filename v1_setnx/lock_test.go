package setnx_test

import (
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func TestTwoServers(t *testing.T)  { hazards.TwoServers.Lesson(t, stages.V0, stages.V1) }
func TestPanic(t *testing.T)       { hazards.Panic.Lesson(t, stages.NoDefer, stages.V1) }
func TestEmptyAnswer(t *testing.T) { hazards.EmptyAnswer.Lesson(t, stages.EmptyAnswer, stages.V1) }
