package stages_test

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	// A world lives for milliseconds and leaves much behind: let the garbage of many
	// be collected at once.
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
