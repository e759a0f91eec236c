package hazards

import "testing"

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
