package faults

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/proto"
)

// The limits of a command: more arguments than Redis takes, and values smaller
// than it takes (proto-max-bulk-len, 512 MB), because proto.Read makes room for
// a value as soon as it is announced.
const (
	biggestValue = 4 << 20
	mostWords    = 1 << 20
)

// Errors of the wire. The client gets to read them.
var (
	errNotRESP = errors.New("not a command in RESP")
	errTooBig  = fmt.Errorf("a value over %d MB, which is more than Lockstep's proxy carries", biggestValue>>20)
)

// readCommand reads one command as a client sends it: an array of bulk strings.
// Redis's inline form, meant for people at a telnet prompt, is refused.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := peekLength(r, '*', mostWords)
	if err != nil {
		return nil, err
	}
	if _, err := r.ReadString('\n'); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errNotRESP
	}
	var words []string
	for range n {
		size, err := peekLength(r, '$', math.MaxInt32)
		if err != nil {
			return nil, err
		}
		if size > biggestValue {
			return nil, errTooBig
		}
		raw, err := proto.Read(r)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(raw, "\r\n") {
			return nil, errNotRESP
		}
		end := len(raw) - len("\r\n")
		words = append(words, raw[end-size:end])
	}
	return words, nil
}

// peekLength reads the head of the next frame, like "$5\r\n", without taking it.
// proto.Read makes room for whatever a head announces, so a head has to be
// looked at first.
func peekLength(r *bufio.Reader, kind byte, most int) (int, error) {
	const longest = len("*1048576\r\n") + 4
	for n := 1; n <= longest; n++ {
		head, err := r.Peek(n)
		if err != nil {
			if n > 1 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		if head[0] != kind {
			return 0, errNotRESP
		}
		if head[n-1] != '\n' {
			continue
		}
		digits, ok := strings.CutSuffix(string(head[1:]), "\r\n")
		length, err := strconv.ParseUint(digits, 10, 31)
		if !ok || err != nil || int(length) > most {
			return 0, errNotRESP
		}
		return int(length), nil
	}
	return 0, errNotRESP
}

// encode is the command as it goes to the server.
func encode(words []string) []byte {
	var b strings.Builder
	// A strings.Builder never fails.
	_ = proto.Write(&b, words)
	return []byte(b.String())
}

// errorReply is a reply that refuses a command.
func errorReply(format string, args ...any) string {
	return "-" + strings.NewReplacer("\r", " ", "\n", " ").Replace(fmt.Sprintf(format, args...)) + "\r\n"
}

// describe shows a reply to a person: OK, 1, nil, "text", [1 nil]. text makes a
// value presentable.
func describe(reply string, text func(string) string) string {
	switch {
	case strings.HasPrefix(reply, "$-1"), strings.HasPrefix(reply, "*-1"), strings.HasPrefix(reply, "_"):
		return "nil"
	case strings.HasPrefix(reply, "$"):
		value, err := proto.ReadString(reply)
		if err != nil {
			return "unreadable"
		}
		return text(value)
	case strings.HasPrefix(reply, "*"):
		items, err := proto.ReadArray(reply)
		if err != nil {
			return "unreadable"
		}
		for i := range items {
			items[i] = describe(items[i], text)
		}
		return "[" + strings.Join(items, " ") + "]"
	case strings.HasPrefix(reply, "-"):
		message := strings.TrimSpace(reply[1:])
		code, _, _ := strings.Cut(message, " ")
		if code == "ERR" {
			return message
		}
		return code
	case len(reply) > 2:
		return strings.TrimSpace(reply[1:])
	}
	return "unreadable"
}
