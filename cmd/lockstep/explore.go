package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"lockstep/explore"
	"lockstep/faults"
)

// errBroke is a break that --fail-on-break has asked for.
const errBroke = finding("the stage breaks")

func exploreCommand() *cobra.Command {
	var a asking
	var asJSON, failOnBreak bool
	workers := 0
	cmd := &cobra.Command{
		Use:   "explore STAGE",
		Short: "Search all schedules of a stage for one that breaks it",
		Long: `Run the real code of a stage along every schedule within a budget: who moves
next, when time passes, what fails. It says which promises of a lock hold in all
of them, and gives the shortest schedule that breaks the others.

A search that is interrupted says what it has covered; its exit status is 130,
or 1 if that has found what --fail-on-break asks for.

What breaks, and in how many choices, does not depend on --workers. How many
schedules and states that takes does, and which of several shortest schedules is
found. There are more schedules than runs: one that leads where another has led
is not run.

With --json: the "stage", the "program" by its word and what it "does", the
"budget", "lease_ns", "no_retries" and "server" (empty: the embedded one) are
what was asked for. Then how many "schedules" were searched, the "runs" that
took and the "states" that were seen, the "depth" below which no schedule was
left out, whether all were searched ("exhausted"), whether some went on for too
long to be followed ("too_deep"), and "properties": each has its "name", its
"outcome" (holds, breaks, open, can't arise) and, if it breaks, the shortest
"schedule" known, and whether it is "proven" that none is shorter. "open" is
what an unfinished search has not broken. The time that it took is left out:
equal searches with as many workers print equal reports.` + programList(),
		Example: "  lockstep explore v4\n  lockstep explore v7 --freezes 1 --slow 0\n  lockstep explore v6 --program long",
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.question(args[0])
			if err != nil {
				return err
			}
			if workers < 1 || workers > 64 {
				return fmt.Errorf("--workers wants a number from 1 to 64, not %d", workers)
			}
			r, ended := search(cmd, q, workers)
			if ended != nil && !errors.Is(ended, errInterrupted) && r.Runs == 0 {
				return ended // and has found nothing that could be shown
			}
			if asJSON {
				err = sayJSON(cmd, newFindings(q, r))
			} else {
				var text string
				if text, err = exploration(q, r, a.again()); err == nil {
					err = say(cmd, paint(text))
				}
			}
			switch {
			case err != nil:
				return err
			case ended != nil && !errors.Is(ended, errInterrupted):
				return ended
			case failOnBreak && len(r.Breaks) > 0:
				return errBroke
			}
			return ended
		},
	}
	a.flags(cmd)
	cmd.Flags().IntVar(&workers, "workers", runtime.NumCPU(), "processes that run schedules")
	cmd.Flags().BoolVar(&failOnBreak, "fail-on-break", false, "exit with status 1 if the stage breaks")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// search asks the question with workers, and shows how far it is. The first
// interrupt ends it with what it has found, and errInterrupted; the second is as
// usual.
func search(cmd *cobra.Command, q explore.Question, workers int) (explore.Report, error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	var helpers []*exec.Cmd
	if workers > 1 {
		var err error
		if helpers, err = explore.Helpers(workers, helperName); err != nil {
			return explore.Report{}, err
		}
	}
	return showProgress(ctx, cmd.ErrOrStderr(), q, func(ctx context.Context, q explore.Question) (explore.Report, error) {
		r, err := explore.Search(ctx, q, helpers...)
		if err == nil && ctx.Err() != nil && !r.Exhausted {
			err = errInterrupted
		}
		return r, err
	})
}

const helperName = "follow-schedules"

