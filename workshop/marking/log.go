package marking

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"unicode"

	"lockstep/workshop"
)

// event is a line of go test -json, as far as it is needed here.
type event struct {
	Action      string // start, run, output, pass, fail, skip; build-output
	Package     string // lockstep/exercises/e4_owner
	Test        string // TestMisDelete; empty for the program as a whole
	Output      string
	ImportPath  string // of a package that is built
	FailedBuild string // the ImportPath of what did not build
}

// log is what a go test told of the exercises that it ran.
type log struct {
	seal    string
	results map[string]*result  // by exercise
	built   map[string]*excerpt // what the compiler said, by ImportPath
}

// result is what was told of one exercise.
type result struct {
	begun, over bool                // as a program
	failed      bool                // as a whole
	last        string              // the check that began last
	sealed      map[string]bool     // checks that passed, by their own words
	ended       map[string]string   // check: pass, fail or skip, as go test has it
	said        map[string]*excerpt // check: its output; "" is what belongs to none
	printed     int                 // bytes
	unbuilt     *excerpt            // what the compiler said, if it does not build
	cut         string              // why it was ended from outside, if it was
}

func newLog(seal string) *log {
	return &log{seal: seal, results: map[string]*result{}, built: map[string]*excerpt{}}
}

// of is the result of an exercise, so far.
func (l *log) of(exercise string) *result {
	if l.results[exercise] == nil {
		l.results[exercise] = &result{sealed: map[string]bool{}, ended: map[string]string{}, said: map[string]*excerpt{}}
	}
	return l.results[exercise]
}

// read takes in the events, until there are no more or an exercise has printed
// more than limit. It returns that one's name.
func (l *log) read(from io.Reader, limit int) (culprit string) {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = in.ReadSlice('\n') // no event is so long; what is left of it is none
		}
		var e event
		if json.Unmarshal(line, &e) == nil {
			if l.take(e); e.Package != "" && l.of(path.Base(e.Package)).printed > limit {
				return path.Base(e.Package)
			}
		}
		if err != nil {
			return ""
		}
	}
}

// take takes in an event.
func (l *log) take(e event) {
	if e.Action == "build-output" {
		if l.built[e.ImportPath] == nil {
			l.built[e.ImportPath] = &excerpt{}
		}
		l.built[e.ImportPath].add(e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	r := l.of(path.Base(e.Package))
	check := strings.TrimPrefix(e.Test, "Test")
	switch e.Action {
	case "start":
		r.begun = true
	case "run":
		r.last = check
	case "output":
		r.printed += len(e.Output)
		if strings.HasSuffix(strings.TrimSpace(e.Output), workshop.Sealed(l.seal, check)) {
			r.sealed[check] = true
			return
		}
		if r.said[check] == nil {
			r.said[check] = &excerpt{}
		}
		r.said[check].add(e.Output)
	case "pass", "fail", "skip":
		// What is told of the program at its end looks like that of a check, where
		// the program ended in the middle of one.
		r.failed, r.unbuilt = e.Action == "fail", l.built[e.FailedBuild]
		r.over = r.over || check == ""
		r.ended[check] = e.Action
	}
}

// longestSaid is how much is kept of what one check prints, in bytes.
const longestSaid = 32 << 10

// excerpt is the beginning and the end of a text: what went wrong stands in the
// one, and what came of it in the other.
type excerpt struct {
	head, tail []byte
	cut        bool
}

func (x *excerpt) add(s string) {
	if room := longestSaid/2 - len(x.head); room > 0 {
		n := min(room, len(s))
		x.head, s = append(x.head, s[:n]...), s[n:]
	}
	x.tail = append(x.tail, s...)
	if len(x.tail) > longestSaid { // half of it at a time, so that little is copied
		x.tail, x.cut = append(x.tail[:0], x.tail[len(x.tail)-longestSaid/2:]...), true
	}
}

func (x *excerpt) String() string {
	if x == nil {
		return ""
	}
	text := string(x.head)
	if x.cut {
		text += "\n… much is left out here …\n"
	}
	return strings.Map(printable, strings.ToValidUTF8(text+string(x.tail), ""))
}

// printable leaves out what could play tricks on the terminal of who reads it.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}
