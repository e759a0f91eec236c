package workshop

import (
	"fmt"
	"os"
)

// SealEnv is the environment variable with the seal of a marker: a word that
// stands beside each check that passed. What a learner's program prints looks
// like a pass easily, and without the word it is none.
const SealEnv = "LOCKSTEP_SEAL"

// seal is the marker's word; empty if nobody marks. It is taken before the
// learner's code begins to run, because the exercises' tests import this package.
var seal = taken(SealEnv)

// Sealed is the line that says that a check passed.
func Sealed(seal, check string) string { return fmt.Sprintf("%s passed %s", seal, check) }

// taken reads an environment variable that nobody is to read again.
func taken(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name) // it fails for an impossible name
	return value
}
