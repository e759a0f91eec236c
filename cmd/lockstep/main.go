// Command lockstep prints what the workbook knows, and keeps its documents true.
//
//	lockstep matrix        which hazard breaks which stage
//	lockstep docs          write tables and timelines into README.md
//	lockstep docs -check   fail if README.md does not show what the code prints
//
// Wrong input is one line on standard error and exit status 2; a document that
// is out of date is exit status 1.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

const usage = `Lockstep: a Redis lock that grows up in seven steps.

  lockstep matrix              which hazard breaks which stage, and which draft
  lockstep docs [FILE…]        write tables and timelines into the documents
  lockstep docs -check [FILE…] check that the documents show what the code prints

To see a bug:  go test ./v4_owner -run MisDelete
`

var (
	errUsage = errors.New("lockstep knows matrix and docs; without arguments it lists what they do")
	errStale = errors.New("out of date; run: make docs")
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "lockstep:", err)
	if errors.Is(err, errStale) {
		os.Exit(1)
	}
	os.Exit(2)
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		_, err := io.WriteString(out, usage)
		return err
	}
	switch args[0] {
	case "matrix":
		if len(args) > 1 {
			return errUsage
		}
		_, err := io.WriteString(out, matrix()+"\n"+drafts())
		return err
	case "docs":
		check := len(args) > 1 && args[1] == "-check"
		files := args[1:]
		if check {
			files = args[2:]
		}
		if len(files) == 0 {
			files = []string{"README.md"}
		}
		for _, file := range files {
			if err := document(file, check); err != nil {
				return err
			}
		}
		return nil
	default:
		return errUsage
	}
}
