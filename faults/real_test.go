package faults_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"lockstep/faults"
)

// roleEnv has this test binary play a role in place of the tests.
const roleEnv = "LOCKSTEP_TEST_ROLE"

func TestMain(m *testing.M) {
	if i := slices.Index(os.Args, "--unixsocket"); i > 0 {
		actAsServer(os.Args[i+1]) // somebody started this as LOCKSTEP_SERVER
		return
	}
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	case "print plays":
		for _, play := range plays {
			fmt.Println(faults.Run(watched, play))
		}
	default:
		holdServer(role)
	}
}

// inRole is this test binary in a role, with the server named.
func inRole(t *testing.T, server, role string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), faults.ServerEnv+"="+server, roleEnv+"="+role, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// realServer is the binary of a real server, or the end of the test.
func realServer(t *testing.T) string {
	t.Helper()
	server := os.Getenv(faults.ServerEnv)
	if server == "" {
		server = "redis-server"
	}
	path, err := exec.LookPath(server)
	if err != nil {
		t.Skipf("no real server: %v", err)
	}
	return path
}

// plays are those that must come out equal on every server. They keep to
// leases of whole seconds.
var plays = []func(*faults.World) error{
	misDelete,
	func(w *faults.World) error {
		a, b := w.Client("A"), w.Client("B")
		send(a, "HSET", "lock", uuid, 1)
		send(a, "PEXPIRE", "lock", 30000)
		b.LoseReply("release")
		b.Do("release", func(ctx context.Context) { release.Run(ctx, b.Redis(), []string{"lock"}) })
		w.Await(b, time.Second)
		send(b, "SET", "lock", hex32, "EX", 10, "NX")
		poll(a)
		w.Sleep(9 * time.Second)
		send(b, "EXPIRE", "lock", 20)
		a.Crash()
		w.Sleep(21 * time.Second)
		return nil
	},
	func(w *faults.World) error {
		a := w.Client("A")
		w.Put("stock", "500")
		pipe(a, true, []any{"SET", "lock:1", base32, "PX", 2000}, []any{"DECR", "stock"}, []any{"GET", "nothing"})
		pipe(a, false, []any{"LPUSH", "lock:2", "x"}, []any{"GET", "lock:2"}, []any{"SET", "lock:2", "", "EX", 3})
		w.Sleep(2 * time.Second)
		w.Sleep(time.Second)
		return w.Broken("%v", held(w))
	},
}

func TestEqualOnEveryServer(t *testing.T) {
	t.Parallel()
	onReal, err := inRole(t, realServer(t), "print plays").CombinedOutput()
	require.NoError(t, err, "%s", onReal)
	onEmbedded, err := inRole(t, "", "print plays").CombinedOutput()
	require.NoError(t, err, "%s", onEmbedded)
	require.Contains(t, string(onEmbedded), "the lease of lock ends")
	require.Equal(t, string(onEmbedded), string(onReal))
}

// holdServer plays on a real server, tells its socket, and ends as the role
// says when standard input does.
func holdServer(end string) {
	_, err := faults.Run(watched, func(w *faults.World) error {
		fmt.Println(send(w.Client("A"), "CONFIG", "GET", "unixsocket").Slice())
		return nil
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	switch end {
	case "exit":
		os.Exit(0)
	case "panic":
		panic("the end")
	}
}

// However the program ends, so do its server and the folder with it.
func TestServerEndsWithTheProgram(t *testing.T) {
	faults.WaitsInRealTime(t)
	t.Parallel()
	for _, end := range []string{"return", "exit", "panic", "kill"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			cmd := inRole(t, realServer(t), end)
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(stdout).ReadString('\n') // [unixsocket /tmp/…] <nil>
			require.NoError(t, err)
			require.Contains(t, line, " ", line)
			socket, _, _ := strings.Cut(strings.Fields(line)[1], "]")
			conn, err := net.Dial("unix", socket)
			require.NoError(t, err)

			if end == "kill" {
				require.NoError(t, cmd.Process.Kill())
			}
			require.NoError(t, stdin.Close())
			_ = cmd.Wait() // it may well have failed

			// The server hangs up when it ends; then its folder goes.
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
			_, err = conn.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
			gone := func() bool {
				_, err := os.Stat(filepath.Dir(socket))
				return errors.Is(err, os.ErrNotExist)
			}
			for deadline := time.Now().Add(10 * time.Second); !gone() && time.Now().Before(deadline); {
			}
			require.True(t, gone(), "%s is still there", filepath.Dir(socket))
		})
	}
}

// actAsServer is a program that is no good as a server: it claims to be an old
// one, or says something and ends.
func actAsServer(socket string) {
	if os.Getenv(roleEnv) != "old" {
		fmt.Fprintln(os.Stderr, "first words\nI am no server")
		os.Exit(3)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		panic(err)
	}
	conn, err := l.Accept()
	if err != nil {
		panic(err)
	}
	_, _ = conn.Read(make([]byte, 1000)) // INFO
	_, _ = io.WriteString(conn, "$30\r\n# Server\r\nredis_version:6.2.14\r\n\r\n")
	_, _ = io.Copy(io.Discard, conn)
}

// A server that can't be used is one line on standard error and status 1: no
// test after that would mean anything.
func TestServerThatCantBeUsed(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		server, role, says string

		waits bool // for what a script might have started
	}{
		"missing":       {"no-such-server", "return", "there is no such server; install redis-server (7.0 or later), or unset LOCKSTEP_SERVER", false},
		"not from here": {"./redis-server", "return", "there is no such server where this test runs, in the folder of its package: give the whole path; install redis-server (7.0 or later), or unset LOCKSTEP_SERVER", false},
		"a folder":      {os.TempDir(), "return", "it is no program that can be run", false},
		"ends at once":  {"false", "return", "the server ended as soon as it was started: is it a redis-server?", true},
		"no server":     {self, "return", "the server ended as soon as it was started: is it a redis-server?; its last words: I am no server", true},
		"an old server": {self, "old", `the server calls itself version "6.2.14", and this needs 7.0 or later`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.waits {
				faults.WaitsInRealTime(t)
			}
			cmd := inRole(t, c.server, c.role)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			require.Error(t, cmd.Run())
			require.Equal(t, 1, cmd.ProcessState.ExitCode())
			require.Empty(t, stdout.String())
			require.Contains(t, stderr.String(), "lockstep: LOCKSTEP_SERVER="+c.server+": "+c.says)
			require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
		})
	}
}
