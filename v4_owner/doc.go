// Package owner looks whose lock it is before it deletes it.
//
// MisDelete forces it. A works longer than its lease, B takes the lock, and A, done
// at last, deletes it: C walks in beside B. The key has always had a value, and
// now somebody reads it. Each handle has a random token, Lock writes it, and
// Unlock deletes only what carries it.
//
// The token must be unique among all clients. The number of a thread is not:
// every process has a thread 1 (OwnerCollision). The third article puts a UUID
// before the number. Here it is the text of crypto/rand.
//
// From here on Unlock tells you when there was nothing of yours to unlock:
// ErrNotHeld, to be tested with errors.Is. Don't throw it away. As a rule it says that
// your lock ended before your work did, and that what you wrote since may be wrong.
//
// It costs one command to take, as before, and two to free: GET, DEL.
//
// What still breaks it:
//
//   - GCPause: between GET and DEL your process stops, the lease ends, and B takes
//     the lock. You saw your own token, and delete B's. v5_lua_release repairs it.
//   - RetriedDelete: the reply to your DEL is lost, and go-redis sends it again,
//     without a look. By then the lock is B's. v5_lua_release.
//   - ExpiryMidBusiness: the token keeps you from deleting B's lock, not from being
//     inside beside B. v7_watchdog.
//   - Reentry: v6_reentrant_hash. LostReply, CancelledUnlock: v7_watchdog.
//   - StopTheWorld: no lease survives it.
//
// See it:
//
//	go test ./v4_owner -run MisDelete
package owner
