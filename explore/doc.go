// Package explore finds the bug that nobody told it about: it runs the real code
// of a stage along one schedule after another, and says which promise of a lock
// broke in which, with the shortest schedule that it takes.
//
// A hazard shows what its author knew. Here the machine is the adversary:
// whenever the world is at rest it has the choices of [faults.World.Choices], to
// let a waiting command through, to let time pass, to crash a client, to lose a
// reply, to freeze a client, and it tries them all, within a [Budget]:
//
//	report, err := explore.Search(ctx, explore.Question{
//		Stage:  stages.V4,
//		Budget: explore.Budget{Clients: 2, Slow: 4},
//	})
//
// A schedule is one word, like "AAAAA?BA": A's command passes, five times, the
// fifth reply is lost, B's passes, and A's again. [Replay] runs it once more, and
// shows its timeline. That one was not in any article: go-redis sends A's DEL a
// second time, and it hits B's lock (hazards.RetriedDelete).
//
// # What a result means
//
// Each client does one small program once: lock, sell, unlock. The lease is a
// few tries long, so that a schedule in which it ends can be read. A step of
// time goes to the next event, and while a command waits no further than one
// try; such a step is a slow one, and costs.
//
// A report that is Exhausted covers every schedule within the budget, for that
// program and that lease, and nothing beyond.
//
// Whether somebody can still get the lock is looked at in two places. At the end
// of a run, when all are done or dead, a lock that is left and does not end by its
// lease is asked for by a newcomer, who must get it. And where a way comes back to
// a state at no cost, nothing is left to happen but the same again: those who wait
// there wait for ever. Each state leads to one or the other, so no other needs a
// look of its own.
//
// # What is cut off
//
// A state that was reached before is not followed again, if it was reached in no
// more choices and with no more of the budget spent. Clients that differ in
// nothing but their names may change places. A crash or a freeze right after
// another client's command is not tried, because right before it is. That leaves
// nothing out as long as a waiting client has no memory of how often it tried; a
// test compares the outcomes, and the lengths of the breaks, with a search that
// cuts off nothing.
//
// A step is not run again if it is known where it leads. A step of one client takes
// no time, and what comes of it depends on the server and on that client: where both
// are as they were before, so is the outcome, whatever the others do meanwhile. In a
// step of time nothing goes through, and what it does to the server or to a client
// depends on nothing else; how long it is, on who is the first to stir. Only what
// breaks a property has to be run in each state. A test goes on walks without an aim,
// and compares what was foreseen with what came.
//
// Shorter schedules come first. When all that are left are as long as a break
// that was found, that is a shortest one. A run doesn't end where its schedule does:
// as long as there is a step that is not known, it goes on, because each run begins
// with the way there.
//
// # What a schedule costs
//
// Most cost nothing but a look at what is known. A world can't be copied, so a run
// begins at the start, and costs what its choices cost: the hand-offs between the
// goroutines of a client, its connection and the director; the state of the world,
// written down at each step; the garbage of all that. The embedded server makes a
// fresh Lua interpreter for each EVAL, which is a good part of a run of v6 or v7.
// Where the time goes:
//
//	go test ./explore -run '^$' -bench Search/everything/v7 -cpu 1 -benchtime 1x -cpuprofile cpu.out
//	go tool pprof -top -cum cpu.out
//
// # What is not seen
//
// More than one timer of a client. The draft reset_expire keeps one for each entry,
// and a state knows when the last one rang.
//
// What needs a lease longer than seconds (hazards.LeaseCutShort), and what only
// costs (hazards.RenewalPiledUp).
//
// That somebody can get the lock only late: the draft two_commands_patched leaves
// a lock without a lease until somebody wants it, and whoever then waits for it
// gets in a lease after that (hazards.LateLease). A promise with a time limit is
// none of those that a search asks for.
package explore
