package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text that names a command which is not there is the worst of guides. So all
// that the command tells people to run is run here.
func TestWhatToRunNextRuns(t *testing.T) {
	skipTexts(t)
	t.Parallel()
	texts := []string{start()}
	for _, args := range [][]string{
		{"show", "MisDelete"},
		{"show", "MisDelete", "v2"},
		{"seckill", "v0", "--buyers", "4"},
		{"seckill", "v0", "--instances", "1"},
		{"seckill", "v1", "--buyers", "4"},
		{"seckill", "v3", "--buyers", "4"},
		{"seckill", "v3", "--buyers", "4", "--lease", "9ms"},
		{"seckill", "v7", "--buyers", "2", "--lease", "9ms"},
		{"seckill", "shared_owner", "--buyers", "4"},
	} {
		texts = append(texts, prints(t, args))
	}
	// Two spaces end the command that a line names.
	hint := regexp.MustCompile(regexp.QuoteMeta(self()) + ` (\S+(?: \S+)*)`)
	seen := map[string]bool{}
	for _, text := range texts {
		found := hint.FindAllStringSubmatch(text, -1)
		require.NotEmpty(t, found, text)
		for _, m := range found {
			// Exercises run what a learner has written; see
			// TestExercisesNameCommandsThatAreThere.
			if !seen[m[1]] && m[1] != "exercise" {
				seen[m[1]] = true
				prints(t, append(strings.Fields(m[1]), smaller(m[1])...))
			}
		}
	}
}

// smaller are flags that make a search as short as a test should be.
func smaller(command string) []string {
	if !strings.HasPrefix(command, "explore") {
		return nil
	}
	return []string{"--slow", "2", "--crashes", "0", "--lost", "0"}
}

// A schedule may be longer than what a game can be asked for. Then no game is named.
func TestTooLongToPlayOn(t *testing.T) {
	t.Parallel()
	require.Contains(t, prints(t, []string{"replay", "v7", "A" + strings.Repeat(".", 1000)}), "play v7 --slow 1000")
	require.NotContains(t, prints(t, []string{"replay", "v7", "A" + strings.Repeat(".", 1001)}), "play v7")
}

// prints is what the command writes, which must succeed.
func prints(t *testing.T, args []string) string {
	t.Helper()
	var out, errs strings.Builder
	require.Zero(t, run(args, strings.NewReader(""), &out, &errs), "lockstep %s: %s", strings.Join(args, " "), &errs)
	return out.String()
}

var inDocument = regexp.MustCompile("go run \\./cmd/lockstep((?: [^\\s#`|]+)*)")

// So it is with the documents, whose commands are only looked up: docs would
// write to them.
func TestDocumentsNameCommandsThatAreThere(t *testing.T) {
	t.Parallel()
	seen := 0
	for path, text := range texts(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		for _, m := range inDocument.FindAllStringSubmatch(text, -1) {
			seen++
			cmd, rest, err := command().Find(strings.Fields(m[1]))
			require.NoError(t, err, "%s: %s", path, m[0])
			cmd.SetOut(io.Discard)
			require.NoError(t, cmd.ParseFlags(rest), "%s: %s", path, m[0])
			require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), "%s: %s", path, m[0])
		}
	}
	require.NotZero(t, seen)
}
