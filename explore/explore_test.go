package explore

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
	"lockstep/stages"
)

func ask(t *testing.T, q Question) Report {
	t.Helper()
	r, err := Search(t.Context(), q)
	require.NoError(t, err)
	t.Logf("%s: %d schedules, %d states, %v, %v", q.Stage, r.Schedules, r.States, r.Elapsed, r.Breaks)
	for _, b := range r.Breaks {
		view, err := Look(q, b.Schedule)
		require.NoError(t, err)
		require.Contains(t, view.Broken, b.Property, "%v", b.Schedule)
	}
	return r
}

// The search finds in each stage what its hazards show, and no more.
func TestWhatBreaksWhat(t *testing.T) {
	two := Budget{Clients: 2}
	crash, slow, lost, freeze := two, two, two, two
	crash.Crashes, slow.Slow, lost.Lost, freeze.Freezes = 1, 3, 1, 1
	slower := two
	slower.Slow = slowerThanALease
	for name, c := range map[string]struct {
		Question
		broken []Property
	}{
		"TwoServers":                     {Question{Stage: stages.V0, Budget: two}, []Property{OneInside, TrueBooks}},
		"v1 in peace":                    {Question{Stage: stages.V1, Budget: two}, nil},
		"Crash on v1":                    {Question{Stage: stages.V1, Budget: crash}, []Property{NoDeadlock}},
		"Crash on v2":                    {Question{Stage: stages.V2, Budget: crash}, []Property{NoDeadlock}},
		"Crash on v3":                    {Question{Stage: stages.V3, Budget: crash}, nil},
		"v2, slow":                       {Question{Stage: stages.V2, Budget: slow}, nil},
		"MisDelete":                      {Question{Stage: stages.V3, Budget: slow}, []Property{OwnHand, OneInside, TrueBooks}},
		"GCPause":                        {Question{Stage: stages.V4, Budget: slow}, []Property{OwnHand, OneInside, TrueBooks}},
		"v4, slower than v4 can":         {Question{Stage: stages.V4, Budget: slower}, nil},
		"v5, slow":                       {Question{Stage: stages.V5, Budget: slow}, []Property{OneInside, TrueBooks}},
		"v5 by WATCH, slow":              {Question{Stage: stages.V5Watch, Budget: slow}, []Property{OneInside, TrueBooks}},
		"v6, slow":                       {Question{Stage: stages.V6, Budget: slow}, []Property{OneInside, TrueBooks}},
		"v7, slow for less than a lease": {Question{Stage: stages.V7, Budget: slower}, nil},
		"StopTheWorld":                   {Question{Stage: stages.V7, Budget: freeze}, []Property{OneInside, ToldInTime, TrueBooks}},
		"RetriedDelete on v3":            {Question{Stage: stages.V3, Budget: lost}, []Property{OwnHand}},
		"RetriedDelete on v4":            {Question{Stage: stages.V4, Budget: lost}, []Property{OwnHand}},
		"v5, a reply lost":               {Question{Stage: stages.V5, Budget: lost}, nil},
		"ExpiryMidBusiness on v6":        {Question{Stage: stages.V6, Budget: two, Program: Long}, []Property{OneInside, TrueBooks}},
		"v7, working for two leases":     {Question{Stage: stages.V7, Budget: two, Program: Long}, nil},
		"LostReply on v1":                {Question{Stage: stages.V1, Budget: lost}, []Property{OwnHand, NoDeadlock}},
		"v7, a reply lost":               {Question{Stage: stages.V7, Budget: lost}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, c.Question)
			require.True(t, r.Exhausted)
			var broken []Property
			for _, b := range r.Breaks {
				broken = append(broken, b.Property)
			}
			require.Equal(t, c.broken, broken)
		})
	}
}

