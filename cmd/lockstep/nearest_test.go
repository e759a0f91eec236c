package main

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"v6", "v7", "MisDelete", "ForeignUnlock", "Crash"}
	for word, want := range map[string]string{
		"MisDelte":  "MisDelete", // a letter is missing
		"misdelete": "MisDelete",
		"Foreign":   "ForeignUnlock", // a part
		"crahs":     "Crash",
		"v9":        "v7", // of two that are as near the later one
		"zzz":       "",
		"":          "",
		"s":         "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "lock", 4},
		{"lock", "", 4},
		{"lock", "lock", 0},
		{"lock", "clock", 1},
		{"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
		{"–✓", "✓", 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
