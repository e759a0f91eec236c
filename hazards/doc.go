// Package hazards is the catalogue of the ways in which a lock on Redis breaks:
// one hazard a file, written like a stage play. It brings the stages, which know
// nothing of faults, and the engine, which knows nothing of locks, together.
//
// A play has a cast, a fault where it falls, and a question at the end:
//
//	a, b, c := s.Client("A"), s.Client("B"), s.Client("C")
//
//	a.Lock()                  // lease: 30 s
//	s.Sleep(31 * time.Second) // A is still working
//	b.Lock()
//	a.Unlock() // whose lock is this?
//
// Each verb starts the call on that client's own goroutine and returns when the
// world is at rest: the call is done, or it waits, for the lock or at a fault.
// So a play needs no goroutine, no channel and no sleep of its own. The verbs
// are those of [Client] and [Scene], and the faults those of package faults.
//
// Every hazard can be played on every stage and draft; what comes out, and why,
// stands in its Expect and is checked by a test. A lesson ([Hazard.Lesson])
// shows it on two of them: where it breaks, and where it is repaired.
package hazards