// The search finds the drafts' mistakes, each with what it takes.
func TestWhatBreaksTheDrafts(t *testing.T) {
	two := Budget{Clients: 2}
	crash, slow := two, two
	crash.Crashes, slow.Slow = 1, 3
	for _, c := range []struct {
		Question
		broken Property
	}{
		{Question{Stage: stages.NoDefer, Budget: two, Program: Panics}, NoDeadlock},
		{Question{Stage: stages.EmptyAnswer, Budget: two}, AnAnswer},
		{Question{Stage: stages.TwoCommands, Budget: crash}, NoDeadlock},
		{Question{Stage: stages.WholeSeconds, Budget: two}, OneInside},
		{Question{Stage: stages.AnswerDropped, Budget: two}, OneInside},
		{Question{Stage: stages.ThreadID, Budget: slow}, OwnHand},
		{Question{Stage: stages.NoCount, Budget: two, Program: Nested}, OneInside},
		{Question{Stage: stages.SharedOwner, Budget: two}, OneInside},
		{Question{Stage: stages.ThreadNamedKey, Budget: two}, OneInside},
		{Question{Stage: stages.TimeoutIgnored, Budget: Budget{Clients: 2, Slow: 5}, Lease: 6}, OneInside},
		{Question{Stage: stages.WonButSaidNo, Budget: two, Program: Tries}, NoDeadlock},
		{Question{Stage: stages.RenewalGivesUp, Budget: Budget{Clients: 2, Lost: 1}, Program: Long, NoRetries: true}, OneInside},
		{Question{Stage: stages.ResetExpire, Budget: Budget{Clients: 2, Lost: 1}}, NoDeadlock}, // counted twice, and renewed for ever
	} {
		t.Run(c.Stage.Name, func(t *testing.T) {
			t.Parallel()
			c.Until = c.broken
			_, broken := ask(t, c.Question).Broken(c.broken)
			require.True(t, broken)
			if like := stageNamed(c.Stage.Like); like.Name != stages.V5.Name || c.Budget.Slow != 3 {
				c.Question.Stage, c.Until = like, ""
				_, broken := ask(t, c.Question).Broken(c.broken)
				require.False(t, broken, "%s, which the draft is like", like)
			}
		})
	}
}

// A lock whose lease ends late is none that nobody can get any more.
func TestALongLeaseIsNoDeadlock(t *testing.T) {
	t.Parallel()
	schedule, err := faults.ParseSchedule("AAAAAA!B!")
	require.NoError(t, err)
	q := Question{Stage: stages.FixedLease, Budget: Budget{Clients: 2, Crashes: 2}, Program: Nested}
	timeline, err := Replay(q, schedule)
	require.NoError(t, err, timeline)
	require.Contains(t, timeline.String(), "a, 10s left")
}

// The search finds nothing in these, each with what its lesson is about: what they
// do wrong is not among the promises, or takes a longer lease. The package comment
// says so.
func TestWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	for _, q := range []Question{
		{Stage: stages.TwoCommandsPatched, Budget: Budget{Clients: 2, Crashes: 1}}, // LateLease
		{Stage: stages.FixedLease, Budget: Budget{Clients: 2}, Program: Nested},    // LeaseCutShort
		{Stage: stages.ResetExpire, Budget: Budget{Clients: 2}, Program: Nested},   // RenewalPiledUp
	} {
		r := ask(t, q)
		require.True(t, r.Exhausted, q.Stage)
		require.Empty(t, r.Breaks, q.Stage)
	}
}

func stageNamed(name string) stages.Stage {
	for _, s := range stages.All() {
		if s.Name == name {
			return s
		}
	}
	return stages.Stage{}
}

// What is left when states are cut off is what there is.
func TestCuttingIsSound(t *testing.T) {
	skipWhereItIsTheSame(t)
	for _, stage := range everyStage() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			q := Question{Stage: stage, Budget: Budget{Clients: 2, Slow: 1}}
			if stage.Draft != "" {
				q.Budget.Slow = 0
			}
			cut, whole := compare(t, q)
			require.Less(t, cut.Schedules, whole.Schedules)
		})
	}
}

// The same with a crash, a lost reply, and the other programs, of the stages and
// drafts that are soon through without cutting.
func TestCuttingIsSoundInAllPrograms(t *testing.T) {
	skipWhereItIsTheSame(t)
	peace, crash, lost := Budget{Clients: 2}, Budget{Clients: 2, Crashes: 1}, Budget{Clients: 2, Lost: 1}
	for _, c := range []struct {
		Program
		Budget
		names string
	}{
		{Plain, crash, "v0 v1 v2 v5 v6 no_defer two_commands"},
		{Plain, lost, "v0 v1 v6"},
		{Tries, peace, "v0 v1 v2 v3 v4 v5 v6 v7 v5_watch two_commands_patched whole_seconds fixed_lease reset_expire won_but renewal"},
		{Tries, crash, "v1 v3 v4 v6 v7 no_count fixed_lease reset_expire won_but renewal"},
		{Tries, lost, "v1 v4 timeout_ignored won_but"},
		{Nested, peace, "v0 v1 v6 v7 fixed_lease renewal"},
		{Nested, crash, "v0 v2"},
		{Long, peace, "v0 v1 v2 v3 v4 v5 v6 v5_watch two_commands answer_dropped no_count shared_owner"},
		{Long, crash, "v0 v4"},
	} {
		for name := range strings.FieldsSeq(c.names) {
			i := slices.IndexFunc(everyStage(), func(s stages.Stage) bool { return strings.HasPrefix(s.Name, name) })
			require.GreaterOrEqual(t, i, 0, name)
			stage := everyStage()[i]
			t.Run(fmt.Sprintf("%s, %s, %v", stage, c.Program, c.Budget), func(t *testing.T) {
				t.Parallel()
				compare(t, Question{Stage: stage, Budget: c.Budget, Program: c.Program})
			})
		}
	}
}

