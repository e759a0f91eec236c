package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/hazards"
	"lockstep/stages"
)

func show(t *testing.T, words string) string {
	t.Helper()
	text, err := content(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A block has these lines, in this order, and none of those.
func TestBlocks(t *testing.T) {
	for words, want := range map[string]struct{ has, not []string }{
		"code v4_owner/lock.go": {
			[]string{"```go\n// retryEvery is", "func New(", "func (l *Lock) Unlock(", "\n}\n```\n"},
			[]string{"package owner", "import"},
		},
		"code v7_watchdog/lock.go notHeld Unlock": {
			[]string{"```go\n// releaseOnce answers", "const notHeld = -1\n\n// Unlock leaves", "\n}\n```\n"},
			[]string{"func New(", "undoEntry"},
		},
		"code v2_spin/lock.go Lock.Lock": {
			[]string{"```go\n// Lock takes", "func (l *Lock) Lock(", "\n}\n```\n"}, []string{"type Lock", "TryLock waits"},
		},
		"code drafts/two_commands.go TwoCommandsPatched TwoCommands.TryLock": {
			[]string{"func (l TwoCommands) TryLock(", "type TwoCommandsPatched"}, []string{"(l TwoCommandsPatched)"},
		},
		"diff v3_expire v4_owner": {
			[]string{"```diff\n--- v3_expire/lock.go\n+++ v4_owner/lock.go\n@@", "+\tErrNotHeld", "+\tcase owner != l.token:", "\n```\n"},
			[]string{"package"},
		},
		"timeline MisDelete v4_owner": {
			[]string{"```text\ntime ", "GET lock:stock → b", "✓ A's unlock finds another owner, and leaves the lock alone\n```\n"}, nil,
		},
		"mermaid MisDelete v3_expire": {
			[]string{"```mermaid\nsequenceDiagram\n", "A->>R: 31s · DEL lock:stock", "✗ A deleted B's lock", "```\n"}, nil,
		},
		"breaks v5_lua_release": {
			[]string{"Reentry", "v6_reentrant_hash", "StopTheWorld", "none"}, []string{"GCPause"},
		},
		"demands v4_owner": {
			[]string{"v4 | broken there by", "only your own", "GCPause", "RetriedDelete"}, []string{"v5"},
		},
		"costs v4_owner v5_watch_release v7_watchdog": {
			[]string{"| v4_owner         | 1       | 2 ", "| 1       | 5 in 3 trips | 50 ", "| 1            | 50                        | 6 "}, nil,
		},
		"exercise e4_owner MisDelete": {
			[]string{"```text\nMisDelete: A unlocks after", "DEL lock:stock → 1", "✗ A deleted B's lock", "\n```\n"}, nil,
		},
		"exercises": {
			[]string{"[e1_setnx](exercises/e1_setnx/README.md)", "Two servers sell", "[e7_watchdog](exercises/e7_watchdog/README.md)"}, nil,
		},
	} {
		text := show(t, words)
		rest := text
		for _, part := range want.has {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: %q is missing, or too early, in:\n%s", words, part, text)
			}
			rest = after
		}
		for _, part := range want.not {
			if strings.Contains(text, part) {
				t.Errorf("%s: %q should not be in:\n%s", words, part, text)
			}
		}
	}
}

// A name that fits no declaration, or two, shows nothing.
func TestCodeOfWhich(t *testing.T) {
	for words, want := range map[string]string{
		"code v2_spin/lock.go Lock":            "declares 2 of the name Lock",
		"code drafts/two_commands.go TryLock":  "declares 2 of the name TryLock",
		"code v2_spin/lock.go Unlock Relock":   "declares no Relock",
		"code v2_spin/lock.go Lock.New":        "declares no Lock.New",
		"code v2_spin/lock.go Unlock Lock.Loc": "declares no Lock.Loc",
	} {
		text, err := content(strings.Fields(words))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v, want the error %q", words, text, err, want)
		}
	}
}

// Each hazard tests one demand.
func TestDemandsAreComplete(t *testing.T) {
	of := map[string]string{}
	for _, d := range demands {
		for _, h := range d.tests {
			if of[h.Name] != "" {
				t.Errorf("%s tests both %s and %s", h.Name, of[h.Name], d.name)
			}
			of[h.Name] = d.name
		}
	}
	for _, h := range hazards.All() {
		if of[h.Name] == "" {
			t.Errorf("%s tests no demand", h.Name)
		}
	}
}

// A picture can be drawn of every hazard on every stage: what opens is closed.
func TestEveryRunHasAPicture(t *testing.T) {
	skipTexts(t)
	for _, h := range hazards.All() {
		for _, s := range stages.All() {
			text := show(t, "mermaid "+h.Name+" "+s.Name)
			if boxes, ends := strings.Count(text, "\n    rect "), strings.Count(text, "\n    end\n"); boxes != ends {
				t.Errorf("%s on %s: %d boxes and %d ends", h.Name, s.Name, boxes, ends)
			}
		}
	}
}

func TestItem(t *testing.T) {
	got := item(strings.Repeat("twelve bytes ", 10))
	want := "- " + strings.TrimSpace(strings.Repeat("twelve bytes ", 8)) + "\n  twelve bytes twelve bytes"
	if got != want {
		t.Errorf("got %q", got)
	}
}

// The exercises have a go.mod of their own, and the documents are not below it.
func TestFromRootOfTheBook(t *testing.T) {
	t.Chdir(filepath.Join(root, "exercises", "e4_owner"))
	if got, want := fromRoot("README.md"), filepath.Join("..", "..", "README.md"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
