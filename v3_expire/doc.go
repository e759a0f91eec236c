// Package expire gives the lock a lease: a time after which Redis drops the key
// by itself.
//
// Crash forces it. The holder dies before its deferred unlock, and nobody else
// can know that its lock is meant for nobody any more. With a lease, Redis knows.
//
// Lock and lease go in one command. SETNX and then EXPIRE, as in the fourth
// article, is a crash away from a lock without a lease (TwoCommands). go-redis
// sends whole seconds as EX, and any other lease in milliseconds, as PX:
//
//	SET lock:stock token EX 30 NX
//	SET lock:stock token PX 1500 NX
//
// New is strict about the lease, because go-redis is not. It takes 0 for none and
// -1 ns for KEEPTTL, which on a new key is none either. Less than a millisecond
// becomes one, with a line in the log, and what is over whole milliseconds is cut
// off. Cutting to whole seconds makes 999 ms nothing at all (LeaseTruncated).
//
// It costs what v2 costs, and a question: how long? A short lease ends while you
// work. After a crash everybody waits for the rest of a long one.
//
// What still breaks it:
//
//   - MisDelete: you work longer than your lease, somebody else takes the lock,
//     and your Unlock deletes it. v4_owner repairs that.
//   - ForeignUnlock: so does the Unlock of one who never held it. v4_owner.
//   - ExpiryMidBusiness: two are inside as soon as the lease ends. v7_watchdog.
//   - RetriedDelete: v5_lua_release. Reentry: v6_reentrant_hash. LostReply,
//     CancelledUnlock: v7_watchdog.
//   - StopTheWorld: you sleep through the end of your lease, and then write. No lease
//     survives that. v1 and v2 do, because they have none, and pay with Crash.
//
// See it:
//
//	go test ./v3_expire -run Crash
package expire
