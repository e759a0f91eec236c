package faults_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

// release is a script with a name, as the stages have them.
var release = redis.NewScript("-- release deletes a key\nreturn redis.call('DEL', KEYS[1])")

// The random tokens of these tests, which random makers would not repeat.
const (
	uuid   = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
	uuid2  = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	base32 = "MFRGGZDFMZTWQ2LKNNWG23TPOB"
	hex32  = "d41d8cd98f00b204e9800998ecf8427e"
)

// misDelete is the play of DESIGN.md, without a lock's code.
func misDelete(w *faults.World) error {
	a, b, c := w.Client("A"), w.Client("B"), w.Client("C")
	take := []any{"SET", "lock", uuid, "NX", "PX", 30000}
	send(a, take...)
	take[2] = uuid2
	b.Do("Lock", func(ctx context.Context) {
		for b.Redis().Do(ctx, take...).Err() != nil {
			time.Sleep(500 * time.Millisecond)
		}
	})
	w.Note("A works")
	w.Sleep(31 * time.Second)
	send(a, "DEL", "lock")
	w.Mark("A deleted B's lock")
	send(c, "SET", "lock", base32, "NX", "PX", 30000)
	return w.Broken("B and %s sold the last item", "C")
}

func TestText(t *testing.T) {
	t.Parallel()
	timeline, err := faults.Run(watched, misDelete)
	require.ErrorIs(t, err, faults.ErrBroken)
	golden(t, "misdelete.txt", timeline.String())
}

// update has golden write its files: go test ./faults -run TestText -update
var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file that a person has looked at.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// The JSON is all there is: a timeline that was read back shows the same text.
func TestJSON(t *testing.T) {
	t.Parallel()
	timeline, _ := faults.Run(watched, misDelete)
	raw, err := timeline.JSON()
	require.NoError(t, err)
	var back faults.Timeline
	require.NoError(t, json.Unmarshal(raw, &back))
	require.Equal(t, timeline.String(), back.String())
	require.Equal(t, []string{"A", "B", "C"}, back.Clients)
	require.True(t, back.Broke)
	require.Equal(t, "A deleted B's lock", back.Steps[7].Broken)
	require.Equal(t, []faults.Holding{{Key: "lock", Value: "a", Ends: 30 * time.Second}}, back.Steps[0].After)

	again, err := back.JSON()
	require.NoError(t, err)
	require.Equal(t, string(raw), string(again))
	require.NotContains(t, string(raw), uuid, "no random byte reaches a timeline")
}

// Three clients fit into 72 columns, which go test may indent by eight.
func TestWidth(t *testing.T) {
	t.Parallel()
	timeline, _ := faults.Run(watched, func(w *faults.World) error {
		for i, name := range []string{"A", "B", "C"} {
			c := w.Client(name)
			c.LoseReply("HSET lock:stock:2026:hall-7")
			send(c, "HSET", "lock:stock:2026:hall-7", base32, 3+i)
			send(c, "PEXPIRE", "lock:stock:2026:hall-7", 29990)
			w.Sleep(1010 * time.Millisecond)
			w.Note("%s", strings.Repeat("and so on ", 20))
		}
		return w.Broken("short")
	})
	for line := range strings.Lines(timeline.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 72, line)
		require.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no blanks at the end")
	}
}

// More clients than columns have their names before what they say.
func TestManyClients(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		for _, name := range []string{"A", "B", "C", "D", "E", "F", "G"} {
			send(w.Client(name), "INCR", "n")
		}
	})
	require.Equal(t, "0s A: INCR n → 1 free", lines(timeline)[0])
	require.Equal(t, "0s G: INCR n → 7 free", lines(timeline)[6])
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		for _, name := range []string{"Alexandra", "B", "Charlotte"} {
			send(w.Client(name), "PING")
		}
	})
	require.Equal(t, []string{"time", "Alexandra", "B", "Charlotte"}, strings.Fields(timeline.String())[:4])

	timeline = perform(t, func(w *faults.World) {
		for _, name := range []string{"Client0", "Client1", "Client2", "Client3", "Client4", "Client5"} {
			send(w.Client(name), "PING")
		}
	})
	header, _, _ := strings.Cut(timeline.String(), "\n")
	require.Equal(t, "lock", strings.Fields(header)[7], header)
}

func TestConnectionSetUpIsHidden(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "CLIENT", "ID")
		send(a, "PING")
		require.Equal(t, 1, a.Sent())
	})
	require.Equal(t, []string{"0s PING → PONG free"}, lines(timeline))
}

// A script goes by the name in its first line; that the server did not know it
// is shown as what it is.
func TestScriptsGoByName(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		a.Do("release", func(ctx context.Context) { release.Run(ctx, a.Redis(), []string{"lock"}) })
		b.Do("release", func(ctx context.Context) { release.Run(ctx, b.Redis(), []string{"lock"}, "x", 1) })
	})
	require.Equal(t, []string{
		"0s EVALSHA release → NOSCRIPT free",
		"0s EVAL release lock → 0 free",
		"0s release lock x 1 → 0 free",
	}, lines(timeline))
}

