// Package watchdog renews the lease while you work.
//
// ExpiryMidBusiness forces it: no lease fits all work. Now the lease says how long
// your lock outlives you, and no longer how long you may work. A goroutine of the
// hold's own begins the lease again every third of it. It dies with the process,
// and then the lease ends, so a crashed holder blocks nobody (HolderGone).
//
// The watchdog stops with the last Unlock, which waits for a renewal under way, a
// second at most. One that is stuck for longer comes after the release, and prolongs
// nothing: it says which change took the lock that it means, and Redis refuses it
// once that lock is free, though you may have taken it again. The watchdog also stops
// when it finds the lock gone, and when no renewal got through for a whole lease; one
// that fails is tried again before that. It does not stop with the context that
// bounded your waiting. In the two bad cases [Lock.Lost] is closed. Select on it, and
// stop what can be stopped.
//
// Unlock works when your context is cancelled, because a deferred unlock often meets
// such a one (CancelledUnlock). It leaves the cancellation behind and has two seconds
// of its own, if your client has ContextTimeoutEnabled; without that, go-redis waits
// as long as its ReadTimeout, five seconds by default. What could not be freed ends
// with its lease. Lost is in time with either.
//
// LostReply ends here: each entry and each inner unlock has a name, and one that
// go-redis sends twice counts once. Two things are left:
//
//   - An entry of which nobody knows whether it happened is taken back. It may reach
//     Redis only after that. If the lock is free then, it is taken, by nobody, until its
//     lease ends. If you have locked again, the entry counts, and your last Unlock leaves
//     the lock behind until its lease ends. No watchdog renews either.
//   - The last unlock leaves nothing that could remember it. If its reply is lost, the
//     repetition finds no lock, and you get ErrNotHeld although it was you who freed
//     it. Lost stays open: it tells only of what was lost before.
//
// An Unlock of a handle that has no entry left asks nobody, and says ErrNotHeld. In
// v6_reentrant_hash it could free the lock of the caller.
//
// It costs one command to take, one to free, and one for each third of the lease in
// between, for each handle that is inside.
//
// What still breaks it is StopTheWorld. Your process sleeps through its lease, and its
// watchdog with it, and writes when it wakes up. Lost tells you afterwards. A watchdog
// is no fence: what a late writer must not destroy has to refuse it by itself.
//
// See it:
//
//	go test ./v7_watchdog -run ExpiryMidBusiness
package watchdog
