package workshop

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"
)

const (
	// realLimit is how long a check may take by the clock on the wall. Most take
	// milliseconds, because time in a play is fake.
	realLimit = 10 * time.Second

	// mostMemory is what the locks of a check may keep, in bytes.
	mostMemory = 1 << 30

	// lookEvery is how often the guard looks at the memory, in real time.
	lookEvery = 50 * time.Millisecond

	// deepest is the stack that a goroutine may have, in bytes: enough for every
	// recursion that ends, and little to print of one that doesn't.
	deepest = 16 << 20
)

// PatienceEnv is the environment variable that gives checks another limit of real
// time, like "2s".
const PatienceEnv = "LOCKSTEP_PATIENCE"

// patience is how long a check may take by the clock on the wall.
func patience() time.Duration {
	if limit, err := time.ParseDuration(os.Getenv(PatienceEnv)); err == nil && limit > 0 {
		return limit
	}
	return realLimit
}

// guard ends the program, and says why, when a check takes too long or too much
// memory: code that spins can't be stopped in any other way. What it returns
// ends the guard.
func guard(check string) (end func()) {
	debug.SetMaxStack(deepest)
	limit := patience()
	done := make(chan struct{})
	go func() { // ends with the check
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		tooLong := time.After(limit)
		for {
			select {
			case <-done:
				return
			case <-tooLong:
				giveUp(check, fmt.Sprintf("after %v of real time it is still running. Fake time can't pass while code "+
					"spins without a sleep, or waits for a mutex; and a goroutine that goes on for ever never lets a play end", limit))
			case <-look.C:
				if inUse() > mostMemory {
					giveUp(check, fmt.Sprintf("it keeps more than %d MB of memory", mostMemory>>20))
				}
			}
		}
	}()
	return func() { close(done) }
}

// giveUp says what is wrong and where in the learner's code that is, and ends the
// program.
func giveUp(check, why string) {
	fmt.Fprintf(os.Stderr, "\n%s: ✗ %s.\n", check, why)
	for _, place := range places() {
		fmt.Fprintf(os.Stderr, "    It is at %s\n", place)
	}
	fmt.Fprint(os.Stderr, "The checks after it were not run.\n\n")
	os.Exit(1)
}

// mostStacks is how much is looked at of what the goroutines do, in bytes.
const mostStacks = 1 << 20

// inExercise is a place in the code of an exercise, in a stack: the file after
// the folder of the exercises, and the line.
var inExercise = regexp.MustCompile(`exercises/(\w+/\w+\.go:\d+)`)

// places are where the goroutines are that run the learner's code, the innermost
// place of each.
func places() []string {
	stacks := make([]byte, mostStacks)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var all []string
	for goroutine := range strings.SplitSeq(string(stacks), "\n\n") {
		m := inExercise.FindStringSubmatch(goroutine)
		if m != nil && !strings.Contains(m[1], "_test.go") && !slices.Contains(all, m[1]) {
			all = append(all, m[1])
		}
	}
	return all
}

// inUse is the memory on the heap, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