func TestUnnamedScript(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "EVAL", "return KEYS[1]", 1, "k")
		send(a, "EVALSHA", "4a2267357833227dd98abdedb8cf24b15a986445", 1, "k")
	})
	require.Equal(t, []string{
		"0s EVAL script 4a22673 k → k free",
		"0s script 4a22673 k → k free",
	}, lines(timeline))
}

// A token goes by its owner's name, wherever it shows up later and in
// whatever it is wrapped.
func TestTokensGoByName(t *testing.T) {
	t.Parallel()
	for name, tok := range map[string]string{
		"UUID":             uuid,
		"upper-case UUID":  strings.ToUpper(uuid),
		"crypto/rand.Text": base32,
		"hex":              hex32,
		"short hex":        hex32[:16],
		"decimal":          "1796140800123456789",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline := perform(t, func(w *faults.World) {
				a, b := w.Client("Ann"), w.Client("Bob")
				send(a, "SET", "lock", tok)
				send(b, "GET", "lock")
				send(b, "SET", "lock", "host-7:"+tok+":12")
				send(a, "SET", "own", uuid2)
				send(b, "MGET", "lock", "own")
			})
			require.Equal(t, []string{
				"0s SET lock ann → OK ann, no lease",
				"0s GET lock → ann ann, no lease",
				"0s SET lock host-7:ann:12 → OK host-7…, no lease",
				"0s SET own ann#2 → OK host-7…, no lease",
				"0s MGET lock own → [host-7:ann:12 ann#2] host-7…, no lease",
			}, lines(timeline))
		})
	}
}

// What only looks a little like a token stays.
func TestNoToken(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"stock", "123456789012345", "deadbeef", "MFRGGZDFMZTWQ2LKNNWG23TPO", "1b4e28ba-2fa1-11d2-883f", "lock:stock:1",
	} {
		timeline := perform(t, func(w *faults.World) { send(w.Client("A"), "SET", "other", word) })
		require.Equal(t, []string{"0s SET other " + word + " → OK free"}, lines(timeline))
	}
}

// Whatever is odd is quoted, and whatever is long is cut.
func TestValuesAreShown(t *testing.T) {
	t.Parallel()
	for value, shown := range map[string]string{
		"plain":                  "plain",
		"":                       `""`,
		"two words":              `"two words"`,
		"a\nb":                   `"a\nb"`,
		`say "no"`:               `"say \"no\""`,
		"\x00\xff":               `"\x00\xff"`,
		"Löwe":                   "Löwe",
		strings.Repeat("x", 33):  strings.Repeat("x", 32) + "… (33 bytes)",
		strings.Repeat("x ", 20): `"` + strings.Repeat("x ", 15) + `x "… (40 bytes)`,
	} {
		timeline := perform(t, func(w *faults.World) { send(w.Client("A"), "SET", "other", value) })
		require.Equal(t, shown, timeline.Steps[0].Commands[0][2])
	}
}

// Two who wait for the lock take turns, and are two lines all the same.
func TestEqualTriesAreCounted(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, b, c := w.Client("A"), w.Client("B"), w.Client("C")
		send(c, "SET", "lock", "c", "PX", 1000)
		w.Sleep(5 * time.Millisecond)
		poll(a)
		poll(b)
		w.Sleep(time.Second)
	})
	require.Len(t, timeline.Steps, 8)
	for i, name := range []string{"A", "B"} {
		tries := timeline.Steps[2+i]
		require.Equal(t, name, tries.Client)
		require.Equal(t, 50, tries.Times)
		require.Equal(t, 5*time.Millisecond, tries.At)
		require.Equal(t, 985*time.Millisecond, tries.Last)
	}
	require.Equal(t, "1.005s SET lock a EX 60 NX → OK a, 60s left", lines(timeline)[len(lines(timeline))-3])
}

// A token that is new for each try makes no new line, and one that comes again does.
func TestTriesWithNewTokensAreCounted(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, b := w.Client("A"), w.Client("B")
		send(a, "SET", "lock", "a")
		first, second := rand.Text(), rand.Text()
		send(b, "SET", "lock", first, "NX")
		send(b, "SET", "lock", first, "NX")
		send(b, "SET", "lock", second, "NX")
		for range 400 {
			send(b, "SET", "lock", rand.Text(), "NX")
		}
		send(b, "SET", "lock", second, "NX")
		owner := rand.Text()
		for range 9 { // the first time, both are new
			send(b, "EXISTS", owner, rand.Text())
		}
	})
	require.Equal(t, []string{
		"0s SET lock a → OK a, no lease",
		"0s SET lock b… NX → nil ×403 until 0s a, no lease",
		"0s SET lock b#2 NX → nil a, no lease",
		"0s EXISTS b#403 b#404… → 0 ×9 until 0s a, no lease",
	}, lines(timeline))
}

