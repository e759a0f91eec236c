// Command lockstep shows what the workbook knows, and keeps its documents true.
//
//	lockstep                 the stages, what breaks each, and what to run next
//	lockstep show MisDelete  play a hazard: both halves of its lesson, or a stage named
//	lockstep matrix          which hazard breaks which stage, and which draft
//	lockstep diff v3 v4      what a step changes in the code
//	lockstep seckill v3      the articles' flash sale, and its books
//	lockstep explore v4      search all schedules for one that breaks a stage
//	lockstep replay v4 A...B run one schedule again
//	lockstep play v4         be the adversary
//	lockstep exercise        build the locks yourself, step by step
//	lockstep ready           check that a machine is ready for the workshop
//	lockstep grade DIR...    mark the exercises of a class
//	lockstep docs            write code, tables and timelines into the documents
//	lockstep docs --check    fail if they do not show what the code prints
//
// With --server redis-server, plays run on a private process of that.
//
// Wrong input is one line on standard error and exit status 2. A finding, like a
// document that is out of date, is exit status 1. What was interrupted says what
// it has, and ends with 130 if that is no finding.
package main

import (
	"errors"
	"io"
	"os"
)

// A finding is an error that answers what was asked, and no mistake in the
// asking.
type finding string

func (f finding) Error() string { return string(f) }

const errStale = finding("out of date; run: make docs")

// errInterrupted means that the user has ended it. They know that already.
var errInterrupted = errors.New("interrupted")

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the command as a person meets it. It returns the status to exit with.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	cmd := command()
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	err := cmd.Execute()
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return 130 // 128 and the number of the signal, as shells have it
	}
	cmd.PrintErrln("lockstep:", err)
	if _, ok := errors.AsType[finding](err); ok {
		return 1
	}
	return 2
}
