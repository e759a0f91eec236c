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
	"sync"
	"time"
)

const (
	// realLimit is how long a check may take by the clock on the wall. Most take
	// milliseconds, because time in a play is fake.
	realLimit = 10 * time.Second

	// mostMemory is what the program may have in use, in bytes.
	mostMemory = 1 << 30

	// lookEvery is how often the guard looks at the memory, in real time. Code
	// that does nothing else takes some 50 MB meanwhile.
	lookEvery = 10 * time.Millisecond

	// deepest is the stack that a goroutine may have, in bytes: enough for every
	// recursion that ends, and little to print of one that doesn't.
	deepest = 16 << 20
)

// PatienceEnv is the environment variable that gives checks another limit of real
// time, like "2s". Where it is set, the program as a whole is guarded too: before
// its first check, functions called init run, and need not end.
const PatienceEnv = "LOCKSTEP_PATIENCE"

// patience is how long a check may take by the clock on the wall.
func patience() time.Duration {
	if limit, err := time.ParseDuration(os.Getenv(PatienceEnv)); err == nil && limit > 0 {
		return limit
	}
	return realLimit
}

// begun says that the first check begins.
var begun = func() {}

func init() {
	if os.Getenv(PatienceEnv) != "" {
		begun = sync.OnceFunc(guard("Before the first check"))
	}
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
				giveUp(check, fmt.Sprintf("after %v of real time it is still running. It takes very many steps, with no sleep "+
					"between them or a very short one; or it waits for a mutex, and fake time can't pass; "+
					"or a goroutine that goes on for ever never lets a play end", limit))
			case <-look.C:
				if inUse() > mostMemory {
					giveUp(check, fmt.Sprintf("it has more than %d MB of memory in use", mostMemory>>20))
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
	stacks := make([]byte, mostStacks)
	for _, place := range Places(string(stacks[:runtime.Stack(stacks, true)])) {
		fmt.Fprintf(os.Stderr, "It is in %s\n", place)
	}
	fmt.Fprint(os.Stderr, "The checks after it were not run.\n\n")
	os.Exit(1)
}

const (
	mostStacks = 1 << 20 // bytes that are looked at of what the goroutines do
	mostPlaces = 3       // a reader looks at one, and then at the next
)

// inExercise is a place in the code of an exercise, in a stack: the function, the
// file and the line.
var inExercise = regexp.MustCompile(`exercises[/\\]\w+\.(?:\(\*?\w+\)\.)?(\w+).*\n\s+\S*(exercises[/\\]\w+[/\\]\w+\.go)(:\d+)`)

// Places finds where a program is in the code of exercises, in what Go prints of
// its goroutines: the innermost place of each, as
// "TryLock, exercises/e4_owner/lock.go:50".
func Places(stacks string) []string {
	var all []string
	for goroutine := range strings.SplitSeq(stacks, "\n\n") {
		for _, m := range inExercise.FindAllStringSubmatch(goroutine, -1) {
			function, file, line := m[1], m[2], m[3]
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			if line == ":1" { // of a loop that does nothing, Go does not know the line
				line = ""
			}
			if place := function + ", " + file + line; !slices.Contains(all, place) && len(all) < mostPlaces {
				all = append(all, place)
			}
			break
		}
	}
	return all
}

// inUse is the memory of the heap and of all stacks, in bytes.
func inUse() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