// Of a long timeline the beginning and the end are shown, and what breaks the promise.
func TestShort(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		for i := range 100 {
			send(a, "SET", "lock", i)
			if i == 50 {
				w.Mark("fifty")
			}
		}
	})
	require.Equal(t, `time    A                                              lock
0s      SET lock 0 → OK                                0, no lease
0s      SET lock 1 → OK                                1, no lease
        … 48 steps are left out …
0s      SET lock 50 → OK                               50, no lease
        ! fifty
        … 46 steps are left out …
0s      SET lock 97 → OK                               97, no lease
0s      SET lock 98 → OK                               98, no lease
0s      SET lock 99 → OK                               99, no lease
`, timeline.Short(5))
	require.Equal(t, timeline.String(), timeline.Short(100))
}

// A remark, a fault, time in a lump or a change of the lock ends the counting.
func TestCountingEnds(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(w *faults.World, b *faults.Client){
		"a remark":     func(w *faults.World, _ *faults.Client) { w.Note("hm") },
		"a fault":      func(_ *faults.World, b *faults.Client) { b.Pause() },
		"time":         func(w *faults.World, _ *faults.Client) { w.Sleep(time.Second) },
		"the lock":     func(_ *faults.World, b *faults.Client) { send(b, "SET", "lock", "b") },
		"its lease":    func(_ *faults.World, b *faults.Client) { send(b, "PEXPIRE", "lock", 1000) },
		"another time": func(w *faults.World, _ *faults.Client) { w.Sleep(time.Nanosecond) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline := perform(t, func(w *faults.World) {
				a, b := w.Client("A"), w.Client("B")
				send(a, "SET", "lock", "a")
				send(a, "GET", "other")
				send(a, "GET", "other")
				between(w, b)
				send(a, "GET", "other")
			})
			require.Len(t, timeline.Steps, 4)
			require.Equal(t, 2, timeline.Steps[1].Times)
			require.Equal(t, 1, timeline.Steps[3].Times)
		})
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	for shown, commands := range map[string][][]any{
		"free":              {{"SET", "other", "x"}},
		"a, no lease":       {{"SET", "lock", "a"}},
		"a, 30s left":       {{"SET", "lock", "a", "EX", 30}},
		"a, 1.001s left":    {{"SET", "lock", "a", "PX", 1001}},
		"a, 12345.67s left": {{"SET", "lock", "a", "PX", 12345678}},
		"ann, 30s left":     {{"HSET", "lock", uuid, 1}, {"PEXPIRE", "lock", 30000}},
		"ann ×2, no lease":  {{"HSET", "lock", uuid, 2}},
		"a ×2 b, no lease":  {{"HSET", "lock", "b", 1, "a", 2, "", "bookkeeping"}},
		"2 keys: a, ann ×3": {{"SET", "lock:1", "a"}, {"HSET", "lock:2", uuid, 3}},
		"3 keys: a, b, c":   {{"MSET", "lock", "a", "lock:1", "b", "lock:1:2", "c", "a lock", "d"}},
		`"", no lease`:      {{"SET", "lock", ""}},
		"stock-…, 30s left": {{"SET", "lock", "stock-7:" + uuid, "PX", 30000}},
	} {
		timeline := perform(t, func(w *faults.World) {
			a := w.Client("Ann")
			for _, words := range commands {
				send(a, words...)
			}
		})
		last := lines(timeline)[len(timeline.Steps)-1]
		require.True(t, strings.HasSuffix(last, " "+shown), "%s\n%s", shown, timeline)
	}
}

// Without a key to watch there is no state to show.
func TestNothingToWatch(t *testing.T) {
	t.Parallel()
	timeline := performWith(t, faults.Options{}, func(w *faults.World) { send(w.Client("A"), "SET", "lock", "a") })
	require.Empty(t, timeline.Steps[0].After)
}

func TestMarks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play  func(w *faults.World) error
		shows []string
	}{
		"none": {
			func(w *faults.World) error { w.Note("n"); return w.Broken("sold twice") },
			[]string{"0s ── n ── free", "✗ sold twice"},
		},
		"by hand": {
			func(w *faults.World) error { w.Note("n"); w.Mark("two %s", "inside"); return w.Broken("sold twice") },
			[]string{"0s ── n ── free", "✗ two inside", "✗ sold twice"},
		},
		"the first stays": {
			func(w *faults.World) error { w.Note("n"); w.Mark("one"); w.Mark("two"); return w.Broken("sold twice") },
			[]string{"0s ── n ── free", "✗ one", "✗ sold twice"},
		},
		"beside the point": {
			func(w *faults.World) error { w.Note("n"); w.Mark("one"); return nil },
			[]string{"0s ── n ── free", "! one"},
		},
		"of nothing": {
			func(w *faults.World) error { w.Mark("one"); return w.Broken("sold twice") },
			[]string{"✗ sold twice"},
		},
		"of an error": {
			func(w *faults.World) error { w.Note("n"); return context.Canceled },
			[]string{"0s ── n ── free", "– context canceled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline, _ := faults.Run(watched, c.play)
			require.Equal(t, c.shows, lines(timeline))
		})
	}
}

