package lockstep

import (
	"fmt"
	"slices"
	"strings"
)

// Diff is what changes from one file of Sources to another, as diff -u has it:
// with the fewest lines, and three around them that stay.
func Diff(was, is string) (string, error) {
	old, err := Sources.ReadFile(was)
	if err != nil {
		return "", err
	}
	now, err := Sources.ReadFile(is)
	if err != nil {
		return "", err
	}
	return Changes(was, string(old), is, string(now)), nil
}

// Changes is what changes from one text to another, as Diff has it, under the
// names of the two. It takes time and memory for each pair of their lines.
func Changes(wasName, was, isName, is string) string {
	all := edits(lines(was), lines(is))
	return "--- " + wasName + "\n+++ " + isName + "\n" + strings.Join(hunks(all), "")
}

// lines splits a text. A last line without an end says so, as diff has it.
func lines(text string) []string {
	all := slices.Collect(strings.Lines(text))
	if len(all) > 0 && !strings.HasSuffix(text, "\n") {
		all[len(all)-1] += "\n\\ No newline at end of file\n"
	}
	return all
}

// edit is one line of a diff: kept (' '), taken away ('-') or added ('+').
type edit struct {
	op   byte
	line string
}

// edits turns one text into another with the fewest lines changed.
func edits(was, is []string) []edit {
	// common[i][j] is the length of the longest common subsequence of was[i:]
	// and is[j:].
	common := make([][]int, len(was)+1)
	for i := range common {
		common[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if was[i] == is[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var all []edit
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			all = append(all, edit{' ', was[i]})
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && common[i+1][j] >= common[i][j+1]:
			all = append(all, edit{'-', was[i]})
			i++
		default:
			all = append(all, edit{'+', is[j]})
			j++
		}
	}
	return all
}

// around is how many kept lines a hunk has on either side.
const around = 3

// hunks writes out the parts of a diff in which something changes.
func hunks(all []edit) []string {
	var out []string
	var hunk strings.Builder
	var was, is int                  // lines of either text that came before
	var start, wasStart, isStart int // of the hunk
	last := -1                       // the last change of the hunk; -1 outside of hunks
	end := func(to int) {
		for _, e := range all[start:to] {
			hunk.WriteString(string(e.op) + e.line)
		}
		wasLen, isLen := 0, 0
		for _, e := range all[start:to] {
			wasLen += count(e.op != '+')
			isLen += count(e.op != '-')
		}
		out = append(out, fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", wasStart+1, wasLen, isStart+1, isLen, hunk.String()))
		hunk.Reset()
		last = -1
	}
	for i, e := range all {
		if last >= 0 && i-last > 2*around {
			end(last + around + 1)
		}
		if e.op != ' ' {
			if last < 0 {
				start = max(0, i-around)
				wasStart, isStart = was-(i-start), is-(i-start)
			}
			last = i
		}
		was += count(e.op != '+')
		is += count(e.op != '-')
	}
	if last >= 0 {
		end(min(len(all), last+around+1))
	}
	return out
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
