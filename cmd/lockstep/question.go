package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/explore"
	"lockstep/faults"
	"lockstep/stages"
)

// programs are what the clients of a search may do, by the words of --program.
var programs = []struct {
	name string
	explore.Program
}{
	{"plain", explore.Plain},
	{"long", explore.Long},
	{"nested", explore.Nested},
	{"panics", explore.Panics},
	{"tries", explore.Tries},
}

// asking is what the flags say about a search.
type asking struct {
	budget    explore.Budget
	program   string
	lease     int
	noRetries bool
}

// usual is the budget that nobody has asked to be another.
var usual = explore.Budget{Clients: 2, Slow: 4, Crashes: 1, Lost: 1}

func (a *asking) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&a.budget.Clients, "clients", usual.Clients, "clients, each with one request")
	f.IntVar(&a.budget.Slow, "slow", usual.Slow, "steps of time while a command waits")
	f.IntVar(&a.budget.Crashes, "crashes", usual.Crashes, "clients that may crash")
	f.IntVar(&a.budget.Lost, "lost", usual.Lost, "replies that may be lost")
	f.IntVar(&a.budget.Freezes, "freezes", usual.Freezes, "times that a client may freeze for more than a lease")
	f.IntVar(&a.lease, "lease", explore.DefaultLease, "the lease, in tries of a waiter (20ms)")
	f.StringVar(&a.program, "program", "plain", "what each client does: a `word` above")
	f.BoolVar(&a.noRetries, "no-retries", false, "go-redis sends no command again by itself")
}

// programList says what the words of --program mean.
func programList() string {
	var b strings.Builder
	b.WriteString("\n\nPrograms:\n\n")
	for _, p := range programs {
		fmt.Fprintf(&b, "  %-8s %s\n", p.name, p.Program)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func programNames() string {
	var names []string
	for _, p := range programs {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// wordFor is the word of --program for a program.
func wordFor(p explore.Program) string {
	for _, known := range programs {
		if known.Program == p {
			return known.name
		}
	}
	return ""
}

// leaseOf is the lease of a question in time.
func leaseOf(q explore.Question) time.Duration { return time.Duration(q.Lease) * explore.Poll }

// question is what the flags ask of a stage.
func (a *asking) question(stage string) (explore.Question, error) {
	s, err := findStage(stage)
	if err != nil {
		return explore.Question{}, err
	}
	if a.lease == 0 { // which a question takes for the default
		return explore.Question{}, errors.New("--lease wants a number of tries, from 1 on, not 0")
	}
	q := explore.Question{Stage: s, Budget: a.budget, Lease: a.lease, NoRetries: a.noRetries}
	for _, p := range programs {
		if a.program == p.name {
			q.Program = p.Program
		}
	}
	if q.Program == "" {
		names := strings.Split(programNames(), ", ")
		return q, unknown("program", a.program, names, "there are "+programNames())
	}
	return q, q.Check()
}

// again is the flags that ask the same question of a replay.
func (a *asking) again() string {
	var b strings.Builder
	if a.budget.Clients != usual.Clients {
		fmt.Fprintf(&b, " --clients %d", a.budget.Clients)
	}
	if a.lease != explore.DefaultLease {
		fmt.Fprintf(&b, " --lease %d", a.lease)
	}
	if a.program != "plain" {
		fmt.Fprintf(&b, " --program %s", a.program)
	}
	if a.noRetries {
		b.WriteString(" --no-retries")
	}
	return b.String()
}

// beyond is the flags for what of the budget is more than usual.
func (a *asking) beyond() string {
	var b strings.Builder
	for _, part := range []struct {
		flag     string
		n, usual int
	}{
		{"slow", a.budget.Slow, usual.Slow},
		{"crashes", a.budget.Crashes, usual.Crashes},
		{"lost", a.budget.Lost, usual.Lost},
		{"freezes", a.budget.Freezes, usual.Freezes},
	} {
		if part.n > part.usual {
			fmt.Fprintf(&b, " --%s %d", part.flag, part.n)
		}
	}
	return b.String()
}

// nameOf is the shortest name by which a stage or draft can be asked for.
func nameOf(s stages.Stage) string {
	if found, err := findStage(shortName(s)); err == nil && found.Name == s.Name {
		return shortName(s)
	}
	return s.Name
}

// setting says in words what is searched.
func setting(q explore.Question) string {
	return fmt.Sprintf("%s, %s, each: %s; a lease of %v",
		q.Stage, amount(q.Budget.Clients, "client", "clients"), q.Program, leaseOf(q))
}

// allowance says in words what a budget has of faults.
func allowance(b explore.Budget) string {
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{b.Slow, "slow step", "slow steps"},
		{b.Crashes, "crash", "crashes"},
		{b.Lost, "lost reply", "lost replies"},
		{b.Freezes, "freeze", "freezes"},
	} {
		if part.n > 0 {
			parts = append(parts, amount(part.n, part.one, part.many))
		}
	}
	if len(parts) == 0 {
		return "no faults"
	}
	return strings.Join(parts, ", ")
}

func amount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands is a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// cast makes room for every client that a schedule names, up to the most that a
// search can have.
func (a *asking) cast(schedule faults.Schedule) error {
	for i, c := range schedule {
		if c.Client == "" {
			continue
		}
		nth := int(c.Client[0]-'A') + 1
		if nth > explore.MostClients {
			return fmt.Errorf("step %d: %w: there is no client %s; the last that there can be is %c",
				i+1, faults.ErrSchedule, c.Client, 'A'+explore.MostClients-1)
		}
		a.budget.Clients = max(a.budget.Clients, nth)
	}
	return nil
}

// afford makes the budget as large as what was spent of it. left is what that left of
// it, and negative where it was too much.
func (a *asking) afford(left explore.Budget) {
	a.budget.Slow -= min(0, left.Slow)
	a.budget.Crashes -= min(0, left.Crashes)
	a.budget.Lost -= min(0, left.Lost)
	a.budget.Freezes -= min(0, left.Freezes)
}

// inWords says what a move does, where the clients stand so.
func inWords(m explore.Move, actors []explore.Actor) string {
	c := m.Choice
	i := slices.IndexFunc(actors, func(a explore.Actor) bool { return a.Name == c.Client })
	switch c.Kind {
	case faults.Tick:
		if m.Slow {
			return "time passes, while a command waits (a slow step)"
		}
		return "time passes, to the next event"
	case faults.Crash:
		return c.Client + " crashes"
	case faults.Freeze:
		return c.Client + " freezes, for more than a lease"
	case faults.Lose:
		return c.Client + "'s command goes through, and the reply is lost"
	}
	if i < 0 || c.Nth > len(actors[i].Sends) {
		return c.Client + "'s command goes through"
	}
	return fmt.Sprintf("%s sends %s", c.Client, actors[i].Sends[c.Nth-1])
}
