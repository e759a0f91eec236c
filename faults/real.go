package faults

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2/proto"
)

// ServerEnv is the environment variable that names the binary of a real server,
// like redis-server. Without it worlds use the embedded one.
const ServerEnv = "LOCKSTEP_SERVER"

const (
	// startLimit is how long, in real time, a server has to start.
	startLimit = 10 * time.Second

	// oldestMajor is the first Redis that can tell when a key expires
	// (PEXPIRETIME).
	oldestMajor = 7
)

// real is a private server process that this program started, and no other. It
// serves one world at a time.
//
// Its clock is the machine's, so the leases it keeps would outlast a run that
// takes milliseconds. The truth about a lease is in the book: sync ends each
// key at its fake time, and brings the others' remaining time in line so that a
// command that asks for it gets a true answer.
type real struct {
	socket string
	admin  *proto.Client
	died   chan struct{} // closed with the process
	closeP func()        // ends the process

	book    map[string]entry
	keys    []Key
	syncSHA string // of the script syncKeys
}

// entry is what the book says of one key's lease.
type entry struct {
	ends    time.Duration // fake
	expires int64         // ms of the server's clock, to see whether a command set it anew
	synced  time.Duration // fake: when the server's idea was last brought in line
}

// The idle servers of this program. A world takes one, or starts one more.
var idle struct {
	sync.Mutex
	servers []*real
}

// lendServer returns what opens a server inside the bubble, and what to do with
// it after. A real process is started here, outside.
func lendServer() (open func() (server, error), release func()) {
	binary := os.Getenv(ServerEnv)
	if binary == "" {
		return openEmbedded, func() {}
	}
	r, err := borrow(binary)
	if err != nil {
		fmt.Fprintf(os.Stderr, "lockstep: %s=%s: %v\n", ServerEnv, binary, err)
		os.Exit(1)
	}
	return r.open, r.giveBack
}

// TryServer starts the server that LOCKSTEP_SERVER names, and keeps it for the
// first world. It returns why that can't be, in one line, for a program that
// wants to say so in its own way. There is nothing to try of the embedded server.
func TryServer() error {
	binary := os.Getenv(ServerEnv)
	if binary == "" {
		return nil
	}
	r, err := borrow(binary)
	if err == nil {
		r.giveBack()
	}
	return err
}

func (r *real) giveBack() {
	select {
	case <-r.died: // a play has shut it down
		return
	default:
	}
	idle.Lock()
	defer idle.Unlock()
	idle.servers = append(idle.servers, r)
}

func borrow(binary string) (*real, error) {
	idle.Lock()
	defer idle.Unlock()
	if n := len(idle.servers); n > 0 {
		r := idle.servers[n-1]
		idle.servers = idle.servers[:n-1]
		return r, nil
	}
	return startReal(binary)
}

// keeper runs the server and ends it when standard input does, which is when
// this program ends, however it ends. Then it removes the server's folder.
//
// What was started may be a script that starts the server, and that ends before it, or
// before it has written its pid file. So where nobody has met the server yet, the keeper
// waits for that file a while.
const keeper = `
trap '' INT HUP QUIT
dir=$1; shift
exec 3<&0
end() {
	kill "$@"
	for try in 1 2 3 4 5; do
		alive=
		for one; do kill -0 $one && alive=yes; done
		[ "$alive" ] || return
		sleep 0.1
	done
	kill -9 "$@" # it was asked
}
"$@" </dev/null 3<&- &
server=$!
{ cat <&3 >/dev/null; end $server $(cat "$dir/pid"); } 2>/dev/null &
watcher=$!
wait $server
kill $watcher 2>/dev/null # soon that number may be another's
for try in 1 2 3 4 5 6 7 8 9 10; do
	if [ -e "$dir/met" ] || [ -e "$dir/pid" ]; then break; fi
	sleep 0.1
done
if [ -e "$dir/pid" ]; then end $(cat "$dir/pid"); fi 2>/dev/null
rm -rf "$dir"
`

