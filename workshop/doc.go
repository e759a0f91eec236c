// Package workshop examines the locks that learners write. exercises/ has the
// exercises themselves: a folder for each, with a lock to build, a story, and a
// test that asks this package.
//
// An [Exercise] is a list of checks. Most are hazards: the play runs on the
// learner's lock as it does on a stage, and what comes out is a timeline. Those
// that the exercise is about come first; then what each lock promises (a free
// lock can be taken, a wait ends with its context); then the hazards that an
// earlier exercise has won, because no step may lose them; and at the end a
// search over schedules, for the mistake that nobody thought of.
//
// Nothing is known of a learner's lock but its methods. So each examination
// begins with a rehearsal, in which it sees which commands take the lock, renew
// it and free it; that is where the faults strike then.
//
// Package workshop/wrong keeps the grader honest: wrong locks that it has to catch,
// for the right reason, and right ones that it has to let pass.
package workshop
