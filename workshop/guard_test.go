package workshop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of all that Go prints of goroutines, a learner needs their own lines.
func TestPlaces(t *testing.T) {
	t.Parallel()
	const here = "/home/anna/lockstep/"
	require.Equal(t, []string{
		"TryLock, exercises/e4_owner/lock.go:51", "wait, exercises/e4_owner/wait.go:9", "init, exercises/e4_owner/lock.go",
	}, Places("goroutine 7 [running]:\n"+
		"time.Sleep(0x1)\n\t/usr/lib/go/src/time/sleep.go:1 +0x1\n"+
		"lockstep/exercises/e4_owner.(*Lock).TryLock.func1(0xc0001)\n\t"+here+"exercises/e4_owner/lock.go:51 +0x1\n"+
		"lockstep/exercises/e4_owner.(*Lock).Lock(0xc0001)\n\t"+here+"exercises/e4_owner/lock.go:70 +0x1\n\n"+
		"goroutine 8 [select]:\n"+
		"lockstep/exercises/e4_owner.(*Lock).TryLock.func1(0xc0002)\n\t"+here+"exercises/e4_owner/lock.go:51 +0x1\n\n"+
		"goroutine 9 [select]:\n"+
		"lockstep/exercises/e4_owner.wait()\n\t"+here+"exercises/e4_owner/wait.go:9 +0x1\n\n"+
		"goroutine 10 [select]:\n"+
		"lockstep/exercises/e4_owner.TestMisDelete(0xc)\n\t"+here+"exercises/e4_owner/lock_test.go:9 +0x1\n\n"+
		"goroutine 1 [running]:\n"+
		"lockstep/exercises/e4_owner.init.0()\n\t"+here+"exercises/e4_owner/lock.go:1 +0x1\n"))
}
