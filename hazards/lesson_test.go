package hazards

import (
	"strings"
	"testing"

	"lockstep/stages"
)

func TestWhatRunNames(t *testing.T) {
	for _, c := range []struct {
		run   string
		named bool
	}{
		{"MisDelete", true},
		{"^TestMisDelete$", true},
		{"TestMisDelete", true},
		{"Mis", true},
		{"Crash|MisDelete", true},
		{"Test.*Delete", true},
		{"MisDelete/v4_owner", true},
		{"(Mis|Un)Delete/v4", true},
		{"Crash/v2_spin|MisDelete/v4_owner", true},
		{"MisDelete/v4_owner|Crash/v2_spin", true},
		{"(Crash|MisDelete)/v4|Panic", true},
		{"Mis[D|/]elete/v4", true},
		{`Mis\wel/v4`, true},
		{"Crash|/MisDelete", false},
		{`Crash\|MisDelete`, false},
		{".|MisDelete", true},
		{"Crash", false},
		{"", false},
		{".", false},
		{".*", false},
		{"Test", false},
		{"^Test", false},
		{"Test[A-Z]", false},
		{"./MisDelete", false},
		{"/v4_owner", false},
		{"[", false},
	} {
		if got := names(c.run, "TestMisDelete"); got != c.named {
			t.Errorf("-run %q names TestMisDelete: got %v, want %v", c.run, got, c.named)
		}
	}
}

// A lesson that is at odds with the table, or with what comes out, says how.
func TestLessonAtOdds(t *testing.T) {
	h := Hazard{Name: "SlowShop", Expect: []Row{{Breaks, "it is slow", []string{"v2"}}}}
	for _, c := range []struct {
		stage  stages.Stage
		lesson Outcome
		got    Cell
		says   string
	}{
		{stages.V2, Breaks, Cell{Breaks, "it is slow"}, ""},
		{stages.V1, Breaks, Cell{Breaks, "it is slow"}, "the table of SlowShop has no row for v1_setnx: there it breaks: it is slow"},
		{stages.V2, Holds, Cell{Breaks, "it is slow"}, "the table expects that SlowShop breaks on v2_spin, and this lesson that it holds"},
		{stages.V2, Breaks, Cell{Breaks, "it burns"}, `came out as "breaks" (it burns)`},
		{stages.V2, Breaks, Cell{Outcome: Holds}, `came out as "holds" ()`},
	} {
		said := ""
		if err := h.agree(c.stage, c.lesson, c.got); err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("got %q, want %q", said, c.says)
		}
	}
}

// A stage that holds where it should break was repaired, and the reason why it
// should break is not why it holds.
func TestMended(t *testing.T) {
	h := Hazard{
		Name: "SlowShop",
		Play: func(*Scene) error { return nil },
		Expect: []Row{
			{Breaks, "it is slow", []string{"v2"}},
			{Holds, "it is fast", []string{"v3"}},
		},
	}
	for _, c := range []struct {
		stage  stages.Stage
		lesson Outcome
		got    Cell
		mended bool
	}{
		{stages.V1, Breaks, Cell{Outcome: Holds}, false},
		{stages.V2, Breaks, Cell{Outcome: Holds}, true},
		{stages.V2, Holds, Cell{Outcome: Holds}, false},
		{stages.V3, Holds, Cell{Holds, "it is fast"}, false},
	} {
		r, err := h.Run(c.stage)
		if err != nil {
			t.Fatal(err)
		}
		if r.Cell != c.got {
			t.Errorf("%s: got %v, want %v", c.stage, r.Cell, c.got)
		}
		if got := h.mended(c.stage, c.lesson, r.Cell); got != c.mended {
			t.Errorf("%s, which the lesson shows as %q: mended is %v, want %v", c.stage, c.lesson, got, c.mended)
		}
	}
	if h.mended(stages.V2, Breaks, Cell{Breaks, "it is slow"}) {
		t.Error("v2 breaks, and is not mended")
	}
}
