package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"lockstep/workshop"
)

// keepGreen keeps the learner's files of an exercise that passes.
func (d *Desk) keepGreen(e workshop.Exercise) error {
	green, copied := d.kept(e, "green"), d.kept(e, "green.new")
	if err := os.RemoveAll(copied); err != nil {
		return err
	}
	if err := copyFolder(copied, d.File(e, "")); err != nil {
		return err
	}
	if err := os.RemoveAll(green); err != nil {
		return err
	}
	return os.Rename(copied, green)
}

// Green is the folder with the version that last passed; it is false if none
// has.
func (d *Desk) Green(e workshop.Exercise) (path string, ok bool) {
	path = d.kept(e, "green")
	_, err := os.Stat(path)
	return path, err == nil
}

// ErrUntouched means that there is nothing to reset.
var ErrUntouched = errors.New("it is as it came")

// Reset puts the starter back, and away all that the learner has written: into
// the folder that it returns, which is a new one each time. The error is
// ErrUntouched if there is nothing to put away.
func (d *Desk) Reset(e workshop.Exercise) (backup string, err error) {
	folder := d.File(e, "")
	if d.untouched(e) {
		return "", ErrUntouched
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if backup, err = d.newBackup(e); err != nil {
		return "", err
	}
	// Nothing is taken away before everything is there twice.
	if err := copyFolder(backup, folder); err != nil {
		return "", fmt.Errorf("nothing was reset, the backup failed: %w", err)
	}
	if err := write(filepath.Join(folder, "lock.go"), []byte(workshop.Starter(e.Name))); err != nil {
		return backup, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return backup, err
	}
	for _, entry := range entries {
		if !given(entry.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
		}
	}
	return backup, err
}

// newBackup makes the next folder for a backup.
func (d *Desk) newBackup(e workshop.Exercise) (string, error) {
	if err := os.MkdirAll(d.kept(e, ""), 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path := d.kept(e, fmt.Sprintf("backup-%d", n))
		if err := os.Mkdir(path, 0o755); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// copyFolder copies a folder with all that is in it. It never overwrites a file.
func copyFolder(to, from string) error { return os.CopyFS(to, os.DirFS(from)) }