// An observer sees each step once, with what was before it, and may mark it.
func TestObserve(t *testing.T) {
	t.Parallel()
	var seen []string
	timeline := perform(t, func(w *faults.World) {
		w.Observe(func(s *faults.Step) {
			for _, h := range s.Before {
				seen = append(seen, h.Value)
			}
			if len(s.Commands) > 0 && s.Commands[0][0] == "DEL" {
				s.Mark("gone")
			}
		})
		a := w.Client("A")
		send(a, "SET", "lock", "a")
		send(a, "GET", "lock")
		send(a, "GET", "lock")
		send(a, "DEL", "lock")
	})
	require.Equal(t, []string{"a", "a"}, seen)
	require.Equal(t, "gone", timeline.Steps[2].Broken)
}

// An EVALSHA that lacks its keys is shown all the same.
func TestShortEVALSHA(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		send(w.Client("A"), "EVALSHA", "abcdefghijklmnopqrstuvwxyz\x00\x00\x00")
	})
	require.NotPanics(t, func() { _ = timeline.String() })
}

func TestUnnamedScriptWithoutKeys(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		script := redis.NewScript("return 1")
		a.Do("script", func(ctx context.Context) {
			script.Run(ctx, a.Redis(), nil)
			script.Run(ctx, a.Redis(), nil)
		})
	})
	require.Equal(t, []string{
		"0s EVALSHA script e0e1f9f → NOSCRIPT free",
		"0s EVAL script e0e1f9f → 1 free",
		"0s script e0e1f9f → 1 free",
	}, lines(timeline))
	require.NotContains(t, timeline.String(), "  →")
}

// The SHA-1 of a script is no token.
func TestSumIsNoToken(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		a.Do("load", func(ctx context.Context) { release.Exists(ctx, a.Redis()) })
		send(a, "SET", "lock", uuid)
	})
	require.Equal(t, "0s SET lock a → OK a, no lease", lines(timeline)[1])
}

// The second token of A is not called as the first of A2.
func TestTokensHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a, a2 := w.Client("A"), w.Client("A2")
		send(a, "MSET", "x", uuid, "y", uuid2)
		send(a2, "SET", "z", base32)
	})
	require.NotEqual(t, timeline.Steps[0].Commands[0][4], timeline.Steps[1].Commands[0][2])
}

// What is too long for its column is cut or wrapped.
func TestWideLines(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(w *faults.World, a *faults.Client){
		"state": func(_ *faults.World, a *faults.Client) { send(a, "SET", "lock", "warehouse-7-worker-12", "EX", 30) },
		"keys": func(_ *faults.World, a *faults.Client) {
			send(a, "MSET", "lock:1", "ann", "lock:2", "bob", "lock:3", "cy")
		},
		"mark": func(w *faults.World, _ *faults.Client) { w.Note("n"); w.Mark("%s", strings.Repeat("and so on ", 10)) },
		"time": func(w *faults.World, a *faults.Client) { w.Sleep(12345678 * time.Microsecond); send(a, "PING") },
		"name": func(_ *faults.World, a *faults.Client) { send(a, "NO\nSUCH") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline := perform(t, func(w *faults.World) { play(w, w.Client("A")) })
			for line := range strings.Lines(timeline.String()) {
				require.LessOrEqual(t, utf8.RuneCountInString(line)-1, 72, line)
				require.NotRegexp(t, `\ds[^ \n]`, line)
			}
			require.NotContains(t, timeline.String(), "\nSUCH")
		})
	}
}

// Two leases that end at one instant are both named.
func TestTwoLeasesEnd(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) {
		a := w.Client("A")
		send(a, "SET", "lock:1", "a", "EX", 1)
		send(a, "SET", "lock:2", "a", "EX", 1)
		w.Sleep(2 * time.Second)
	})
	require.Contains(t, timeline.String(), "lock:1 ends")
	require.Contains(t, timeline.String(), "lock:2 ends")
}

// A list is no lock, and does not look like one.
func TestStateOfAList(t *testing.T) {
	t.Parallel()
	timeline := perform(t, func(w *faults.World) { send(w.Client("A"), "RPUSH", "lock", "a") })
	require.NotContains(t, timeline.String(), `""`)
}
