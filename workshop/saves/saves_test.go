package saves

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const text = "package owner\n"

// desk is a folder with two exercises, watched by events alone.
func desk(t *testing.T) (root string, w *Watcher) {
	t.Helper()
	root = t.TempDir()
	for _, name := range []string{"e1_setnx", "e4_owner"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name, "lock.go"), []byte(text), 0o644))
	}
	w, err := Watch(root)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	w.every = time.Hour
	return root, w
}

// next waits for a save, which must be in e4_owner.
func next(t *testing.T, w *Watcher) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	saved, err := w.Next(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"e4_owner"}, saved)
}

// However an editor saves, it is seen, and so is the save after it.
func TestSaves(t *testing.T) {
	t.Parallel()
	write := func(file, text string) error { return os.WriteFile(file, []byte(text), 0o644) }
	for name, save := range map[string]func(file string) error{
		"in place": func(file string) error { return write(file, text+"// more\n") },
		"truncated, and then written bit by bit": func(file string) error {
			f, err := os.Create(file)
			if err != nil {
				return err
			}
			for range 10 {
				_, failed := f.WriteString(text)
				err = errors.Join(err, failed)
			}
			return errors.Join(err, f.Close())
		},
		"by a new file in its stead": func(file string) error {
			return errors.Join(write(file+".tmp", text+"// more\n"), os.Rename(file+".tmp", file))
		},
		"as vim does, with a backup": func(file string) error {
			return errors.Join(
				write(filepath.Join(filepath.Dir(file), ".lock.go.swp"), ""),
				os.Rename(file, file+"~"),
				write(file, text+"// more\n"),
				os.Remove(file+"~"),
			)
		},
		"a new file":  func(file string) error { return write(filepath.Join(filepath.Dir(file), "token.go"), text) },
		"a file less": os.Remove,
		"the same text": func(file string) error {
			return os.Chtimes(file, time.Time{}, time.Now().Add(time.Second))
		},
		"the folder, removed and made again": func(file string) error {
			folder := filepath.Dir(file)
			return errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o755), write(file, text+"// more\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, w := desk(t)
			file := filepath.Join(root, "e4_owner", "lock.go")
			require.NoError(t, save(file))
			next(t, w)
			require.NoError(t, write(file, text+"// and more\n"))
			next(t, w)
		})
	}
}

// What nobody compiles is no save.
func TestOtherFilesAreNoSaves(t *testing.T) {
	t.Parallel()
	root, w := desk(t)
	folder := filepath.Join(root, "e4_owner")
	for _, name := range []string{"notes.txt", ".#lock.go", "_draft.go", "4913"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(root, ".lockstep"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".lockstep", "lock.go"), nil, 0o644))
	now, err := w.look()
	require.NoError(t, err)
	require.Empty(t, changed(w.seen, now))
}

// A folder below an exercise is the exercise's.
func TestFoldersBelow(t *testing.T) {
	t.Parallel()
	root, w := desk(t)
	below := filepath.Join(root, "e4_owner", "token")
	require.NoError(t, os.Mkdir(below, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(below, "token.go"), []byte("package token\n"), 0o644))
	next(t, w)
	require.NoError(t, os.WriteFile(filepath.Join(below, "token.go"), []byte("package token // more\n"), 0o644))
	next(t, w)
}

// Where no event comes, a look finds the save.
func TestLooks(t *testing.T) {
	t.Parallel()
	root, w := desk(t)
	require.NoError(t, w.Close())
	w.events, w.every = nil, time.Millisecond
	require.NoError(t, os.WriteFile(filepath.Join(root, "e4_owner", "lock.go"), []byte(text+"// more\n"), 0o644))
	next(t, w)
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	_, err := Watch(filepath.Join(t.TempDir(), "exercises"))
	require.True(t, errors.Is(err, os.ErrNotExist), "%v", err)
}
