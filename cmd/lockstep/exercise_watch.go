package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"lockstep/workshop"
	"lockstep/workshop/marking"
	"lockstep/workshop/saves"
)

// watch runs an exercise after each save, on a terminal, until the learner has
// had enough.
func (l learner) watch(ctx context.Context, cmd *cobra.Command, args []string) error {
	e, left, err := l.asked(ctx, args)
	if err != nil {
		return err
	}
	if !left {
		return l.sayDone(cmd)
	}
	if len(args) > 0 {
		if err := l.Resume(e); err != nil {
			return err
		}
	}
	saved, err := saves.Watch(l.Exercises())
	if err != nil {
		return err
	}
	defer saved.Close() //nolint:errcheck // nobody watches any more
	ctx, cancel := context.WithCancel(ctx)
	w := &watching{learner: l, ctx: ctx, exercise: e, saved: saved.Next, wide: wide, high: 24}
	_, err = tea.NewProgram(w, tea.WithContext(ctx), tea.WithInput(cmd.InOrStdin()), tea.WithOutput(cmd.OutOrStdout())).Run()
	cancel()
	w.working.Lock() // when the processes of the runs are gone
	if errors.Is(err, tea.ErrInterrupted) {
		err = errInterrupted
	}
	return errors.Join(err, w.failed, say(cmd, fmt.Sprintf("Go on at any time with %s exercise --watch\n", self())))
}

// watching is a learner who saves, and looks. What came of each run is printed
// into the terminal's own history, where it can be scrolled to; only a few lines
// below it, on where one is and what to press, are drawn again and again.
type watching struct {
	learner
	ctx      context.Context // of all that is run here
	exercise workshop.Exercise
	saved    func(context.Context) ([]string, error) // waits for the next save

	run     int                // counts the runs; only the last one is of interest
	end     context.CancelFunc // ends the last run
	busy    bool               // it has not ended yet
	passed  bool               // it has, and well
	working sync.RWMutex       // is read-locked by whatever runs

	status []status // of all exercises, as far as known
	list   bool     // it was asked for
	print  []string // lines that wait to be printed
	prints bool     // some are being printed

	wide, high int
	colour     bool
	over       bool
	failed     error
}

// What a watching learner hears of.
type (
	savedMsg struct {
		folders []string
		err     error
	}
	ranMsg struct {
		run  int
		mark marking.Mark
		err  error
	}
	stoodMsg struct {
		all []status
		err error
	}
	nextMsg struct {
		next workshop.Exercise
		left bool
		err  error
	}
	printedMsg struct{}
)

// Init runs the first exercise, and begins to wait for a save.
func (w *watching) Init() tea.Cmd { return tea.Batch(w.start(), w.awaitSave) }

func (w *watching) awaitSave() tea.Msg {
	folders, err := w.saved(w.ctx)
	return savedMsg{folders, err}
}

// start runs the exercise, instead of what is still running.
func (w *watching) start() tea.Cmd {
	if w.end != nil {
		w.end()
	}
	var ctx context.Context
	ctx, w.end = context.WithCancel(w.ctx)
	w.run++
	w.busy, w.passed = true, false
	run, e := w.run, w.exercise
	return w.work(func() tea.Msg {
		mark, err := w.Run(ctx, e)
		return ranMsg{run, mark, err}
	})
}

// stand finds out how all exercises stand.
func (w *watching) stand() tea.Cmd {
	return w.work(func() tea.Msg {
		all, err := w.standings(w.ctx, func(status) error { return nil })
		return stoodMsg{all, err}
	})
}

// work is a command that is waited for at the end.
func (w *watching) work(do func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		w.working.RLock()
		defer w.working.RUnlock()
		return do()
	}
}

func (w *watching) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		w.wide, w.high = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		w.colour = msg.Profile > colorprofile.ASCII && os.Getenv("NO_COLOR") == ""
	case tea.KeyPressMsg:
		return w, w.press(msg.String())
	case savedMsg:
		return w, w.onSave(msg)
	case ranMsg:
		if msg.run != w.run || w.ctx.Err() != nil {
			return w, nil // of what was there before the last save
		}
		return w, w.onRun(msg)
	case stoodMsg:
		return w, w.onStood(msg)
	case nextMsg:
		return w, w.onNext(msg)
	case printedMsg:
		w.prints = false
		return w, w.printMore()
	}
	return w, nil
}

// press does what a key asks for.
func (w *watching) press(key string) tea.Cmd {
	switch key {
	case "ctrl+c":
		w.over, w.failed = true, errInterrupted
		return tea.Quit
	case "q", "ctrl+d":
		w.over = true
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "r":
		return w.start()
	case "h":
		p := w.page()
		if _, err := w.hint(p, w.exercise, true); err != nil {
			p.say("✗ %v", err)
		}
		return w.show(p)
	case "l":
		w.list = true
		if !w.busy { // else when the run has ended
			return w.stand()
		}
	case "s":
		if err := w.Skip(w.exercise); err != nil {
			p := w.page()
			p.say("✗ %v", err)
			return w.show(p)
		}
		w.end()
		return w.next()
	case "n":
		if !w.busy {
			return w.next()
		}
	}
	return nil
}