// startReal starts a private server: a socket in a temporary folder, no port,
// nothing kept on disk.
func startReal(binary string) (*real, error) {
	path, err := exec.LookPath(binary)
	if err != nil {
		why := "there is no such server"
		_, missing := os.Stat(binary)
		switch {
		case missing == nil:
			why = "it is no program that can be run"
		case !filepath.IsAbs(binary) && filepath.Base(binary) != binary:
			why += " where this test runs, in the folder of its package: give the whole path"
		}
		return nil, fmt.Errorf("%s; install redis-server (7.0 or later), or unset %s", why, ServerEnv)
	}
	dir, err := os.MkdirTemp("", "lockstep-")
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the server has a copy
	r := &real{socket: filepath.Join(dir, "redis.sock"), died: make(chan struct{})}
	cmd := exec.Command("sh", "-c", keeper, "lockstep", dir, path,
		"--port", "0", "--unixsocket", r.socket, "--dir", dir, "--pidfile", filepath.Join(dir, "pid"), "--save", "", "--appendonly", "no")
	cmd.Stdout, cmd.Stderr = log, log
	apart(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r.closeP = func() { _ = stdin.Close() }
	go func() { // ends with the server
		_ = cmd.Wait()
		close(r.died)
	}()
	err = r.greet()
	if err == nil { // so that the keeper need not wait for who it is
		err = os.WriteFile(filepath.Join(dir, "met"), nil, 0o600)
	}
	if err != nil {
		r.closeP()
		said := lastLine(log)
		if said != "" {
			err = fmt.Errorf("%w; its last words: %s", err, said)
		}
		return nil, err
	}
	return r, nil
}

// greet waits until the server answers, and asks for its version.
func (r *real) greet() error {
	var conn net.Conn
	for deadline := time.Now().Add(startLimit); ; {
		var err error
		if conn, err = r.dial(); err == nil {
			r.admin = proto.NewClient(conn)
			if err := conn.SetDeadline(deadline); err != nil {
				return err
			}
			break
		}
		select {
		case <-r.died:
			return errors.New("the server ended as soon as it was started: is it a redis-server?")
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server did not answer within %v", startLimit)
		}
	}
	raw, err := r.admin.Do("INFO", "server")
	if err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	version := field(raw, "redis_version:")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestMajor {
		return fmt.Errorf("the server calls itself version %q, and this needs %d.0 or later", version, oldestMajor)
	}
	return nil
}

// field is the rest of the line that begins with prefix.
func field(text, prefix string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// lastLine is the last line of a log, whose name may be gone already.
func lastLine(log *os.File) string {
	text, _ := io.ReadAll(io.NewSectionReader(log, 0, 1<<20)) // no words are fine too
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// open empties the server for a new world. It is our own process: nobody's data
// is in it.
func (r *real) open() (server, error) {
	r.book, r.keys = map[string]entry{}, nil
	for _, words := range [][]string{{"FLUSHALL"}, {"SCRIPT", "FLUSH"}} {
		if err := okay(r.admin.Do(words...)); err != nil {
			return nil, err
		}
	}
	reply, err := r.admin.Do("SCRIPT", "LOAD", syncKeys)
	if err := okay(reply, err); err != nil {
		return nil, err
	}
	r.syncSHA, err = proto.ReadString(reply)
	return r, err
}

func okay(reply string, err error) error {
	if err == nil && strings.HasPrefix(reply, "-") {
		err = errors.New(strings.TrimSpace(reply[1:]))
	}
	return err
}

func (r *real) dial() (net.Conn, error) { return net.Dial("unix", r.socket) }

func (r *real) put(key, value string) error {
	return okay(r.admin.Do("SET", key, value))
}

// close leaves the process running for the next world.
func (r *real) close() {}

// shortest is what a lease, in ms, is stretched to on the server when it has
// half of that left or less: a slow machine must not end it before the book does.
// So a script that asks how long a short lease lasts gets a wrong answer. It is
// an odd number, because a new lease of just this length would not look new.
const shortest = 1013

// syncKeys ends or shortens leases, and reports the server's time and each key:
// name, when it expires, when it expires now that shortest is seen to, and its
// content, preceded by its length.
// (1013 in the script is shortest, and 507 is half of it.)
const syncKeys = `
for i = 1, #ARGV, 2 do
	local left = tonumber(ARGV[i + 1])
	if left <= 0 then
		redis.call('DEL', ARGV[i])
	else
		redis.call('PEXPIRE', ARGV[i], left)
	end
end
local t = redis.call('TIME')
local out = { string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000)) }
for _, key in ipairs(redis.call('KEYS', '*')) do
	table.insert(out, key)
	table.insert(out, string.format('%d', redis.call('PEXPIRETIME', key)))
	local left = redis.call('PTTL', key)
	if left >= 0 and left < 507 then
		redis.call('PEXPIRE', key, 1013)
	end
	table.insert(out, string.format('%d', redis.call('PEXPIRETIME', key)))
	local kind, content = redis.call('TYPE', key).ok, {}
	if kind == 'string' then
		content = { redis.call('GET', key) }
	elseif kind == 'hash' then
		content = redis.call('HGETALL', key)
	end
	table.insert(out, kind)
	table.insert(out, string.format('%d', #content))
	for _, item in ipairs(content) do
		table.insert(out, item)
	end
end
return out
`

func (r *real) sync(now time.Duration, sent []string) ([]Key, error) {
	var args []string
	for key, e := range r.book {
		if e.synced < now {
			left := (e.ends - now + time.Millisecond - 1).Milliseconds()
			if left > 0 && left < shortest {
				continue // the book will end it; to shorten it now would wake who WATCHes
			}
			args = append(args, key, strconv.FormatInt(left, 10))
		}
	}
	if sent == nil && len(args) == 0 {
		return r.keys, nil // nothing has happened since the last sync
	}
	reply, err := r.admin.Do(append([]string{"EVALSHA", r.syncSHA, "0"}, args...)...)
	if isNoScript(reply) { // a play has flushed the scripts
		reply, err = r.admin.Do(append([]string{"EVAL", syncKeys, "0"}, args...)...)
	}
	if err := okay(reply, err); err != nil {
		return nil, err
	}
	items, err := proto.ReadStrings(reply)
	if err != nil {
		return nil, err
	}
	return r.read(items, now, sent)
}

// read takes in the answer of syncKeys.
func (r *real) read(items []string, now time.Duration, sent []string) ([]Key, error) {
	clock, err := strconv.ParseInt(items[0], 10, 64)
	if err != nil {
		return nil, err
	}
	book := map[string]entry{}
	r.keys = nil
	for items = items[1:]; len(items) > 0; {
		name, kind := items[0], items[3]
		expires, err1 := strconv.ParseInt(items[1], 10, 64)
		after, err2 := strconv.ParseInt(items[2], 10, 64)
		n, err3 := strconv.Atoi(items[4])
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		content := items[5 : 5+n]
		items = items[5+n:]

		k := Key{Name: name, Type: kind, Ends: Never}
		if expires >= 0 {
			e, known := r.book[name]
			if sent != nil && (!known || e.expires != expires) {
				e.ends = now + lease(min(expires-clock, longestLease.Milliseconds()), sent)
			}
			e.expires, e.synced = after, now
			book[name] = e
			k.Ends = e.ends
		}
		switch kind {
		case "string":
			k.Value = content[0]
		case "hash":
			for i := 0; i < n; i += 2 {
				k.Fields = append(k.Fields, Field{content[i], content[i+1]})
			}
			slices.SortFunc(k.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
		}
		r.keys = append(r.keys, k)
	}
	r.book = book
	slices.SortFunc(r.keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return r.keys, nil
}

// drift is how much of a new lease, in ms, may have gone by on the server's
// clock before sync looked at it, on a machine that is very busy, and usual on
// one that is not.
const (
	drift = 2000
	usual = 50
)

// lease finds the length that a command gave a lease, of which the server has
// left ms left a moment later. It is the nearest number that was sent, in ms or
// in seconds, or else, where a script knows it by heart, the roundest one that
// is near enough.
func lease(left int64, sent []string) time.Duration {
	nearest := int64(math.MaxInt64)
	for _, word := range sent {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n > math.MaxInt64/1000 {
			continue
		}
		for _, ms := range []int64{n, n * 1000} {
			if ms >= left && ms <= left+drift {
				nearest = min(nearest, ms)
			}
		}
	}
	if nearest <= longestLease.Milliseconds() {
		return time.Duration(nearest) * time.Millisecond
	}
	for _, round := range []int64{1000, 100, 10, 1} {
		if ms := (left + round - 1) / round * round; ms <= left+usual {
			return time.Duration(ms) * time.Millisecond
		}
	}
	return time.Duration(left) * time.Millisecond
}

// speaksUp is false: this server's clock is real, and nobody knows when it has
// said all that it has to say.
func (r *real) speaksUp() bool { return false }
