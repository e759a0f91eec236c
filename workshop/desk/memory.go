package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// ErrForgets means that a result can't be remembered. It is told beside the
// result.
var ErrForgets = errors.New("progress can't be kept")

// remembered is a mark with what it is the mark of.
type remembered struct {
	Of   string
	Mark marking.Mark
}

// Mark says how an exercise stands. It runs only if what is remembered is of
// another lock than the one that is there, or of other checks. A starter is known
// to fail.
func (d *Desk) Mark(ctx context.Context, e workshop.Exercise) (marking.Mark, error) {
	if err := d.whole(e); err != nil {
		return marking.Mark{}, err
	}
	if d.untouched(e) {
		return marking.Mark{Exercise: e.Name, Outcome: marking.Untouched}, nil
	}
	of, err := d.fingerprint(e)
	if err != nil {
		return marking.Mark{}, err
	}
	if mark, ok := d.recall(e, of); ok {
		return mark, nil
	}
	return d.Run(ctx, e)
}

// Run runs an exercise, whatever is remembered, and remembers what comes of it.
// A version that passes is kept. With ErrForgets there is a mark as well.
func (d *Desk) Run(ctx context.Context, e workshop.Exercise) (marking.Mark, error) {
	if err := d.whole(e); err != nil {
		return marking.Mark{}, err
	}
	of, err := d.fingerprint(e)
	if err != nil {
		return marking.Mark{}, err
	}
	mark, err := d.Examine(ctx, e, d.File(e, ""))
	if err != nil {
		return marking.Mark{}, err
	}
	// If somebody has saved meanwhile, nobody knows what this is the mark of.
	if now, err := d.fingerprint(e); err != nil || now != of {
		return mark, err
	}
	if mark.Outcome == marking.Passes {
		if err := d.keepGreen(e); err != nil {
			return mark, fmt.Errorf("%w: %w", ErrForgets, err)
		}
	}
	text, err := json.MarshalIndent(remembered{Of: of, Mark: mark}, "", "  ")
	if err != nil {
		return mark, err
	}
	return mark, d.keep(e, "mark.json", text)
}

// recall is the mark that is remembered, if it is that of a fingerprint. What
// can't be read is as good as nothing.
func (d *Desk) recall(e workshop.Exercise, of string) (marking.Mark, bool) {
	r, err := d.remembered(e)
	if err != nil || r.Of != of {
		return marking.Mark{}, false
	}
	return r.Mark, true
}

// remembered is what is remembered of the last run of an exercise.
func (d *Desk) remembered(e workshop.Exercise) (r remembered, err error) {
	text, err := os.ReadFile(d.kept(e, "mark.json"))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// Passed reports whether an exercise passed when it last ran, whatever has changed
// since.
func (d *Desk) Passed(e workshop.Exercise) bool {
	r, err := d.remembered(e)
	return err == nil && r.Mark.Outcome == marking.Passes
}

// keep remembers something of an exercise. A reader finds the old text or the
// new one, and never half of it.
func (d *Desk) keep(e workshop.Exercise, name string, text []byte) error {
	path := d.kept(e, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("%w: %w", ErrForgets, err)
	}
	if err := write(path, text); err != nil {
		return fmt.Errorf("%w: %w", ErrForgets, err)
	}
	return nil
}

// write puts a file there in one step.
func write(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Revealed is how many of the hints of an exercise the learner has seen, of all
// that there are.
func (d *Desk) Revealed(e workshop.Exercise, all int) int {
	text, _ := os.ReadFile(d.kept(e, "hints")) // none, if there is no such file
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return max(0, min(n, all))
}

// Reveal shows one hint more, if there is one, and returns how many that makes.
func (d *Desk) Reveal(e workshop.Exercise, all int) (int, error) {
	n := min(d.Revealed(e, all)+1, all)
	return n, d.keep(e, "hints", fmt.Appendln(nil, n))
}

// Skipped reports whether the learner has left an exercise for later.
func (d *Desk) Skipped(e workshop.Exercise) bool {
	_, err := os.Stat(d.kept(e, "skipped"))
	return err == nil
}

// Skip leaves an exercise for later. That is not to have done it.
func (d *Desk) Skip(e workshop.Exercise) error { return d.keep(e, "skipped", nil) }

// Resume takes a Skip back.
func (d *Desk) Resume(e workshop.Exercise) error {
	if err := os.Remove(d.kept(e, "skipped")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrForgets, err)
	}
	return nil
}

// Next is the first exercise that doesn't pass and isn't skipped, or else the
// first that was skipped; it is false if all pass. What comes after it is not
// looked at.
func (d *Desk) Next(ctx context.Context) (workshop.Exercise, bool, error) {
	return d.NextOf(func(e workshop.Exercise) (bool, error) {
		mark, err := d.Mark(ctx, e)
		if errors.Is(err, ErrForgets) {
			err = nil
		}
		return mark.Outcome == marking.Passes, err
	})
}

// NextOf is Next for who knows already which exercises pass.
func (d *Desk) NextOf(passes func(workshop.Exercise) (bool, error)) (workshop.Exercise, bool, error) {
	for _, skipped := range []bool{false, true} {
		for _, e := range workshop.All() {
			if d.Skipped(e) != skipped {
				continue
			}
			if ok, err := passes(e); err != nil || !ok {
				return e, true, err
			}
		}
	}
	return workshop.Exercise{}, false, nil
}
