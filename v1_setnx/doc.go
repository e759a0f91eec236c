// Package setnx is the first lock that all your servers share: a key in Redis.
//
// TwoServers forces it. A mutex keeps the goroutines of one process apart. Your
// service runs twice behind a load balancer, and both sell the last item, each
// under a mutex of its own.
//
// So the lock moves to where both look. Whoever creates the key holds the lock,
// and deletes the key to give it back. Redis does one command after the other:
// of two clients that ask at once, one gets it. The articles send SETNX. Here,
// go-redis's SetNX without an expiration sends
//
//	SET lock:stock token NX
//
// which does the same. SETNX has counted as deprecated since Redis 2.6.12, and has no
// room for a lease. This lock has none: it stays until somebody deletes it. Your
// unlock is deferred, so that neither an error nor a Panic leaves the lock behind.
//
// It costs one command to take and one to free. Every waiter asks again each 20 ms,
// whether anything has changed or not, and nobody is next in line.
//
// What still breaks it:
//
//   - RecursionOverflow: a waiter calls itself for each try, and every call stays
//     on its stack. v2_spin repairs that.
//   - Crash, HolderGone: the holder dies, and its lock stays for ever. v3_expire.
//   - ForeignUnlock: anybody's Unlock deletes anybody's lock. v4_owner.
//   - Reentry: the holder waits for itself. v6_reentrant_hash.
//   - LostReply: when its connection breaks, go-redis sends a command again, up to
//     three times. Had Redis done the first, the lock is taken: by you. v7_watchdog.
//     A DEL that comes twice hits the next holder (RetriedDelete). v5_lua_release.
//   - CancelledUnlock: a context that is over takes the unlock along. v7_watchdog.
//
// See it:
//
//	go test ./v1_setnx -run TwoServers
package setnx
