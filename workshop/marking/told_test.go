package marking

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"lockstep/workshop"
)

// What brings a program down is told with the check in which it did. The checks
// that failed before it are kept: what they say may well be why.
func TestEarlyEnd(t *testing.T) {
	t.Parallel()
	told := func(lines ...string) Mark {
		l := newLog("seal")
		for _, line := range lines {
			action, rest, _ := strings.Cut(line, " ")
			check, output, _ := strings.Cut(rest, " ")
			l.take(event{Action: action, Package: "e7", Test: "Test" + check, Output: output + "\n"})
		}
		return l.of("e7").mark(workshop.E7)
	}
	begin := []string{
		"run ExpiryMidBusiness", "output ExpiryMidBusiness A sold twice", "fail ExpiryMidBusiness",
		"run CancelledUnlock",
	}

	mark := told(append(begin, "output CancelledUnlock panic: oh", "output CancelledUnlock goroutine 7 [running]:")...)
	require.Equal(t, GaveUp, mark.Outcome)
	require.Equal(t, "panic: oh\nThat was in the middle of CancelledUnlock.", mark.Said)
	require.Equal(t, []Check{{Name: "ExpiryMidBusiness", Outcome: Fails, Said: "A sold twice"}}, mark.Broken())

	mark = told(append(begin, "output CancelledUnlock CancelledUnlock: ✗ it takes too long.")...)
	require.Equal(t, "CancelledUnlock: ✗ it takes too long.", mark.Said)

	require.Contains(t, told(begin...).Said, "the program ended in the middle of CancelledUnlock")
}
