package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/faults"
	"lockstep/hazards"
	"lockstep/stages"
)

func showCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "show HAZARD [STAGE]",
		Short: "Play a hazard, second by second",
		Long: `Play a hazard on a stage, second by second. Without a stage both halves of the
lesson are shown: a stage or draft that breaks, and a stage that holds.

With --json: the "hazard", its "story", "runs" and the "test" that shows the
lesson. A run has its "stage", its "outcome" (breaks, holds, can't arise),
"why", and its "timeline" as package faults has it, with times in nanoseconds.`,
		Example: "  lockstep show MisDelete\n  lockstep show MisDelete v3\n  lockstep show TwoCommands two_commands",
		Args:    between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			shown, err := newShowing(args[0], args[1:]...)
			if err != nil {
				return err
			}
			if asJSON {
				return sayJSON(cmd, shown)
			}
			return say(cmd, paint(shown.String()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// showing is a hazard, played.
type showing struct {
	Hazard string       `json:"hazard"`
	Story  string       `json:"story"`
	Runs   []showingRun `json:"runs"`
	Test   string       `json:"test,omitempty"`

	lesson *lesson
}

type showingRun struct {
	Stage    string           `json:"stage"`
	Outcome  hazards.Outcome  `json:"outcome"`
	Why      string           `json:"why"`
	Timeline *faults.Timeline `json:"timeline"`
}

// newShowing plays a hazard on the stage named, or else on both of its lesson.
func newShowing(hazard string, stage ...string) (showing, error) {
	h, err := findHazard(hazard)
	if err != nil {
		return showing{}, err
	}
	var on []stages.Stage
	for _, name := range stage {
		s, err := findStage(name)
		if err != nil {
			return showing{}, err
		}
		on = append(on, s)
	}
	shown := showing{Hazard: h.Name, Story: h.Story}
	asked := ""
	if len(on) > 0 {
		asked = on[0].Name
	}
	if shown.lesson, err = lessonOf(h, asked); err != nil {
		return showing{}, err
	}
	switch l := shown.lesson; {
	case l != nil:
		shown.Test = l.command()
		if len(on) == 0 {
			on = []stages.Stage{l.breaks, l.holds}
		}
	case len(on) == 0:
		on = []stages.Stage{lastBroken(h)}
	}
	for _, s := range on {
		r, err := h.Run(s)
		if err != nil {
			return showing{}, err
		}
		shown.Runs = append(shown.Runs, showingRun{s.Name, r.Outcome, r.Why, r.Timeline})
	}
	return shown, nil
}

// lastBroken is the last stage that a hazard breaks.
func lastBroken(h hazards.Hazard) stages.Stage {
	var last stages.Stage
	for _, s := range stages.All() {
		if h.Expected(s).Outcome == hazards.Breaks {
			last = s
		}
	}
	return last
}

func (s showing) String() string {
	var b strings.Builder
	b.WriteString(wrap(s.Hazard + ": " + s.Story))
	for _, r := range s.Runs {
		b.WriteString("\n" + r.Stage + "\n\n" + r.String())
	}
	b.WriteString("\n" + s.next())
	return b.String()
}

// next says what to run next.
func (s showing) next() string {
	if s.lesson == nil {
		return "No later stage repairs it.\n"
	}
	l, test := s.lesson, "As a test:\n    "+s.Test+"\n"
	switch {
	case len(s.Runs) == 1:
		return try("Both halves:", "show "+s.Hazard) + test
	case l.breaks.Like == "" && l.holds.Like == "":
		return try("What changed:", fmt.Sprintf("diff %s %s", shortName(l.breaks), shortName(l.holds))) + test
	default:
		return test
	}
}

// String is the timeline with what it comes to. It ends with that by itself,
// unless the lock held.
func (r showingRun) String() string {
	switch {
	case r.Outcome == hazards.Holds:
		return r.Timeline.String() + wrap("✓ "+r.Why)
	case len(r.Timeline.Steps) == 0:
		return wrap("– can't arise: " + r.Why)
	default:
		return r.Timeline.String()
	}
}
