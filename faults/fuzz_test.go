package faults

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzWire feeds a client's side of the wire: the reader of commands by itself,
// then a whole world. The seeds are in testdata/fuzz/FuzzWire.
func FuzzWire(f *testing.F) {
	f.Fuzz(func(t *testing.T, wire []byte) {
		checkReader(t, wire)
		checkEncoding(t, wire)
		if !script.Match(wire) {
			checkWorld(t, wire)
		}
	})
}

// script is the text of a script, which may loop for ever.
var script = regexp.MustCompile(`(?i)\b(eval|eval_ro|load)\r`)

// checkReader reads commands until the end: each has no more in it than came,
// and is read again from its encoding.
func checkReader(t *testing.T, wire []byte) {
	t.Helper()
	r := bufio.NewReader(bytes.NewReader(wire))
	for {
		words, err := readCommand(r)
		if err != nil {
			return
		}
		size := 0
		for _, word := range words {
			size += len(word)
		}
		require.NotEmpty(t, words)
		require.Less(t, size, len(wire))
		again, err := readCommand(bufio.NewReader(bytes.NewReader(encode(words))))
		require.NoError(t, err)
		require.Equal(t, words, again)
	}
}

// checkEncoding makes commands of the bytes: what encode wrote, readCommand reads.
func checkEncoding(t *testing.T, wire []byte) {
	t.Helper()
	var sent [][]string
	var out []byte
	for line := range bytes.SplitSeq(wire, []byte("\n")) {
		var words []string
		for word := range bytes.SplitSeq(line, []byte(" ")) {
			words = append(words, string(word))
		}
		sent = append(sent, words)
		out = append(out, encode(words)...)
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, want := range sent {
		words, err := readCommand(r)
		require.NoError(t, err)
		require.Equal(t, want, words)
	}
	_, err := readCommand(r)
	require.ErrorIs(t, err, io.EOF)
}

// checkWorld has a client without manners write the bytes: the world goes on,
// and its timeline can be shown.
func checkWorld(t *testing.T, wire []byte) {
	t.Helper()
	timeline, err := Run(Options{Watch: "k"}, func(w *World) error {
		a, b := w.Client("A"), w.Client("B")
		conn, err := a.connect()
		if err != nil {
			return err
		}
		a.Do("talk", func(context.Context) {
			go func() { _, _ = io.Copy(io.Discard, conn) }() // ends with the connection
			_, _ = conn.Write(wire)                          // the proxy may hang up
		})
		w.Sleep(time.Second)
		if a.Waiting() {
			return w.Broken("A hangs")
		}
		b.Do("PING", func(ctx context.Context) { err = b.Redis().Ping(ctx).Err() })
		return err
	})
	require.NoError(t, err)
	_ = timeline.String()
	_, err = timeline.JSON()
	require.NoError(t, err)
}