// helperCommand is what explore starts, once for each worker.
func helperCommand() *cobra.Command {
	return &cobra.Command{
		Use:    helperName,
		Short:  "Run the schedules that a search sends on standard input",
		Hidden: true,
		Args:   between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(os.Interrupt, syscall.SIGTERM) // that is for the search, which then ends its workers
			return explore.Serve(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// exploration is what a search has found, for people. flags are those that ask the
// same question.
func exploration(q explore.Question, r explore.Report, flags string) (string, error) {
	var b strings.Builder
	b.WriteString(wrap(setting(q)+"; within "+allowance(q.Budget)) + "\n")
	for _, f := range newFindings(q, r).Properties {
		switch f.Outcome {
		case "holds":
			fmt.Fprintf(&b, "✓ %s\n", f.Name)
		case "breaks":
			fmt.Fprintf(&b, "✗ %-52s %s\n", f.Name, cmp.Or(f.Schedule, "(before any choice)"))
		case "open":
			fmt.Fprintf(&b, "– %s: not broken so far\n", f.Name)
		default:
			fmt.Fprintf(&b, "– %s: can't arise, it never tells\n", f.Name)
		}
	}
	b.WriteString("\n" + wrap(coverage(r)))
	shortest, broken := shortestOf(r.Breaks)
	if !broken {
		return b.String(), nil
	}
	view, err := explore.Look(q, shortest.Schedule)
	if err != nil {
		return "", err
	}
	if r.Proven(shortest) {
		b.WriteString("\nThe shortest:\n\n")
	} else {
		b.WriteString("\nThe shortest so far:\n\n")
	}
	b.WriteString(told(view))
	if len(shortest.Schedule) == 0 {
		b.WriteString("\n" + wrap("It takes no choice: the clients come to this by themselves."))
	}
	b.WriteString("\n" + wrap("A letter lets that client's next command through, and . lets time pass. Behind a letter, "+
		"! is a crash, ? a lost reply, and * a freeze for a lease and a bit."))
	b.WriteString("\n" + try("To see one again:", fmt.Sprintf("replay %s '%s'%s", nameOf(q.Stage), shortest.Schedule, flags)))
	return b.String(), nil
}

// told is the timeline of a run, and all that it breaks.
func told(v explore.View) string {
	text := v.Timeline.String()
	if len(v.Broken) > 0 { // its last line says the same
		text = text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]
	}
	return text + notSo(v.Broken, wide)
}

// notSo lists what is broken.
func notSo(broken []explore.Property, width int) string {
	var b strings.Builder
	for _, p := range broken {
		b.WriteString(wrapTo(fmt.Sprintf("✗ not so: %s", p), width))
	}
	return b.String()
}

// shortestOf is the first of the shortest breaks; it is false if there is none.
func shortestOf(breaks []explore.Break) (explore.Break, bool) {
	if len(breaks) == 0 {
		return explore.Break{}, false
	}
	return slices.MinFunc(breaks, func(a, b explore.Break) int { return len(a.Schedule) - len(b.Schedule) }), true
}

// coverage says how much was searched.
func coverage(r explore.Report) string {
	took := fmt.Sprintf("It took %s of at most %s, %s, %s, and %v.",
		amount(r.Schedules, "schedule", "schedules"), amount(r.Deepest, "choice", "choices"),
		amount(r.Runs, "run", "runs"), amount(r.States, "state", "states"), r.Elapsed.Round(time.Millisecond))
	if r.Exhausted {
		return "That covers all there is within the budget. " + took
	}
	text := fmt.Sprintf("Not finished. %s No schedule of fewer than %s was left out.", took, amount(r.Depth, "choice", "choices"))
	if r.TooDeep {
		text += fmt.Sprintf(" Some go on after %d choices, and no further than that is any followed.", explore.Deepest)
	}
	return text
}

// findings are what a search has found, for machines.
type findings struct {
	Stage      string         `json:"stage"`
	Program    string         `json:"program"`
	Does       string         `json:"does"`
	Budget     explore.Budget `json:"budget"`
	Lease      time.Duration  `json:"lease_ns"`
	NoRetries  bool           `json:"no_retries"`
	Server     string         `json:"server"`
	Schedules  int            `json:"schedules"`
	Runs       int            `json:"runs"`
	States     int            `json:"states"`
	Depth      int            `json:"depth"`
	Exhausted  bool           `json:"exhausted"`
	TooDeep    bool           `json:"too_deep"`
	Properties []findingOf    `json:"properties"`
}

type findingOf struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`
	*example
}

// example is how a property breaks. It is there if it does, be it in no choice
// at all.
type example struct {
	Schedule string `json:"schedule"`
	Proven   bool   `json:"proven"` // there is no shorter one
}

func newFindings(q explore.Question, r explore.Report) findings {
	f := findings{
		Stage: q.Stage.Name, Program: wordFor(q.Program), Does: string(q.Program), Budget: q.Budget,
		Lease: leaseOf(q), NoRetries: q.NoRetries, Server: os.Getenv(faults.ServerEnv),
		Schedules: r.Schedules, Runs: r.Runs, States: r.States, Depth: r.Depth, Exhausted: r.Exhausted, TooDeep: r.TooDeep,
	}
	for _, p := range explore.Properties() {
		one := findingOf{Name: string(p)}
		broken, ok := r.Broken(p)
		switch {
		case ok:
			one.Outcome, one.example = "breaks", &example{broken.Schedule.String(), r.Proven(broken)}
		case r.Runs > 0 && !r.Asks(p): // before the first it isn't known
			one.Outcome = "can't arise"
		case r.Exhausted:
			one.Outcome = "holds"
		default:
			one.Outcome = "open"
		}
		f.Properties = append(f.Properties, one)
	}
	return f
}

func replayCommand() *cobra.Command {
	var a asking
	asJSON := false
	cmd := &cobra.Command{
		Use:   "replay STAGE SCHEDULE",
		Short: "Run one schedule again, and see its timeline",
		Long: `Run one schedule of a stage again. A schedule is one word, a choice after the
other:

  A    the command that A has sent goes through; A2 is its second, if it has two
  .    time passes: to the next event, and while a command waits for one try
  A?   A's command goes through, and the reply is lost
  A!   A crashes
  A*   A freezes, for a lease and a bit

Put it in single quotes: !, ? and * mean something to a shell. It must be the
schedule of the same clients, program and lease. A schedule that breaks the
stage is no error.

With --json: the timeline as package faults has it, with times in nanoseconds.` + programList(),
		Example: "  lockstep replay v4 'A...B'\n  lockstep replay v7 'AA*B.B.B.B'",
		Args:    between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			schedule, err := faults.ParseSchedule(args[1])
			if err != nil {
				return err
			}
			if err := a.cast(schedule); err != nil {
				return err
			}
			q, err := a.question(args[0])
			if err != nil {
				return err
			}
			view, err := explore.Look(q, schedule)
			switch {
			case err != nil:
				return err
			case asJSON:
				return sayJSON(cmd, view.Timeline)
			}
			a.afford(view.Left)
			q.Budget = a.budget
			return say(cmd, paint(retold(q, view, a.again()+a.beyond())))
		},
	}
	a.flags(cmd)
	for _, name := range []string{"slow", "crashes", "lost", "freezes"} {
		cmd.Flags().MarkHidden(name) //nolint:errcheck // they are there, three lines above
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// retold is a schedule, run again. flags are those that ask the same question.
func retold(q explore.Question, v explore.View, flags string) string {
	text := wrap(setting(q)) + "\n" + told(v)
	if len(v.Broken) == 0 {
		text += wrap("✓ no promise is broken")
	}
	if !v.Over && q.Check() == nil { // which play asks too
		text += "\n" + try("It could go on. To pick the moves yourself:", "play "+nameOf(q.Stage)+flags)
	}
	return text
}
