package fencing_test

import (
	"fmt"
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
	"lockstep/workshop"
)

// fenced is what the exercise e9_fencing asks for.
var fenced = workshop.E9.Solution()

func TestStopTheWorld(t *testing.T)  { hazards.StopTheWorld.Lesson(t, stages.V7, stages.Fenced) }
func TestTokenGrows(t *testing.T)    { fenced.Survives(t, workshop.TokenGrows) }
func TestTokenInOrder(t *testing.T)  { fenced.Survives(t, workshop.TokenInOrder) }
func TestTokenIsShared(t *testing.T) { fenced.Survives(t, workshop.TokenIsShared) }
func TestStaleSale(t *testing.T)     { fenced.Survives(t, workshop.StaleSale) }
func TestSecondSale(t *testing.T)    { fenced.Survives(t, workshop.SecondSale) }

// What a fence can't do: it orders writes, and keeps nobody out.
func TestLateButFirst(t *testing.T) {
	r, err := workshop.LateButFirst.Run(stages.Fenced)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(t.Output(), "\n%s\n\n%s\n", workshop.LateButFirst.Story, r.Timeline); err != nil {
		t.Fatal(err)
	}
	if r.Outcome != hazards.Breaks {
		t.Errorf("the fence keeps the late one out: then say so in doc.go, and in the exercise's README")
	}
}
