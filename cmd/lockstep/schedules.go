package main

import (
	"context"
	"fmt"

	"lockstep/explore"
	"lockstep/stages"
)

// searched are the columns of the table of schedules: what a search may do to two
// clients, and what it looks for. Each teaches another step of the stages, and
// takes no longer than the table is worth.
var searched = []struct {
	head string
	explore.Budget
	explore.Program
	until explore.Property
}{
	{"1 crash", explore.Budget{Crashes: 1}, explore.Plain, explore.Any},
	{"1 lost reply", explore.Budget{Lost: 1}, explore.Plain, explore.Any},
	{"work for 2 leases", explore.Budget{}, explore.Long, explore.Any},
	{"2 slow steps", explore.Budget{Slow: 2}, explore.Plain, explore.Any},
	{"3: two inside", explore.Budget{Slow: 3}, explore.Plain, explore.OneInside},
	{"3: wrong hand", explore.Budget{Slow: 3}, explore.Plain, explore.OwnHand},
	{"1 freeze", explore.Budget{Freezes: 1}, explore.Plain, explore.Any},
}

// schedules is the table of the shortest schedules that break each stage. No
// helpers take part: of several that are as short, which is found depends on how
// many there are.
func schedules() (string, error) {
	head := []string{"stage"}
	for _, c := range searched {
		head = append(head, c.head)
	}
	var rows [][]string
	for _, s := range stages.All() {
		if s.Acquire == "" { // no Redis, and so no schedule
			continue
		}
		row := []string{shortName(s)}
		for _, c := range searched {
			q := explore.Question{Stage: s, Budget: c.Budget, Program: c.Program, Until: c.until}
			q.Budget.Clients = 2
			cell, err := shortest(q)
			if err != nil {
				return "", err
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	lease := leaseOf(explore.Question{Lease: explore.DefaultLease})
	return table(head, rows) + fmt.Sprintf("\n✓ none of the schedules breaks it; else a shortest that does. Of 2 clients, with a lease of %v.\n", lease), nil
}

// shortest is a shortest schedule that breaks what a question looks for, or ✓.
func shortest(q explore.Question) (string, error) {
	r, err := explore.Search(context.Background(), q)
	if err != nil {
		return "", err
	}
	found, ok := r.Broken(q.Until)
	if q.Until == explore.Any {
		found, ok = shortestOf(r.Breaks)
	}
	if !ok {
		return "✓", nil
	}
	return "`" + found.Schedule.String() + "`", nil
}
