package workshop

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// realLimit is how long a check may take by the clock on the wall. Most take
	// milliseconds, because time in a play is fake.
	realLimit = 20 * time.Second

	// mostMemory is what the locks of a check may keep, in bytes.
	mostMemory = 1 << 30

	// lookEvery is how often the guard looks at the memory, in real time.
	lookEvery = 50 * time.Millisecond
)

// guard ends the program, and says why, when a check takes too long or too much
// memory: code that spins can't be stopped in any other way. What it returns
// ends the guard.
func guard(check string) (end func()) {
	done := make(chan struct{})
	go func() { // ends with the check
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		tooLong := time.After(realLimit)
		for {
			select {
			case <-done:
				return
			case <-tooLong:
				giveUp(check, fmt.Sprintf("after %v of real time it is still running. Fake time can't pass while code "+
					"spins without a sleep, or waits for a mutex; and a goroutine that goes on for ever never lets a play end", realLimit))
			case <-look.C:
				if inUse() > mostMemory {
					giveUp(check, fmt.Sprintf("it keeps more than %d MB of memory", mostMemory>>20))
				}
			}
		}
	}()
	return func() { close(done) }
}

// giveUp says what is wrong, shows where everybody is, and ends the program.
func giveUp(check, why string) {
	fmt.Fprintf(os.Stderr, "\n%s: ✗ %s.\nThe checks after it were not run.\n\n", check, why)
	debug.SetTraceback("all")
	panic("workshop: " + check + " was given up")
}

// inUse is the memory on the heap, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
