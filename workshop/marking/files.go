package marking

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lockstep/workshop"
)

// errUnfit marks a file that can't be read as a program.
var errUnfit = errors.New("unfit")

// longestFile is the most bytes of a file that is a learner's lock.
const longestFile = 1 << 20

// files are a learner's Go files by name, without tests.
type files map[string][]byte

// read reads the files of an exercise in dir.
func read(dir string) (files, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := files{}
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := readFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		all[name] = text
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %s has no Go file", errUnfit, dir)
	}
	return all, nil
}

// readFile reads a regular file of a sensible size.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errUnfit, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is no file", errUnfit, path)
	case info.Size() > longestFile:
		return nil, fmt.Errorf("%w: %s has %d MB", errUnfit, path, info.Size()>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnfit, err)
	}
	defer func() { _ = f.Close() }() // it was read
	return io.ReadAll(io.LimitReader(f, longestFile))
}

// same reports whether there is nothing but the starter.
func (f files) same(starter string) bool {
	return len(f) == 1 && string(f["lock.go"]) == starter
}

// borrowed says what is imported of Lockstep itself, whose stages are solutions;
// it is empty if nothing is.
func (f files) borrowed() string {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		file, err := parser.ParseFile(token.NewFileSet(), name, f[name], parser.ImportsOnly)
		if err != nil {
			continue // the compiler says it better
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err == nil && (path == "lockstep" || strings.HasPrefix(path, "lockstep/")) {
				return fmt.Sprintf("%s imports %s: a lock of your own needs go-redis and the standard library, and nothing else", name, path)
			}
		}
	}
	return ""
}

// overlay has a go build find the learner's files in the place of the marker's.
// It returns the path of its description.
func (m Marker) overlay(e workshop.Exercise, files files) (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "lockstep-marking-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // else the system does, some day
	defer func() {
		if err != nil {
			remove()
		}
	}()
	folder, err := filepath.Abs(filepath.Join(m.Root, "exercises", e.Name)) // overlays take no other
	if err != nil {
		return "", nil, err
	}
	there, err := os.ReadDir(folder)
	if err != nil {
		return "", nil, err
	}
	replace := map[string]string{}
	for _, entry := range there {
		if filepath.Ext(entry.Name()) == ".go" && entry.Name() != "lock_test.go" {
			replace[filepath.Join(folder, entry.Name())] = "" // not there, for the build
		}
	}
	for name, text := range files {
		copied := filepath.Join(dir, name)
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return "", nil, err
		}
		replace[filepath.Join(folder, name)] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, remove, os.WriteFile(path, text, 0o600)
}
