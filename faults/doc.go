// Package faults runs real clients of Redis in a world where time is fake and
// everything that can go wrong does so on command.
//
// A world is a play. These are its verbs:
//
//	a := w.Client("A")         a service, with its own connections; a.Redis() is its go-redis client
//	a2 := a.Flow("A2")         a second request in the same service
//	a.Do("Lock", f)            start f on a's own goroutine
//	w.Sleep(d)                 let time pass
//	w.Await(a, limit)          let time pass until a's call has ended
//	a.PauseBefore("DEL")       stop the whole of a before it sends that; a.Pause() at once
//	a.Resume()                 let it go on
//	a.CrashBefore("DEL")       kill a before it sends that
//	a.CrashAfter("SET")        kill a when the server has done that; a.Crash() at once
//	a.LoseRequest("SET")       cut the connection before the server sees that
//	a.LoseReply("SET")         cut the connection after the server has done that
//	a.Delay("SET", d)          keep that on the wire for a while
//	a.Disarm()                 take back the faults that have not struck
//	w.Broken("…")              the play's verdict
//
// Every verb returns when the world is at rest: each call is done, or it waits.
// So a play reads from top to bottom, and nothing in it moves unless a verb
// moves it:
//
//	timeline, err := faults.Run(faults.Options{Watch: "lock"}, func(w *faults.World) error {
//		a := w.Client("A")
//		a.LoseReply("SET")
//		a.Do("Lock", func(ctx context.Context) {
//			a.Redis().SetNX(ctx, "lock", "a", 30*time.Second)
//		})
//		w.Sleep(31 * time.Second)
//		return nil
//	})
//
// The timeline marks the step that breaks the promise with ✗. A mark in a play
// whose promise holds is a !: something is wrong there too, and it is not what
// this play asks.
//
// # How it works
//
// The world is a bubble of package testing/synctest: its clock moves only when
// every goroutine in it waits. Inside are the clients, a proxy on each of their
// connections, and the server: an embedded miniredis, whose leases run on the
// bubble's clock, or a private process of a real one, whose leases the engine
// ends at their fake time (see [ServerEnv]).
//
// Code that is under study knows nothing of this. It is given a go-redis client,
// and the faults strike outside of it: in time, and on the wire.
//
// # Why it is the same each time
//
// Fake time alone does not decide who comes first among those who wake at the
// same instant. So the proxy is the only door to the server. A command waits
// there until the world is at rest, and then the waiting ones go through one at
// a time, with rest in between, in an order that depends on the script alone:
// the client's place in the cast, then what the command says, with random
// tokens by name, then the flow that sent it. Random bytes, real time and the
// order of maps don't reach the timeline.
//
// Two leaks are left, and a play has to step around them. A select whose
// deadline and whose tick fall on the same instant picks either: let them not
// coincide. And goroutines that one flow starts have no order among themselves.
// Where they say the same at the same instant, the timeline is the same whoever
// goes first, but a verdict must not depend on which of them it was: give each a
// flow.
//
// # What it can't show
//
// A pause holds a client at its next command. Code between two commands takes no
// time, and the timers of a paused client still fire: what they want to send
// waits with the rest. For a lock that is the worst case, checked and then held
// up, but it is not a frozen process.
//
// On a real server the engine keeps leases in fake time by a book of its own,
// and sees what a command did to them: those below a second last longer for a
// script that asks, PTTL may be off by what real time passed, and absolute times
// (EXPIREAT, PXAT) don't work, because the server's calendar is real.
//
// A lost reply is a broken connection here, and not a read that times out: the
// clients have no time limits but those of their contexts.
//
// The proxy waits for the reply to each command before time may pass, so it
// refuses commands whose reply comes when it pleases: BLPOP and its kin.
// SUBSCRIBE works on the embedded server, whose messages are there as soon as
// the world is at rest, and not on a real one.
//
// Code that spins, or waits for a mutex that nobody frees, never lets the fake
// clock move; a minute of real time ends the program then, and says so.
package faults
