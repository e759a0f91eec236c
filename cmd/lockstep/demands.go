package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

// demand is something that a lock is asked for, with the hazards that test it.
// Each hazard tests one.
type demand struct {
	name  string
	means string
	tests []hazards.Hazard
}

// demands are the five that the source articles open with.
var demands = []demand{
	{"exclusive", "at most one is inside", []hazards.Hazard{
		hazards.TwoServers, hazards.LeaseTruncated, hazards.ResultIgnored, hazards.SharedOwner, hazards.ThreadNamedKey,
		hazards.LeaseCutShort, hazards.ExpiryMidBusiness, hazards.RenewalGivesUp, hazards.StopTheWorld,
	}},
	{"available", "it serves those who wait, under load and on a bad line", []hazards.Hazard{
		hazards.EmptyAnswer, hazards.RecursionOverflow, hazards.CancelledUnlock, hazards.RenewalPiledUp, hazards.LostReply,
	}},
	{"no deadlock", "it comes free some day, whatever happens to its holder", []hazards.Hazard{
		hazards.Panic, hazards.Crash, hazards.TwoCommands, hazards.LateLease, hazards.HolderGone, hazards.WonButSaidNo,
	}},
	{"only your own", "nobody frees what somebody else holds", []hazards.Hazard{
		hazards.MisDelete, hazards.ForeignUnlock, hazards.OwnerCollision, hazards.GCPause, hazards.RetriedDelete,
	}},
	{"re-entrant", "the holder may lock again", []hazards.Hazard{
		hazards.Reentry, hazards.InnerUnlock,
	}},
}

// met is how a stage meets a demand, and the hazards that break it.
func (d demand) met(stage stages.Stage) (outcome hazards.Outcome, by []string) {
	outcome = hazards.NoCause
	for _, h := range d.tests {
		switch h.Expected(stage).Outcome {
		case hazards.Breaks:
			by = append(by, h.Name)
		case hazards.Holds:
			outcome = hazards.Holds
		}
	}
	if len(by) > 0 {
		outcome = hazards.Breaks
	}
	return outcome, by
}

// demandsUpTo is the table of demands and stages, as far as a stage, and what is
// still in its way. Without a stage it is a list of what each demand means and
// which hazards test it.
func demandsUpTo(words []string) (string, error) {
	if len(words) == 0 {
		var b strings.Builder
		for _, d := range demands {
			var tests []string
			for _, h := range d.tests {
				tests = append(tests, h.Name)
			}
			b.WriteString(item("**"+d.name+"**: "+d.means+". Tested by "+strings.Join(tests, ", ")+".") + "\n")
		}
		return b.String(), nil
	}
	all := stages.All()
	last := slices.IndexFunc(all, func(s stages.Stage) bool { return s.Name == words[0] })
	if last < 0 || len(words) > 1 {
		return "", fmt.Errorf("demands up to which stage?")
	}
	head := []string{"demand"}
	for _, s := range all[:last+1] {
		head = append(head, shortName(s))
	}
	var rows [][]string
	for _, d := range demands {
		row := []string{d.name}
		for _, s := range all[:last+1] {
			outcome, _ := d.met(s)
			row = append(row, outcome.Mark())
		}
		_, by := d.met(all[last])
		rows = append(rows, append(row, strings.Join(by, ", ")))
	}
	return table(append(head, "broken there by"), rows), nil
}

// breaks is the table of what breaks a stage, as the plays say it, and of the
// first later stage that it does not break.
func breaks(words []string) (string, error) {
	all := stages.All()
	if len(words) != 1 {
		return "", fmt.Errorf("breaks which stage?")
	}
	at := slices.IndexFunc(all, func(s stages.Stage) bool { return s.Name == words[0] })
	if at < 0 {
		return "", fmt.Errorf("there is no stage %s", words[0])
	}
	var rows [][]string
	for _, h := range hazards.All() {
		cell := h.Expected(all[at])
		if cell.Outcome != hazards.Breaks {
			continue
		}
		repaired := "none"
		for _, later := range all[at+1:] {
			if h.Expected(later).Outcome != hazards.Breaks {
				repaired = later.Name
				break
			}
		}
		rows = append(rows, []string{h.Name, cell.Why, repaired})
	}
	return table([]string{"hazard", "what it costs you", "ends with"}, rows), nil
}

// cost is what a stage sends, in commands and in round trips: what goes out
// together counts as one trip.
type cost struct{ commands, trips int }

func (c cost) String() string {
	switch {
	case c == cost{}:
		return "–"
	case c.commands == c.trips:
		return fmt.Sprint(c.commands)
	default:
		return fmt.Sprintf("%d in %d trips", c.commands, c.trips)
	}
}

// measure counts what a stage sends, once the server knows its scripts: to lock
// and to unlock, in a minute of holding, and in a second of waiting.
func measure(stage stages.Stage) (lock, unlock, hold, wait cost, err error) {
	timeline, err := hazards.Perform(stage, faults.Options{}, func(s *hazards.Scene) error {
		a, b := s.Client("A"), s.Client("B")
		a.Lock()
		s.Sleep(hazards.Lease / 2)
		a.Unlock()
		s.Note("lock")
		a.Lock()
		s.Note("unlock")
		a.Unlock()
		s.Note("between")
		a.Lock()
		s.Note("hold")
		s.Sleep(time.Minute + time.Millisecond) // what falls on the minute falls into it
		s.Note("between")
		a.Unlock()
		a.Lock()
		b.Lock()
		s.Note("wait")
		s.Sleep(time.Second + time.Millisecond)
		return nil
	})
	if err != nil {
		return lock, unlock, hold, wait, err
	}
	counts := map[string]cost{}
	part := ""
	for _, step := range timeline.Steps {
		if step.Note != "" && step.Client == "" {
			part = step.Note
			continue
		}
		who := "A"
		if part == "wait" {
			who = "B"
		}
		if step.Client == who && len(step.Commands) > 0 {
			c := counts[part]
			c.commands += len(step.Commands) * step.Times
			c.trips += step.Times
			counts[part] = c
		}
	}
	return counts["lock"], counts["unlock"], counts["hold"], counts["wait"], nil
}

// costs is the table of what stages send.
func costs(names []string) (string, error) {
	var rows [][]string
	for _, name := range names {
		all := slices.Concat(stages.All(), stages.Drafts())
		i := slices.IndexFunc(all, func(s stages.Stage) bool { return s.Name == name })
		if i < 0 {
			return "", fmt.Errorf("there is no stage %s", name)
		}
		lock, unlock, hold, wait, err := measure(all[i])
		if err != nil {
			return "", fmt.Errorf("measure %s: %w", name, err)
		}
		rows = append(rows, []string{name, lock.String(), unlock.String(), wait.String(), hold.String()})
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("costs of which stages?")
	}
	return table([]string{"commands", "to lock", "to unlock", "for each waiter, a second", "to hold, a minute"}, rows), nil
}
