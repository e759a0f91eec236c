package lockstep

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHunks(t *testing.T) {
	t.Parallel()
	text := func(s string) []string { return strings.SplitAfter(s, " ") }
	require.Empty(t, hunks(edits(text("a b c"), text("a b c"))))
	require.Equal(t,
		[]string{"@@ -1,4 +1,4 @@\n-a +A  b  c  d ", "@@ -9,4 +9,5 @@\n i  j  k +K  l"},
		hunks(edits(text("a b c d e f g h i j k l"), text("A b c d e f g h i j k K l"))))
}

func TestDiffOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, paths := range [][2]string{{"v9_magic/lock.go", "v4_owner/lock.go"}, {"v4_owner/lock.go", "v9_magic/lock.go"}} {
		_, err := Diff(paths[0], paths[1])
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

// The last line of a learner's file may have no end.
func TestChangesOfALineWithoutAnEnd(t *testing.T) {
	const want = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+two\n\\ No newline at end of file\n"
	if got := Changes("a", "one\ntwo\n", "b", "one\ntwo"); got != want {
		t.Errorf("got:\n%s", got)
	}
}
