// Package saves tells when somebody saves a Go file: in an editor that writes it
// in place, in one that puts a new file in its stead, or by checking out another
// version of the whole folder.
package saves

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long it must be quiet before a save is over: one save is
	// several events.
	settle = 50 * time.Millisecond

	// lookEvery is how often the files are looked at without any event. Folders
	// that a machine shares with another (WSL, Docker, NFS) send none.
	lookEvery = time.Second
)

// Watcher watches the folders of a folder.
type Watcher struct {
	root   string
	events *fsnotify.Watcher // nil if this machine has none left
	every  time.Duration
	seen   map[string]string // what each folder had in it
}

// Watch begins to watch the folders of root, with all that is below them. What
// is there now is not news.
func Watch(root string) (*Watcher, error) {
	w := &Watcher{root: root, every: lookEvery}
	w.events, _ = fsnotify.NewWatcher() // without events, the looks have to do
	var err error
	if w.seen, err = w.look(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close ends the watching.
func (w *Watcher) Close() error {
	if w.events == nil {
		return nil
	}
	return w.events.Close()
}

// Next waits for the next save and names the folders that it is in. It returns
// the error of ctx when that ends. What is saved between two calls is not lost.
func (w *Watcher) Next(ctx context.Context) ([]string, error) {
	look := time.NewTicker(w.every)
	defer look.Stop()
	var quiet <-chan time.Time
	var events chan fsnotify.Event
	var lost chan error // so many events that some were dropped
	if w.events != nil {
		events, lost = w.events.Events, w.events.Errors
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-events:
			quiet = time.After(settle)
			continue
		case <-lost: //nolint:errcheck // a look finds what is new
		case <-quiet:
		case <-look.C:
		}
		quiet = nil
		now, err := w.look()
		if err != nil {
			continue // the root is gone, as in the middle of a checkout
		}
		saved := changed(w.seen, now)
		w.seen = now
		if len(saved) > 0 {
			return saved, nil
		}
	}
}

// changed names the folders that are not what they were.
func changed(was, is map[string]string) []string {
	var names []string
	for name := range is {
		if was[name] != is[name] {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, there := is[name]; !there {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// look sees what is in each folder, and has the events of all of them sent, of
// those too that are new since the last look. What goes away meanwhile is not
// there.
func (w *Watcher) look() (map[string]string, error) {
	if _, err := os.Stat(w.root); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if path != w.root && strings.ContainsAny(d.Name()[:1], "._") { // the go command looks into none
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if w.events != nil {
				_ = w.events.Add(path) // without its events, the looks have to do
			}
			return nil
		}
		name, below, ok := strings.Cut(strings.TrimPrefix(path, w.root+string(filepath.Separator)), string(filepath.Separator))
		if !ok || filepath.Ext(path) != ".go" {
			return nil
		}
		saved := time.Time{} // to save what has not changed is a save too
		if info, err := d.Info(); err == nil {
			saved = info.ModTime()
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		seen[name] += fmt.Sprintf("%s %d %x %v\n", below, saved.UnixNano(), sha256.Sum256(text), err)
		return nil
	})
	return seen, err
}
