package explore

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"lockstep/faults"
	"lockstep/stages"
)

// ErrHelper means that a helper of a search could not be started, or died.
var ErrHelper = errors.New("a helper of the search failed")

// A world passes from goroutine to goroutine all the time. On one processor that
// costs least, so two processors are used by two processes of one each. And they
// make much garbage that is soon gone.
var helperEnv = []string{"GOMAXPROCS=1", "GOGC=400"}

// order is what a helper is to search, without what can't travel.
type order struct {
	Stage     string
	Budget    Budget
	Program   Program
	Lease     int
	NoRetries bool
	From      faults.Schedule
}

// answer is what came of a batch of schedules.
type answer struct {
	Trails []trail
	Err    string
}

// Serve is the other end of a helper: it runs the schedules that it reads from in
// and writes to out what came of them, until in ends.
func Serve(in io.Reader, out io.Writer) error {
	decode, encode := gob.NewDecoder(in), gob.NewEncoder(out)
	var o order
	if err := decode.Decode(&o); err != nil {
		return fmt.Errorf("%w: %w", ErrHelper, err)
	}
	q := Question{Budget: o.Budget, Program: o.Program, Lease: o.Lease, NoRetries: o.NoRetries, From: o.From}
	for _, s := range slices.Concat(stages.All(), stages.Drafts()) {
		if s.Name == o.Stage {
			q.Stage = s
		}
	}
	if q.Stage.New == nil {
		return fmt.Errorf("%w: there is no stage %q", ErrHelper, o.Stage)
	}
	mine := newSearch(q)
	for {
		var schedules []faults.Schedule
		switch err := decode.Decode(&schedules); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", ErrHelper, err)
		}
		var a answer
		for _, schedule := range schedules {
			t, err := newRun(q).follow(context.Background(), schedule, mine) // who asks kills it
			if err != nil {
				a.Err = err.Error()
				break
			}
			mine.note(t, q.since(schedule)) // what it has run once, it need not again
			a.Trails = append(a.Trails, t)
		}
		if err := encode.Encode(a); err != nil {
			return fmt.Errorf("%w: %w", ErrHelper, err)
		}
	}
}

// team is the helpers of a search.
type team []*helper

// kill ends the helpers in the middle of what they do.
func (t team) kill() {
	for _, h := range t {
		_ = h.cmd.Process.Kill() // it may have ended by itself
	}
}

type helper struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	*gob.Encoder
	*gob.Decoder
	said *strings.Builder // on its standard error
}

// start starts helpers and tells them what to search.
func start(q Question, commands []*exec.Cmd) (team, error) {
	var t team
	for _, cmd := range commands {
		h, err := startOne(cmd)
		if err == nil {
			t = append(t, h)
			err = h.Encode(order{q.Stage.Name, q.Budget, q.Program, q.Lease, q.NoRetries, q.From})
		}
		if err != nil {
			t.end()
			return nil, fmt.Errorf("%w: %w", ErrHelper, err)
		}
	}
	return t, nil
}

func startOne(cmd *exec.Cmd) (*helper, error) {
	cmd.Env = append(cmd.Environ(), helperEnv...)
	h := &helper{cmd: cmd, said: &strings.Builder{}}
	cmd.Stderr = h.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.in, h.Encoder, h.Decoder = in, gob.NewEncoder(in), gob.NewDecoder(out)
	return h, cmd.Start()
}

// follow has each helper follow an equal share of the branches. Who gets which
// depends on their order alone, so equal searches take equal steps.
func (t team) follow(_ context.Context, branches []branch) ([]trail, error) {
	trails := make([]trail, len(branches))
	var all errgroup.Group
	for i, h := range t {
		all.Go(func() error {
			var share []faults.Schedule
			for j := i; j < len(branches); j += len(t) {
				share = append(share, branches[j].schedule)
			}
			if len(share) == 0 {
				return nil
			}
			a, err := h.ask(share)
			for k, got := range a.Trails {
				trails[i+k*len(t)] = got
			}
			return err
		})
	}
	return trails, all.Wait()
}

func (h *helper) ask(schedules []faults.Schedule) (answer, error) {
	var a answer
	err := h.Encode(schedules)
	if err == nil {
		err = h.Decode(&a)
	}
	switch {
	case err != nil:
		_ = h.in.Close()
		died := cmp.Or(h.cmd.Wait(), err) // how it ended says more than that it did
		if said, _, _ := strings.Cut(strings.TrimSpace(h.said.String()), "\n"); said != "" {
			return a, fmt.Errorf("%w: %w: %s", ErrHelper, died, said)
		}
		return a, fmt.Errorf("%w: %w", ErrHelper, died)
	case a.Err != "":
		return a, errors.New(a.Err)
	}
	return a, nil
}

// end lets the helpers end, and waits for it.
func (t team) end() {
	for _, h := range t {
		_ = h.in.Close()
	}
	for _, h := range t {
		_ = h.cmd.Wait() // its answers are in already
	}
}

// Helpers makes n commands, each of this very program with the arguments given,
// which must have it [Serve]: a program that goes on to search instead starts
// helpers of its own, without end.
func Helpers(n int, args ...string) ([]*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHelper, err)
	}
	var commands []*exec.Cmd
	for range n {
		cmd := exec.Command(program, args...)
		// A program may go by several names, and be another under each.
		cmd.Args[0] = os.Args[0]
		commands = append(commands, cmd)
	}
	return commands, nil
}