func everyStage() []stages.Stage { return slices.Concat(stages.All(), stages.Drafts()) }

// The same with two slow steps, so that one state is reached at different prices;
// with what befalls a client, which need not be tried everywhere; and with what a
// watchdog is told, and what it is not.
func TestCuttingIsSoundInDearWays(t *testing.T) {
	skipWhereItIsTheSame(t)
	for name, q := range map[string]Question{
		"v4, slow":   {Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 2}},
		"v4, lost":   {Stage: stages.V4, Budget: Budget{Clients: 2, Lost: 1}},
		"v7, frozen": {Stage: stages.V7, Budget: Budget{Clients: 2, Freezes: 1}},
		"v3, crash":  {Stage: stages.V3, Budget: Budget{Clients: 2, Slow: 1, Crashes: 1}},
		"v7, crash":  {Stage: stages.V7, Budget: Budget{Clients: 2, Crashes: 1}},
		"v7, lost":   {Stage: stages.V7, Budget: Budget{Clients: 2, Lost: 1}},
		"v7, told":   {Stage: stages.V7, Budget: Budget{Clients: 2, Lost: 1}, NoRetries: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut, whole := compare(t, q)
			require.Less(t, cut.Schedules, whole.Schedules)
		})
	}
}

// allEnv is the environment variable that has the tests cut off nothing, for
// comparison.
const allEnv = "LOCKSTEP_TEST_ALL"

// skipWhereItIsTheSame leaves out what takes long, and of which the race detector
// and a real server would see no more than of any other search.
func skipWhereItIsTheSame(t *testing.T) {
	t.Helper()
	switch {
	case os.Getenv(allEnv) == "":
		t.Skipf("it takes long; %s=1 runs it", allEnv)
	case raced, os.Getenv(faults.ServerEnv) != "":
		t.Skip("the search is the same without the race detector, and on every server")
	}
}

// compare holds the search against one that cuts off nothing: it must come to the
// same outcomes, and to breaks as short.
func compare(t *testing.T, q Question) (cut, whole Report) {
	t.Helper()
	cut = ask(t, q)
	q.whole = true
	whole = ask(t, q)
	require.True(t, whole.Exhausted)
	require.Equal(t, slices.Sorted(maps.Keys(whole.outcomes)), slices.Sorted(maps.Keys(cut.outcomes)))
	for _, p := range Properties() {
		shortest, _ := whole.Broken(p)
		found, _ := cut.Broken(p)
		require.Len(t, found.Schedule, len(shortest.Schedule), p)
	}
	return cut, whole
}

func TestReplay(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 3}, Until: OwnHand}
	found, ok := ask(t, q).Broken(OwnHand)
	require.True(t, ok)
	once, err := Replay(q, found.Schedule)
	require.ErrorIs(t, err, faults.ErrBroken)
	again, err := Replay(q, found.Schedule)
	require.ErrorIs(t, err, faults.ErrBroken)
	require.Equal(t, once.String(), again.String())
	require.Contains(t, once.String(), "A deleted B's lock")

	parsed, err := faults.ParseSchedule(found.Schedule.String())
	require.NoError(t, err)
	require.Equal(t, found.Schedule, parsed)
}

