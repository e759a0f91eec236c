// Package wakeup waits for the lock without asking again and again.
//
// All stages poll. A waiter sends fifty commands a second, and a lock that comes
// free is noticed ten milliseconds later, on average. With a hundred waiters Redis
// answers five thousand times a second that nothing has changed. Here the holder's
// unlock publishes a message, in the script that deletes the key, and waiters listen
// for it: they send nothing while they wait, and come as soon as they are called.
// Otherwise this is v5_lua_release.
//
// A message in Redis is heard by those who listen at that moment, and by nobody
// else. Three things follow, and a lock that forgets one of them sleeps for ever:
//
//   - Listen first, and try after that. A lock that comes free between the try and
//     the subscription calls, and you are not there yet (MissedCall).
//   - A holder that dies calls nobody. So a waiter asks how long the lease lasts, and
//     comes back by itself when that is over (SilentEnd).
//   - A broken connection loses calls. go-redis subscribes again, and says nothing;
//     then the end of the lease is what wakes you.
//
// It costs a connection for each waiter, and two commands to lie down: SUBSCRIBE and
// PTTL. A call wakes all who wait, and all but one lie down again; who was first does
// not count. Redisson waits like this. A queue in Redis would be fair, and has to be
// cleaned up after the dead.
//
// See it:
//
//	go test ./beyond/wakeup
package wakeup
