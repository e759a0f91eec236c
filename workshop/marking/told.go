package marking

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lockstep/workshop"
)

// mark is the mark for what was told of an exercise.
func (r *result) mark(e workshop.Exercise) Mark {
	mark := Mark{Exercise: e.Name, Outcome: Passes}
	if r.unbuilt != nil {
		mark.Outcome, mark.Said = DoesNotBuild, compiled(r.unbuilt.String(), e)
		return mark
	}
	early := r.cut != ""
	for _, c := range e.Checks() {
		check := Check{Name: c.Name, Outcome: NotRun}
		switch ended := r.ended[c.Name]; {
		case ended == "pass" && r.sealed[c.Name]:
			check.Outcome = Passes
		case ended == "fail":
			check.Outcome, check.Said = Fails, spoken(r.said[c.Name])
			mark.Outcome = Fails
		default:
			early = true
		}
		mark.Checks = append(mark.Checks, check)
	}
	if early || r.failed && mark.Outcome == Passes {
		mark.Outcome, mark.Said = GaveUp, r.end()
	}
	return mark
}

// longestWords is how much is told of what a program printed before it ended, in
// lines.
const longestWords = 12

// end says how the program ended, when that was not by itself or too early: first
// why, then what else it printed.
func (r *result) end() string {
	said := spoken(r.said[""])
	if r.last != "" {
		said = strings.TrimSpace(spoken(r.said[r.last]) + "\n" + said)
	}
	if r.cut != "" {
		return strings.TrimSpace(r.cut + " " + r.when() + ".\n" + firstLines(said))
	}
	if at := why.FindStringIndex(said); at != nil { // it says so itself
		itself := said[at[0]:]
		if crashed.MatchString(itself) {
			itself = strings.TrimSpace(itself) + "\nThat was " + r.when() + "."
		}
		return strings.TrimSpace(itself + "\n\n" + lastLines(said[:at[0]]))
	}
	return strings.TrimSpace(fmt.Sprintf("the program ended %s: a lock must not end it (os.Exit, log.Fatal), nor close its output.\n%s", r.when(), lastLines(said)))
}

// when is at which check the program ended, in words.
func (r *result) when() string {
	switch {
	case r.sealed[r.last]:
		return "after " + r.last
	case r.last != "":
		return "in the middle of " + r.last
	}
	return "before the first check"
}

func firstLines(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= longestWords {
		return text
	}
	return strings.Join(lines[:longestWords], "\n") + "\n…"
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) <= longestWords {
		return strings.Join(lines, "\n")
	}
	return "…\n" + strings.Join(lines[len(lines)-longestWords:], "\n")
}

// copied is the folder with the copies that the compiler saw.
var copied = regexp.MustCompile(`\S*lockstep-marking-\d+[/\\]`)

// elsewhere finds the exercise that a compiler's line is about.
var elsewhere = regexp.MustCompile(`^exercises[/\\](\w+)[/\\]`)

// notForLearners are how lines begin that say nothing of their code: headings,
// and what to do about modules.
var notForLearners = []string{"# ", "\tcd ", "\tgo get ", "\t(Go version in go.work "}

// compiled is what the compiler said of an exercise: without the headings of go
// test and its advice on modules, and of the learner's files in place of the
// copies.
func compiled(text string, e workshop.Exercise) string {
	var kept []string
	for line := range strings.Lines(copied.ReplaceAllString(text, "exercises/")) {
		line = strings.TrimSuffix(strings.TrimRight(line, "\n"), "; to add it:")
		if m := elsewhere.FindStringSubmatch(line); m != nil && m[1] != e.Name {
			continue // two exercises have the same mistake
		}
		if slices.ContainsFunc(notForLearners, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
			continue
		}
		line, _, _ = strings.Cut(line, " in "+"/") // found packages a and b in a folder of the marker's
		kept = append(kept, line)
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

var (
	// crashed is how Go begins to tell that a program can't go on.
	crashed = regexp.MustCompile(`(?m)^(?:panic: |fatal error: |runtime: goroutine stack exceeds )`)
	// why is that, or how the guard of package workshop does.
	why = regexp.MustCompile(crashed.String() + `|(?m)^[\w ]+: ✗ `)
	// stacks is where Go begins to tell what all goroutines did.
	stacks = regexp.MustCompile(`(?m)^(?:goroutine \d.*|runtime stack):$`)
)

// spoken is what a test printed, without the lines that go test adds and the
// indentation of the rest. Of a crash the stacks are left out, which can be very
// long, but for the places in the learner's code.
func spoken(x *excerpt) string {
	var kept []string
	for line := range strings.Lines(x.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") || line == "FAIL" || line == "PASS" ||
			strings.HasPrefix(line, "FAIL\t") || strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "exit status ") {
			continue
		}
		kept = append(kept, strings.TrimPrefix(line, "    "))
	}
	said := strings.Join(kept, "\n")
	if crashed.MatchString(said) {
		if at := stacks.FindStringIndex(said); at != nil {
			said = strings.TrimSpace(said[:at[0]]) + "\n"
			for _, place := range workshop.Places(x.String()) {
				said += "It is in " + place + "\n"
			}
		}
	}
	return strings.Trim(said, "\n ")
}
