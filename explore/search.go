package explore

import (
	"container/heap"
	"context"
	"errors"
	"math"
	"os/exec"
	"slices"
	"time"

	"lockstep/faults"
)

// Search looks for the schedules that break a stage.
//
// Of each schedule it finds out where that leads. What is known of single steps tells
// it for most; for the others the real code runs, along the choices that are given, and
// on as long as there is a step that is not known. What else can be done at each place
// is put down for later. Shorter schedules come first, so when all that are left are as
// long as a break that was found, that is a shortest one: see [Report.Proven].
//
// helpers are commands that run [Serve]. The search starts them, shares the
// schedules among them, and ends them. Without any, it runs the schedules
// itself, one at a time: a world keeps no more than one processor busy.
//
// The error is ErrBudget, ErrHelper, or that of a run that failed; the report says
// what was found until then. When ctx ends, so does the search, at once, without an
// error.
func Search(ctx context.Context, q Question, helpers ...*exec.Cmd) (Report, error) {
	if err := q.Check(); err != nil {
		return Report{}, err
	}
	s := newSearch(q)
	follow := s.alone
	if len(helpers) > 0 {
		team, err := start(s.Question, helpers)
		if err != nil {
			return Report{}, err
		}
		defer team.end()
		defer context.AfterFunc(ctx, team.kill)()
		follow = team.follow
	}
	for told := s.begun; ctx.Err() == nil; {
		branches, err := s.shortest(ctx, max(1, len(helpers)*perHelper))
		if err == nil && len(branches) == 0 {
			s.report.Exhausted = !s.report.TooDeep && len(s.todo) == 0
			break
		}
		if err == nil {
			branches, err = s.run(ctx, branches, follow)
		}
		for _, b := range branches {
			heap.Push(&s.todo, b)
		}
		switch {
		case ctx.Err() != nil:
			return s.sum(), nil
		case err != nil:
			return s.sum(), err
		}
		if q.Progress != nil && time.Since(told) > reportEvery {
			told = time.Now()
			q.Progress(s.sum())
		}
	}
	return s.sum(), nil
}

const (
	// reportEvery is how often Question.Progress is told.
	reportEvery = 100 * time.Millisecond

	// perHelper is how many schedules a helper gets at a time. More, and the
	// order by length suffers; less, and it waits for the others more often.
	perHelper = 32

	// lookahead is in how many steps a run looks for one that is not known. Three
	// cost what they spare.
	lookahead = 2
)

func (q Question) withDefaults() Question {
	if q.Program == "" {
		q.Program = Plain
	}
	if q.Lease == 0 {
		q.Lease = DefaultLease
	}
	if q.deepest == 0 {
		q.deepest = Deepest
	}
	return q
}

type search struct {
	Question
	begun  time.Time
	todo   todo
	seen   map[string][]visit // state: how it was reached, none of them better than another
	best   map[Property]faults.Schedule
	steps  steps
	report Report
}

func newSearch(q Question) *search {
	return &search{
		Question: q.withDefaults(),
		begun:    time.Now(),
		todo:     todo{{schedule: q.From}},
		seen:     map[string][]visit{},
		best:     map[Property]faults.Schedule{},
		steps:    newSteps(),
		report:   Report{outcomes: map[string]bool{}},
	}
}

// shortest takes up to n of the shortest branches that are left and have to be
// run: where the others lead is foreseen. There are none when nothing shorter than
// the break that is looked for remains. With an error, it returns those of which nothing
// is known.
func (s *search) shortest(ctx context.Context, n int) ([]branch, error) {
	enough := s.enough()
	var branches []branch
	for len(branches) < n && len(s.todo) > 0 && len(s.todo[0].schedule) < enough && ctx.Err() == nil {
		b := heap.Pop(&s.todo).(branch)
		at, ok := s.foresee(b)
		switch {
		case !ok, at.State.over() && at.State.World.Held && !s.covers(at, len(b.schedule)):
			branches = append(branches, b)
		default:
			if err := s.settle(b, at); err != nil {
				return append(branches, b), err
			}
		}
	}
	return branches, nil
}

// settle takes in where a branch is foreseen to lead.
func (s *search) settle(b branch, at *place) error {
	for _, p := range at.State.Broken {
		if err := s.foreseen(p, b.schedule); err != nil {
			return err
		}
	}
	if _, err := s.arrive(at, b.schedule, nil); err != nil {
		return err
	}
	s.count(b.schedule)
	return nil
}