func TestLook(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 3, Crashes: 1, Lost: 1, Freezes: 1}}
	look := func(word string) View {
		schedule, err := faults.ParseSchedule(word)
		require.NoError(t, err)
		view, err := Look(q, schedule)
		require.NoError(t, err)
		return view
	}
	offers := func(v View) string {
		var s faults.Schedule
		for _, m := range v.Moves {
			s = append(s, m.Choice)
		}
		return s.String()
	}

	begin := look("")
	require.Equal(t, "AB.A?B?A!A*B!B*", offers(begin))
	require.Equal(t, "SET lock:stock … PX 60 NX", begin.Clients[0].Sends[0])
	require.Empty(t, begin.Locks)

	inside := look("AB*.")
	require.True(t, inside.Clients[0].Inside)
	require.False(t, inside.Clients[1].Inside)
	require.Equal(t, 60*time.Millisecond, inside.Clients[1].Frozen)
	require.Equal(t, 20*time.Millisecond, inside.Now)
	require.Equal(t, "a", inside.Locks[0].Value)
	require.Equal(t, Budget{Slow: 2, Crashes: 1, Lost: 1}, inside.Left)
	require.Equal(t, "A.A?A!B!", offers(inside))

	require.Equal(t, []Property{OneInside}, look("A...B").Broken)
	over := look("AAAAA.BBBBB")
	require.True(t, over.Over)
	require.Empty(t, over.Moves)
	require.Zero(t, over.Books.Left)
	require.True(t, look("A!").Clients[0].Dead)

	q.Stage = stages.V7 // whose script the server doesn't know yet
	require.Equal(t, "acquireOrReenter lock:stock … 60 …", look("").Clients[0].Sends[0])
}

// From the middle of a game, the way to the next break is shorter.
func TestSearchFromAPlace(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 3}, Until: Any}
	require.Equal(t, "A...B", ask(t, q).Breaks[0].Schedule.String())
	q.From, _ = faults.ParseSchedule("A..")
	require.Equal(t, "A...B", ask(t, q).Breaks[0].Schedule.String())
	q.From, _ = faults.ParseSchedule("A...B")
	next, found := ask(t, q).Broken(TrueBooks)
	require.True(t, found)
	require.Greater(t, len(next.Schedule), len(q.From))
	q.From, _ = faults.ParseSchedule("AAAAA.BBBBB")
	require.Empty(t, ask(t, q).Breaks)
	q.From, _ = faults.ParseSchedule("C")
	_, err := Search(t.Context(), q)
	require.ErrorIs(t, err, faults.ErrSchedule)
	helpers, err := Helpers(1)
	require.NoError(t, err)
	helpers[0].Env = append(helpers[0].Environ(), serve+"=1")
	_, err = Search(t.Context(), q, helpers...)
	require.ErrorContains(t, err, faults.ErrSchedule.Error())
}

// What a state is compared with goes back to the start.
func TestSearchFromAPlaceNearADeadlock(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V1, Budget: Budget{Clients: 2, Crashes: 1, Lost: 1}, Until: Any}
	for _, from := range []string{"", "AA!B.", "AA!B.B"} {
		q.From, _ = faults.ParseSchedule(from)
		broken, found := ask(t, q).Broken(NoDeadlock)
		require.True(t, found)
		require.Equal(t, "AA!B.B", broken.Schedule.String(), "from %q", from)
	}

	// Where it has come to the same again, it goes on.
	require.Greater(t, ask(t, q).Deepest, len(q.From))
}

// A run that fails ends the search, be it one that confirms what was foreseen.
func TestSearchFailsWithARun(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V2, Budget: Budget{Clients: 2, Crashes: 1}}
	made, last := 0, math.MaxInt
	failed := errors.New("no more locks")
	q.Stage.New = func(f stages.Flow) (stages.Lock, error) {
		if made++; made > last {
			return nil, failed
		}
		return stages.V2.New(f)
	}
	whole, err := Search(t.Context(), q)
	require.NoError(t, err)
	require.True(t, whole.Exhausted)
	for all := made; all > 0; all-- {
		made, last = 0, all-1
		_, err = Search(t.Context(), q)
		require.ErrorContains(t, err, failed.Error(), "after %d locks", last)
	}
}

// What a search that fails has not taken in is left, so that it claims no more than it
// knows.
func TestFailedSearchHasAllThatIsLeft(t *testing.T) {
	t.Parallel()
	failed := errors.New("no more locks")
	q := Question{Stage: stages.V2, Budget: Budget{Clients: 2}}
	q.Stage.New = func(stages.Flow) (stages.Lock, error) { return nil, failed }
	waits := landing{State: state{Clients: []actor{{Waiting: true}}}, Offers: []faults.Choice{{Kind: faults.Tick}}}
	deadlock := trail{Path: make(faults.Schedule, 2), Places: []landing{waits, waits}} // that a run of its own must confirm
	fine := trail{Path: make(faults.Schedule, 1), Places: []landing{{}}}

	s := newSearch(q)
	follow := func(context.Context, []branch) ([]trail, error) { return []trail{fine, deadlock, fine}, nil }
	left, err := s.run(t.Context(), make([]branch, 3), follow)
	require.ErrorContains(t, err, failed.Error())
	require.Len(t, left, 2)
	require.Equal(t, 1, s.report.Schedules)

	follow = func(context.Context, []branch) ([]trail, error) { return nil, failed }
	left, err = s.run(t.Context(), make([]branch, 3), follow)
	require.ErrorIs(t, err, failed)
	require.Len(t, left, 3)
}

func TestReplayRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V1, Budget: Budget{Clients: 2}}
	for _, schedule := range []string{"C", "A2", "AAAAAA", "A!A"} {
		parsed, err := faults.ParseSchedule(schedule)
		require.NoError(t, err)
		_, err = Replay(q, parsed)
		require.ErrorIs(t, err, faults.ErrSchedule, schedule)
	}
}

func TestSearchRefusesImpossibleBudgets(t *testing.T) {
	t.Parallel()
	for _, b := range []Budget{{}, {Clients: 6}, {Clients: 2, Slow: -1}, {Clients: 2, Crashes: 3}, {Clients: 2, Slow: 1001}} {
		_, err := Search(t.Context(), Question{Stage: stages.V1, Budget: b})
		require.ErrorIs(t, err, ErrBudget)
	}
}

// Helpers come to the same result as one process alone.
func TestHelpers(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 3}}
	alone := ask(t, q)
	helpers, err := Helpers(2)
	require.NoError(t, err)
	for _, h := range helpers {
		h.Env = append(h.Environ(), serve+"=yes")
	}
	together, err := Search(t.Context(), q, helpers...)
	require.NoError(t, err)
	require.True(t, together.Exhausted)
	require.Equal(t, alone.outcomes, together.outcomes)
	require.Len(t, together.Breaks, len(alone.Breaks))
	for i, b := range alone.Breaks {
		require.Equal(t, b.Property, together.Breaks[i].Property)
		require.Len(t, together.Breaks[i].Schedule, len(b.Schedule))
	}
}

func TestHelperThatDies(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V4, Budget: Budget{Clients: 2, Slow: 3}}
	_, err := Search(t.Context(), q, exec.Command("false"))
	require.ErrorIs(t, err, ErrHelper)
	_, err = Search(t.Context(), q, exec.Command("there-is-no-such-program"))
	require.ErrorIs(t, err, ErrHelper)
	require.NotContains(t, err.Error(), "\n")

	mortal, err := Helpers(1)
	require.NoError(t, err)
	mortal[0].Env = append(mortal[0].Environ(), serve+"=once")
	r, err := Search(t.Context(), q, mortal...)
	require.ErrorIs(t, err, ErrHelper)
	require.EqualError(t, err, ErrHelper.Error()+": exit status 1: no more of this")
	require.Equal(t, 1, r.Runs)
	require.Positive(t, r.Depth)
	require.ErrorIs(t, Serve(strings.NewReader("nonsense"), io.Discard), ErrHelper)
}

// serve makes the test binary a helper of a search.
const serve = "LOCKSTEP_TEST_SERVE"

func TestMain(m *testing.M) {
	switch os.Getenv(serve) {
	case "":
		// A world lives for a millisecond and leaves much behind: let the garbage
		// of many be collected at once.
		debug.SetGCPercent(800)
		os.Exit(m.Run())
	case "once":
		answerOnce()
	case "never":
		neverAnswer()
		return
	}
	if err := Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A client that waits for its own mutex polls it for ever, and Redis hears nothing
// of it.
func TestAMutexInItsOwnWayIsADeadlock(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V0, Budget: Budget{Clients: 2, Slow: 2, Crashes: 1, Lost: 1}, Program: Nested}
	r := ask(t, q)
	require.True(t, r.Exhausted)
	broken, found := r.Broken(NoDeadlock)
	require.True(t, found)
	require.Equal(t, ".", broken.Schedule.String())
}

