// Package spin waits in a loop.
//
// RecursionOverflow forces it. A waiter of v1_setnx calls itself for each try,
// as the first article does, and each call leaves a frame on the stack. Go grows
// that stack as far as its limit, 1 GB on a 64-bit system, and then ends the
// program. No recover helps: a stack overflow in Go is no panic. The whole
// process dies, with every other request in it, and with every lock that those
// held. None of them reaches its deferred unlock.
//
// A loop needs one frame, however long you wait. Lock tries, sleeps for 20 ms or
// until its context is over, and tries again. Nothing else has changed:
//
//	diff v1_setnx/lock.go v2_spin/lock.go
//
// It costs what v1 costs: one command to take, one to free, and each waiter sends
// fifty a second meanwhile. Shorter sleeps mean more load, longer ones a lock that
// lies idle. To be woken up instead of asking is a story for later.
//
// What still breaks it:
//
//   - Crash, HolderGone: a holder that dies keeps its lock for ever, and now its
//     waiters wait for ever too, in good health. v3_expire repairs that.
//   - ForeignUnlock: anybody's Unlock deletes anybody's lock. v4_owner.
//   - RetriedDelete: v5_lua_release. Reentry: v6_reentrant_hash. LostReply,
//     CancelledUnlock: v7_watchdog.
//
// Note what does not break it: ExpiryMidBusiness. A lock without a lease is never
// lost in the middle of your work. Each stage with a lease pays for Crash with
// that, until v7_watchdog has both.
//
// See it, and see it for real in a process of its own that dies:
//
//	go test ./v2_spin -run RecursionOverflow
package spin
