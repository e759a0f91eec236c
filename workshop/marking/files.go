package marking

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	longestFile = 1 << 20 // bytes of a file that is a learner's
	mostFiles   = 100     // of an exercise
)

// files are a learner's files by name, as far as they take part: Go without
// tests, and the Lua that Go may embed.
type files map[string][]byte

// takesPart reports whether a file is one of those.
func takesPart(name string) bool {
	switch filepath.Ext(name) {
	case ".go":
		return !strings.HasSuffix(name, "_test.go")
	case ".lua":
		return true
	}
	return false
}

// read reads the files of an exercise in dir. Where there is no dir the error is
// fs.ErrNotExist; what else there is to complain about is the learner's doing.
func read(dir string) (files, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := files{}
	for _, entry := range entries {
		name := entry.Name()
		if !takesPart(name) {
			continue
		}
		if len(all) == mostFiles {
			return nil, fmt.Errorf("%s has more than %d files", dir, mostFiles)
		}
		if all[name], err = readFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no Go file", dir)
	}
	return all, nil
}

// readFile reads a regular file of a sensible size.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s leads nowhere", path) // a link
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Size() > longestFile:
		return nil, fmt.Errorf("%s has more than %d MB", path, longestFile>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was read
	return io.ReadAll(io.LimitReader(f, longestFile))
}

// same reports whether there is nothing but the starter.
func (f files) same(starter string) bool {
	unix := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") } // Git may have changed that
	return len(f) == 1 && unix(string(f["lock.go"])) == unix(starter)
}

// notYours says what is wrong with an import, by its path or the path's beginning
// with a slash. The stages are solutions; and what reaches into other packages'
// memory, or other languages, could make any check pass.
var notYours = []struct{ path, why string }{
	{"lockstep", "a lock of your own needs go-redis and the standard library, and nothing else"},
	{"lockstep/", "a lock of your own needs go-redis and the standard library, and nothing else"},
	{"unsafe", "a lock needs nothing of it"},
	{"C", "a lock needs nothing but Go"},
}

// handedIn is the name under which the tests of an exercise have the lock.
const handedIn = "mine"

// borrowed says what is used that can't be part of a lock of one's own; it is
// empty if nothing is.
func (f files) borrowed() string {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, f[name], 0) // the compiler says better what is wrong
		if file == nil {
			continue
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			for _, not := range notYours {
				if err == nil && (path == not.path || strings.HasSuffix(not.path, "/") && strings.HasPrefix(path, not.path)) {
					return fmt.Sprintf("%s imports %s: %s", name, path, not.why)
				}
			}
		}
		if slices.ContainsFunc(file.Unresolved, func(id *ast.Ident) bool { return id.Name == handedIn }) {
			return fmt.Sprintf("%s uses %s, which belongs to lock_test.go: a lock knows nothing of its tests", name, handedIn)
		}
	}
	return ""
}

// bench is a folder for one run: the learner's files, and whatever the build and
// the tests leave behind.
type bench struct {
	dir     string
	overlay string // path of what a go build is told of the learner's files
}

// newBench has a go build find the learner's files in the place of the marker's.
func (m Marker) newBench(all map[string]files) (b bench, err error) {
	if b.dir, err = os.MkdirTemp("", "lockstep-marking-"); err != nil {
		return b, err
	}
	defer func() {
		if err != nil {
			b.clear()
		}
	}()
	if err := os.Mkdir(b.temp(), 0o700); err != nil {
		return b, err
	}
	replace := map[string]string{}
	for exercise, files := range all {
		folder, err := filepath.Abs(filepath.Join(m.Root, "exercises", exercise)) // overlays take no other
		if err != nil {
			return b, err
		}
		there, err := os.ReadDir(folder)
		if err != nil {
			return b, err
		}
		for _, entry := range there {
			if name := entry.Name(); filepath.Ext(name) != ".md" && name != "lock_test.go" && !entry.IsDir() {
				replace[filepath.Join(folder, name)] = "" // not there, for the build
			}
		}
		copies := filepath.Join(b.dir, exercise)
		if err := os.Mkdir(copies, 0o700); err != nil {
			return b, err
		}
		for name, text := range files {
			replace[filepath.Join(folder, name)] = filepath.Join(copies, name)
			if err := os.WriteFile(filepath.Join(copies, name), text, 0o600); err != nil {
				return b, err
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return b, err
	}
	b.overlay = filepath.Join(b.dir, "overlay.json")
	return b, os.WriteFile(b.overlay, text, 0o600)
}

// temp is the folder for temporary files of the build and the tests: whoever is
// killed can't tidy up.
func (b bench) temp() string { return filepath.Join(b.dir, "tmp") }

func (b bench) clear() { _ = os.RemoveAll(b.dir) } // else the system does, some day