// A search ends in the middle of a run, and of a batch that helpers have.
func TestSearchStopsAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	run := newRun(Question{Stage: stages.V4, Budget: Budget{Clients: 2}})
	_, err := run.follow(ctx, nil, ender(cancel))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, run.path, 1)

	mute, err := Helpers(1)
	require.NoError(t, err)
	asked, ask, err := os.Pipe()
	require.NoError(t, err)
	mute[0].Env = append(mute[0].Environ(), serve+"=never")
	mute[0].ExtraFiles = []*os.File{ask}
	ctx, cancel = context.WithCancel(t.Context())
	go func() { // ends when the helper has its schedules
		_, _ = asked.Read(make([]byte, 1))
		cancel()
	}()
	r, err := Search(ctx, Question{Stage: stages.V4, Budget: Budget{Clients: 2}}, mute...)
	require.NoError(t, err)
	require.Zero(t, r.Schedules)
	require.False(t, r.Exhausted)
}

// ender is a guide that ends the search.
type ender func()

func (e ender) covers(*place, int) bool { return false }

func (e ender) pick(at *place) (faults.Choice, bool) {
	e()
	return at.Offers[0], true
}

// answerOnce is a helper that answers its first schedules, and dies of the next.
func answerOnce() {
	decode := gob.NewDecoder(os.Stdin)
	var o order
	var schedules []faults.Schedule
	_ = errors.Join(decode.Decode(&o), decode.Decode(&schedules))
	begin := landing{State: state{Clients: []actor{{Waiting: true}}}, Offers: []faults.Choice{{Kind: faults.Tick}}}
	_ = gob.NewEncoder(os.Stdout).Encode(answer{Trails: []trail{{Places: []landing{begin}}}})
	_ = decode.Decode(&schedules)
	fmt.Fprintln(os.Stderr, "no more of this\n\ngoroutine 1 [running]:")
	os.Exit(1)
}

// neverAnswer is a helper that is given schedules, and says on file 3 that it has
// them.
func neverAnswer() {
	decode := gob.NewDecoder(os.Stdin)
	var o order
	var schedules []faults.Schedule
	if decode.Decode(&o) == nil && decode.Decode(&schedules) == nil {
		_, _ = os.NewFile(3, "").WriteString("!")
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// What goes on for too long is cut off, and the report says so.
func TestTooDeep(t *testing.T) {
	t.Parallel()
	q := Question{Stage: stages.V1, Budget: Budget{Clients: 2}}
	require.False(t, ask(t, q).TooDeep)
	q.deepest = 3
	r := ask(t, q)
	require.True(t, r.TooDeep)
	require.False(t, r.Exhausted)
	require.Equal(t, 3, r.Depth)
}

// However the search comes to its end, all schedules shorter than Depth are run.
// Branches of a batch differ in length, and those of the last may be unlearned.
func TestDepthIsOfTheShortestLeft(t *testing.T) {
	t.Parallel()
	s := newSearch(Question{})
	s.todo = todo{{schedule: make(faults.Schedule, 3)}, {schedule: make(faults.Schedule, 5)}}
	waits := state{Clients: []actor{{Waiting: true}}}
	branches, err := s.shortest(t.Context(), 2)
	require.NoError(t, err)
	for _, b := range branches {
		here := waits
		here.Broken = []Property{Property(b.schedule.String())} // no two are the same
		require.NoError(t, s.learn(b, trail{Path: make(faults.Schedule, 7), Places: []landing{
			{State: waits, Offers: make([]faults.Choice, 1)},
			{State: here, Offers: []faults.Choice{{}, {Kind: faults.Pass}}},
		}}))
	}
	require.Equal(t, 4, s.sum().Depth) // the second choice after the first branch

	all := ask(t, Question{Stage: stages.V4, Budget: Budget{Clients: 2}})
	require.Equal(t, all.Deepest, all.Depth)
}

// A schedule that is foreseen is as long as one that is run.
func TestForeseenSchedulesAreAsDeep(t *testing.T) {
	t.Parallel()
	crash := faults.Choice{Kind: faults.Crash, Client: "A"}
	way := append(make(faults.Schedule, 8), crash)
	s := newSearch(Question{Budget: Budget{Clients: 1, Crashes: 1}})
	waits := landing{State: state{Clients: []actor{{Waiting: true}}}, Offers: []faults.Choice{crash}}
	s.todo = todo{{way, s.place(waits, nil)}}
	branches, err := s.shortest(t.Context(), 1)
	require.NoError(t, err)
	require.Empty(t, branches)
	require.Equal(t, 1, s.sum().Schedules)
	require.Equal(t, len(way), s.sum().Depth)
}

func TestSearchStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Search(ctx, Question{Stage: stages.V1, Budget: Budget{Clients: 2}})
	require.NoError(t, err)
	require.False(t, r.Exhausted)
	require.False(t, errors.Is(err, context.Canceled))
}
