package desk

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"lockstep/workshop"
)

// fingerprint is a sum of all that a mark depends on. Two that are the same are
// of the same lock, examined by the same checks.
func (d *Desk) fingerprint(e workshop.Exercise) (string, error) {
	program, err := program()
	if err != nil {
		return "", err
	}
	var all strings.Builder
	all.WriteString(program + "\n")
	// What the exercises import, and by which versions.
	sources := func(path string, d fs.DirEntry) bool {
		if d.IsDir() {
			return d.Name() == "." || !strings.HasPrefix(d.Name(), ".") && path != Folder && path != "vendor"
		}
		return filepath.Ext(path) == ".go" || strings.HasPrefix(path, "go.")
	}
	if err := list(&all, d.Root, sources); err != nil {
		return "", err
	}
	modules := func(path string, d fs.DirEntry) bool {
		return d.Name() == "." || strings.HasPrefix(path, "go.")
	}
	if err := list(&all, d.Exercises(), modules); err != nil {
		return "", err
	}
	// An editor's own files come and go.
	written := func(_ string, d fs.DirEntry) bool {
		hidden := d.Name() != "." && strings.HasPrefix(d.Name(), ".")
		return !hidden && (d.IsDir() || filepath.Ext(d.Name()) == ".go")
	}
	if err := list(&all, d.File(e, ""), written); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(all.String()))), nil
}

// program is the sum of this program: it is the one that reads the tests' output.
var program = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was read
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
})

// list adds the files of a folder to all, those that are wanted, by their paths
// from there and the sums of what is in them. It goes only into folders that are
// wanted, too.
func list(all *strings.Builder, root string, wanted func(path string, d fs.DirEntry) bool) error {
	files := os.DirFS(root)
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !wanted(path, d) && d.IsDir():
			return fs.SkipDir
		case !wanted(path, d), d.IsDir():
			return nil
		case !d.Type().IsRegular():
			fmt.Fprintf(all, "%q\n", path)
			return nil
		}
		text, err := fs.ReadFile(files, path)
		fmt.Fprintf(all, "%q %x\n", path, sha256.Sum256(text))
		return err
	})
}
