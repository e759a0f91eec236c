// Package luarelease looks and deletes in one step.
//
// GCPause forces it. v4_owner asks for the owner with one command and deletes with
// another, and what lies between the two can be as long as a lease. So the comparison
// moves to where the key is. Redis runs a script as one: no other client's command
// comes in between. A release that go-redis sends again looks again (RetriedDelete).
//
// It costs one command to take and one to free, one less than v4. The script goes
// as its SHA-1 (EVALSHA). A server that doesn't know it says NOSCRIPT, and go-redis
// sends the whole text (EVAL): the first time, and again after a restart, a failover or
// SCRIPT FLUSH, because scripts are not kept with the data.
//
// One step is not all or nothing. A script that fails half-way is not rolled back:
// what it has written stays. That is why this one reads first and writes last.
//
// [WatchLock] does the same without Lua, as the fourth article does: WATCH, GET, and
// MULTI, DEL, EXEC, which does nothing if the key has changed since WATCH. Take the
// script where you can: one round trip, no loop. Take the transaction where scripts
// are not allowed, or where the decision needs what only the client knows: three round
// trips on one connection, and another look whenever the key changes under it.
//
// Newer servers have a command for it, and then you need neither:
//
//	DELEX lock:stock IFEQ token     Redis 8.4
//	DELIFEQ lock:stock token        Valkey 9.0
//
// What still breaks it:
//
//   - Reentry: the holder calls what locks again, and waits for itself. v6_reentrant_hash.
//   - ExpiryMidBusiness, LostReply, CancelledUnlock: v7_watchdog. StopTheWorld: no lease
//     survives it.
//
// See it:
//
//	go test ./v5_lua_release -run GCPause
package luarelease
