// Package reentrant lets the holder in again, and counts.
//
// Reentry forces it. The holder calls a function that takes the same lock, and
// waits for itself until its lease ends. To let the owner in is not enough: the
// function's unlock would free the lock of its caller (InnerUnlock). So the key is
// a hash with one field, the owner, and its count. Lock adds one and begins the
// lease again. Unlock takes one off, and the last deletes the key.
//
// Who is "the owner"? The articles ask Java for the thread (uuid:threadId). Go has
// no thread identity that a program could ask for, and that is just as well: you
// say it. New takes the owner, and a [Factory] stands for one flow of control and
// gives all its locks the same one. Make a factory for each request and pass it
// along like a context. One lock in a field of the service makes all requests one
// owner, and lets them all in (SharedOwner). A thread's name in the key makes a
// lock for each (ThreadNamedKey). A kind that the factory doesn't have is an
// error, never a nil lock.
//
// It costs one command to take and one to free, both scripts.
//
// Don't share a key between this stage and one that keeps a string. SET NX on a
// hash answers nil, which looks like "taken", and hides the mistake. The other way
// round you get Redis's WRONGTYPE.
//
// What still breaks it:
//
//   - ExpiryMidBusiness: your work outlives the lease. v7_watchdog repairs that.
//   - LostReply: go-redis sends a script again whose reply was lost, and one entry
//     counts twice: the last Unlock leaves the lock behind. An inner Unlock that counts
//     twice frees the outer's lock. v7_watchdog. CancelledUnlock: v7_watchdog.
//   - One Unlock too many, of an inner handle, frees the outer's lock: Redis counts for
//     the owner, and not for the handle. v7_watchdog.
//   - StopTheWorld: no lease survives it.
//
// See it:
//
//	go test ./v6_reentrant_hash -run Reentry
package reentrant
