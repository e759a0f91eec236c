package workshop

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	// A world passes from goroutine to goroutine all the time, which costs least
	// on one processor; and it lives for a millisecond, so let the garbage of many
	// be collected at once.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
