package hazards

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	// Worlds live for a millisecond, and these tests make them by the ten
	// thousand: let the garbage of many be collected at once.
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
