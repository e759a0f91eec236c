// Package wrong is a collection of wrong locks: the mistakes that learners make,
// and projects. Each stands here with the exercise that should catch it, the
// check that must fail there, and words that the check must say. A test holds the
// workshop to that: a grader that lets one of them pass has been fooled.
//
// A wrong lock is as small as its mistake. It is built on a sound lock, in
// sound.go, and spoils one method of it; what it does not spoil is right. Nothing
// here is for use.
//
// Where a mistake was found in somebody's code, its report is named: it has been
// mended there since, or it is what the report asks to mend.
package wrong
