package faults

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestReadCommand(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[string][]string{
		"*1\r\n$4\r\nPING\r\n":                                   {"PING"},
		"*3\r\n$3\r\nSET\r\n$0\r\n\r\n$2\r\n\r\n\r\n":            {"SET", "", "\r\n"},
		"*2\r\n$3\r\nGET\r\n$10\r\n*1\r\n$1\r\na\x00\r\n":        {"GET", "*1\r\n$1\r\na\x00"},
		"*1\r\n$01\r\na\r\n":                                     {"a"},
		"*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n":                     {"a"}, // a pipeline: the rest is left alone
		"*1\r\n$1\r\na\r\nrubbish":                               {"a"},
		"*2\r\n$1\r\n\xff\r\n$6\r\n\xe2\x98\x83\xe2\x98\xff\r\n": {"\xff", "\xe2\x98\x83\xe2\x98\xff"},
	} {
		for name, r := range map[string]io.Reader{
			"whole":        strings.NewReader(bytes),
			"byte by byte": iotest.OneByteReader(strings.NewReader(bytes)),
			"in halves":    iotest.HalfReader(strings.NewReader(bytes)),
		} {
			words, err := readCommand(bufio.NewReader(r))
			require.NoError(t, err, "%q %s", bytes, name)
			require.Equal(t, want, words, "%q %s", bytes, name)
		}
	}
}

func TestReadCommandRefuses(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[string]error{
		"":                               io.EOF, // between two commands: the client has gone
		"*":                              io.ErrUnexpectedEOF,
		"*1":                             io.ErrUnexpectedEOF,
		"*1\r\n$3\r\nab":                 io.EOF,
		"PING\r\n":                       errNotRESP,
		"\r\n":                           errNotRESP,
		"*0\r\n":                         errNotRESP,
		"*-1\r\n":                        errNotRESP,
		"*+1\r\n":                        errNotRESP,
		"* 1\r\n":                        errNotRESP,
		"*\r\n":                          errNotRESP,
		"*1\n":                           errNotRESP,
		"*x\r\n":                         errNotRESP,
		"*1048577\r\n":                   errNotRESP,
		"*99999999999999999999\r\n":      errNotRESP,
		"*00000000000000000001\r\n":      errNotRESP,
		"*1\r\n*1\r\n$1\r\na\r\n":        errNotRESP,
		"*1\r\n+OK\r\n":                  errNotRESP,
		"*1\r\n$-1\r\n":                  errNotRESP,
		"*1\r\n$536870913\r\n":           errTooBig,
		"*1\r\n$4194305\r\n":             errTooBig,
		"*1\r\n$3\r\nabcd\r\n":           errNotRESP,
		"*1\r\n$3\r\nab\r\n\r\n":         errNotRESP,
		"*2\r\n$1\r\na\r\n:1\r\n":        errNotRESP,
		"*1\r\n$2\r\nab\n\n":             errNotRESP,
		"*1\r\n$9223372036854775808\r\n": errNotRESP,
	} {
		words, err := readCommand(bufio.NewReader(strings.NewReader(bytes)))
		require.ErrorIs(t, err, want, "%q", bytes)
		require.Nil(t, words, "%q", bytes)
	}
}

// An error of the connection is what it is.
func TestReadCommandPassesErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	for _, bytes := range []string{"", "*1\r", "*1\r\n", "*1\r\n$3\r\nab"} {
		r := io.MultiReader(strings.NewReader(bytes), iotest.ErrReader(broken))
		_, err := readCommand(bufio.NewReader(r))
		require.ErrorIs(t, err, broken, "%q", bytes)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	loud := func(value string) string { return "<" + value + ">" }
	for reply, want := range map[string]string{
		"+OK\r\n":                                "OK",
		":-12\r\n":                               "-12",
		"$-1\r\n":                                "nil",
		"*-1\r\n":                                "nil",
		"_\r\n":                                  "nil",
		"$0\r\n\r\n":                             "<>",
		"$4\r\n\r\n\r\n\r\n":                     "<\r\n\r\n>",
		"*0\r\n":                                 "[]",
		"*3\r\n$1\r\na\r\n$-1\r\n*1\r\n:7\r\n":   "[<a> nil [7]]",
		"-ERR no such key\r\n":                   "ERR no such key",
		"-WRONGTYPE Operation against a key\r\n": "WRONGTYPE",
		"-NOSCRIPT No matching script.\r\n":      "NOSCRIPT",
		"*2\r\n+OK\r\n-WRONGTYPE against\r\n":    "[OK WRONGTYPE]",
		"":                                       "unreadable",
		"+":                                      "unreadable",
		"$5\r\nab":                               "unreadable",
		"*2\r\n:1\r\n":                           "unreadable",
	} {
		require.Equal(t, want, describe(reply, loud), "%q", reply)
	}
}

// A reply is one line, whatever the text says.
func TestErrorReply(t *testing.T) {
	t.Parallel()
	require.Equal(t, "-ERR a  b c\r\n", errorReply("ERR %s", "a\r\nb\nc"))
}