// next finds the next exercise.
func (w *watching) next() tea.Cmd {
	return w.work(func() tea.Msg {
		next, left, err := w.Next(w.ctx)
		return nextMsg{next, left, err}
	})
}

// onSave runs what was saved. Who saves another exercise means that one.
func (w *watching) onSave(msg savedMsg) tea.Cmd {
	if msg.err != nil {
		return nil // the end
	}
	if !slices.Contains(msg.folders, w.exercise.Name) {
		for _, e := range workshop.All() {
			if slices.Contains(msg.folders, e.Name) {
				w.exercise = e
				return tea.Batch(w.start(), w.awaitSave)
			}
		}
		return w.awaitSave // of no exercise
	}
	return tea.Batch(w.start(), w.awaitSave)
}

// onRun shows what came of a run.
func (w *watching) onRun(msg ranMsg) tea.Cmd {
	w.busy, w.passed = false, msg.mark.Outcome == marking.Passes
	p := w.page()
	p.say("── run %d: %s ──\n", msg.run, w.exercise.Name)
	note, err := forgets(msg.err)
	if err != nil {
		p.say("✗ %v", err)
	} else {
		w.came(p, w.exercise, msg.mark, false)
	}
	if note != "" {
		p.say("\n%s", note)
	}
	return tea.Batch(w.show(p), w.stand())
}

// onStood shows how far the learner is: in full, if they have asked.
func (w *watching) onStood(msg stoodMsg) tea.Cmd {
	if msg.err != nil {
		return nil // the end
	}
	w.status = msg.all
	if !w.list {
		return nil
	}
	w.list = false
	p := w.page()
	for _, s := range msg.all {
		p.stands(s)
	}
	return w.show(p)
}

// onNext goes to the next exercise.
func (w *watching) onNext(msg nextMsg) tea.Cmd {
	p := w.page()
	switch {
	case w.ctx.Err() != nil:
		return nil
	case !msg.left:
		p.say("✓ All %d exercises pass.", len(workshop.All()))
		return w.show(p)
	case msg.next.Name == w.exercise.Name && w.Skipped(w.exercise):
		p.say("%s is the first of those that are left: you have skipped them all.", w.exercise.Name)
		return w.show(p)
	case msg.next.Name == w.exercise.Name:
		p.say("%s is the next one: it does not pass yet. To leave it for later, press s.", w.exercise.Name)
		return w.show(p)
	}
	w.exercise = msg.next
	p.say("The next one is %s:", w.exercise.Name)
	w.files(p, w.exercise)
	return tea.Sequence(w.show(p), w.start())
}

// page is an empty page for this terminal. Its last column stays free: some
// terminals begin a new line there, and some don't.
func (w *watching) page() *page { return &page{wide: max(10, min(wide, w.wide-1))} }

// show prints a page above what is drawn.
func (w *watching) show(p *page) tea.Cmd {
	text := p.String()
	if w.colour {
		text = paint(text)
	}
	// What is wider than the terminal, a timeline, say, is broken here: else
	// nobody knows how many lines it takes.
	text = lipgloss.Wrap(strings.ReplaceAll(text, "\t", "    "), max(10, w.wide-1), "")
	w.print = append(w.print, "")
	w.print = append(w.print, strings.Split(strings.TrimRight(text, "\n"), "\n")...)
	return w.printMore()
}

// printMore prints some of the lines that wait, as many as have room above what
// is drawn: more would push that into the history too.
func (w *watching) printMore() tea.Cmd {
	if w.prints || len(w.print) == 0 {
		return nil
	}
	w.prints = true
	room := max(1, w.high-lipgloss.Height(w.below())-1)
	n := min(room, len(w.print))
	lines := strings.Join(w.print[:n], "\n")
	w.print = w.print[n:]
	return tea.Sequence(tea.Println(lines), func() tea.Msg { return printedMsg{} })
}

// below is what is drawn below the history: where one is, and what to press.
func (w *watching) below() string {
	if w.over {
		return ""
	}
	p := w.page()
	p.WriteString("\n")
	if len(w.status) > 0 {
		p.say("%s", bar(w.status))
	}
	keys := "h hint  s skip  l list  r run  q quit"
	switch {
	case w.busy:
		p.say("%s is built and run …", w.exercise.Name)
	case w.passed:
		p.say("✓ %s passes.", w.exercise.Name)
		keys = "n next  l list  r run  q quit"
	default:
		p.say("Save %s to run it.", w.path(w.File(w.exercise, "lock.go")))
	}
	p.say("%s", keys)
	// What is drawn must be lower than the terminal. The keys stay.
	lines := strings.Split(strings.TrimRight(p.String(), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-max(1, w.high-1)):], "\n")
}

func (w *watching) View() tea.View {
	text := w.below()
	if w.colour {
		text = paint(text)
	}
	return tea.NewView(text)
}