// run has branches followed and takes in what came of them. With an error, it returns
// those of which nothing is known: they are left.
func (s *search) run(ctx context.Context, branches []branch, follow follower) (left []branch, err error) {
	trails, err := follow(ctx, branches)
	if err != nil {
		return branches, err
	}
	for i, t := range trails {
		if err := s.learn(branches[i], t); err != nil {
			return branches[i:], err
		}
		s.count(t.Path)
		s.report.Runs++
	}
	return nil, nil
}

// follower follows branches in the real code, in this process or in others.
type follower func(context.Context, []branch) ([]trail, error)

// count counts a schedule once all is known of it.
func (s *search) count(schedule faults.Schedule) {
	s.report.Schedules++
	s.report.Deepest = max(s.report.Deepest, len(schedule))
}

// enough is the length of the shortest break of what is looked for.
func (s *search) enough() int {
	shortest := math.MaxInt
	for p, schedule := range s.best {
		if (s.Until == p || s.Until == Any) && len(schedule) > len(s.From) {
			shortest = min(shortest, len(schedule))
		}
	}
	return shortest
}

// alone follows branches in this process.
func (s *search) alone(ctx context.Context, branches []branch) ([]trail, error) {
	var trails []trail
	for _, b := range branches {
		t, err := newRun(s.Question).follow(ctx, b.schedule, s)
		if err != nil {
			return nil, err
		}
		trails = append(trails, t)
	}
	return trails, nil
}

// learn takes in what came of a branch.
func (s *search) learn(b branch, t trail) error {
	s.report.Asked = t.Asked
	for p, length := range t.Broken {
		s.broke(p, t.Path[:length])
	}
	if t.Outcome != "" {
		s.report.outcomes[t.Outcome] = true
	}
	since := s.since(b.schedule)
	s.note(t, since)
	at := b.from
	for i, p := range t.Places {
		way := t.Path[:i+since]
		switch {
		case len(way) >= len(b.schedule):
			at = s.place(p, at)
			if follow, err := s.arrive(at, way, t.Path[len(way):]); !follow {
				return err
			}
		case b.from == nil: // on the way to where all begin
			if at = s.place(p, at); at.wasPassed() {
				s.broke(NoDeadlock, way)
			}
		}
	}
	return nil
}

// note remembers the steps of a run, and its end.
func (s *search) note(t trail, since int) {
	for i, p := range t.Places {
		s.steps.noteOffers(p.State, p.Offers)
		if i > 0 {
			s.steps.note(t.Places[i-1], t.Path[since+i-1], p)
		}
		if t.Outcome != "" && p.State.over() {
			s.visited(s.place(p, nil), len(t.Path))
		}
	}
}

// arrive comes to a place on the way given, puts down what could be done there but
// for what the run has done next, and reports whether that is to be followed.
func (s *search) arrive(at *place, way, next faults.Schedule) (follow bool, err error) {
	if at.wasPassed() { // nothing is left to happen but the same again
		if err := s.foreseen(NoDeadlock, way); err != nil || s.whole {
			return false, err
		}
	}
	switch {
	case s.covers(at, len(way)):
		return false, nil
	case at.State.over() && !at.State.World.Held:
		if s.unanswered(at.State, at.Spent) {
			s.broke(AnAnswer, way)
		}
		s.report.outcomes[at.State.outcome()] = true
	case len(way) >= s.deepest:
		s.report.TooDeep = true
		return false, nil
	}
	s.visited(at, len(way))
	if at.State.over() {
		return false, nil
	}
	for _, c := range s.affordable(at.Offers, at.Spent) {
		if len(next) > 0 && c == next[0] || len(way) > len(s.From) && s.redundant(way[len(way)-1], c) {
			continue
		}
		heap.Push(&s.todo, branch{append(slices.Clone(way), c), at})
	}
	return true, nil
}

// foresee tells where a branch leads, if that is known.
func (s *search) foresee(b branch) (*place, bool) {
	if b.from == nil || s.whole {
		return nil, false
	}
	c := b.schedule[len(b.schedule)-1]
	to, ok := s.steps.foresee(b.from.State, c, b.from.Offers)
	if !ok {
		return nil, false
	}
	offers, ok := s.steps.foreseeOffers(to)
	if !ok {
		return nil, false
	}
	return s.place(b.from.then(c, to, offers), b.from), true
}

// pick is a choice of which it is not known where it leads, or one that leads to
// such a choice in a few steps.
func (s *search) pick(at *place) (faults.Choice, bool) {
	if s.whole {
		return s.affordable(at.Offers, at.Spent)[0], true
	}
	for ahead := range lookahead {
		if c, ok := s.unknown(at.landing, ahead); ok {
			return c, true
		}
	}
	return faults.Choice{}, false
}

// unknown is a choice after which, ahead steps on, there is one of which it is not
// known where it leads.
func (s *search) unknown(at landing, ahead int) (faults.Choice, bool) {
	if at.State.over() {
		return faults.Choice{}, false
	}
	for _, c := range s.affordable(at.Offers, at.Spent) {
		to, ok := s.steps.foresee(at.State, c, at.Offers)
		if !ok {
			return c, true
		}
		if ahead == 0 {
			continue
		}
		offers, ok := s.steps.foreseeOffers(to)
		if !ok {
			return c, true
		}
		if _, ok := s.unknown(at.then(c, to, offers), ahead-1); ok {
			return c, true
		}
	}
	return faults.Choice{}, false
}

// redundant reports whether a choice need not be tried after another: what
// befalls one client right after another client's command might as well befall it
// right before, and that is tried.
func (s *search) redundant(before, then faults.Choice) bool {
	befalls := then.Kind == faults.Crash || then.Kind == faults.Freeze
	sends := before.Kind == faults.Pass || before.Kind == faults.Lose
	return !s.whole && befalls && sends && before.Client != then.Client
}

// broke notes that a property breaks after a schedule.
func (s *search) broke(p Property, after faults.Schedule) {
	s.report.outcomes[string(p)] = true
	if best, ok := s.best[p]; !ok || len(after) < len(best) {
		s.best[p] = slices.Clone(after)
	}
}

// foreseen notes that a property breaks after a schedule that was not run as a whole,
// once that is seen with one's own eyes. Code that has a memory of its own, like a
// ticker, may not do what was foreseen.
func (s *search) foreseen(p Property, after faults.Schedule) error {
	if best, ok := s.best[p]; ok && len(best) <= len(after) {
		return nil
	}
	r := newRun(s.Question)
	switch _, err := r.perform(func() error { return r.replay(after) }); {
	case errors.Is(err, faults.ErrSchedule):
		return nil
	case err != nil:
		return err
	}
	if _, broken := r.broken[p]; broken {
		s.broke(p, after)
	}
	return nil
}

// sum is the report so far.
func (s *search) sum() Report {
	r := s.report
	r.States, r.Elapsed, r.Breaks = len(s.seen), time.Since(s.begun), nil
	r.Depth = r.Deepest
	if len(s.todo) > 0 {
		r.Depth = len(s.todo[0].schedule)
	}
	for _, p := range Properties() {
		if schedule, ok := s.best[p]; ok {
			r.Breaks = append(r.Breaks, Break{p, schedule})
		}
	}
	return r
}

// visit is how a state was reached.
type visit struct {
	spent Budget
	depth int // how many choices it took
}

// covers reports whether v can do all that other can, in no more choices.
func (v visit) covers(other visit) bool {
	return v.depth <= other.depth && v.spent.within(other.spent)
}

// covers reports whether a place has been reached at least as well before.
func (s *search) covers(at *place, depth int) bool {
	now := visit{at.Spent, depth}
	return !s.whole && slices.ContainsFunc(s.seen[at.key], func(before visit) bool { return before.covers(now) })
}

// visited notes that a place was reached.
func (s *search) visited(at *place, depth int) {
	now := visit{at.Spent, depth}
	s.seen[at.key] = append(slices.DeleteFunc(s.seen[at.key], now.covers), now)
}

// branch is a schedule that is still to be run: the way to a place, and one
// choice more.
type branch struct {
	schedule faults.Schedule
	from     *place
}

// todo is a heap of branches, the shortest first.
type todo []branch

func (t todo) Len() int           { return len(t) }
func (t todo) Less(i, j int) bool { return len(t[i].schedule) < len(t[j].schedule) }
func (t todo) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *todo) Push(x any)        { *t = append(*t, x.(branch)) }
func (t *todo) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}
