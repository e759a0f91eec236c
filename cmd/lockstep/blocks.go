package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep"
	"lockstep/hazards"
	"lockstep/workshop"
	"lockstep/workshop/marking"
)

// documents are the texts that show what the code prints.
func documents() []string {
	all := []string{fromRoot("README.md")}
	names := []string{"WALKTHROUGH.md", "INTERVIEW.md", "WORKSHOP.md"}
	for _, e := range workshop.All() {
		names = append(names, filepath.Join("exercises", e.Name, "README.md"))
	}
	for _, name := range names {
		path := fromRoot(name)
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	return all
}

// fromRoot is a path of the repository, wherever in it the command runs.
func fromRoot(path string) string {
	root, err := marking.Root(".")
	if err != nil {
		return path
	}
	if here, err := os.Getwd(); err == nil {
		if relative, err := filepath.Rel(here, root); err == nil {
			root = relative
		}
	}
	return filepath.Join(root, path)
}

// blocks are the kinds of blocks that show a part of the repository or a run:
//
//	code v4_owner/lock.go             a file, from its first declaration on
//	code v4_owner/lock.go New Unlock  some of its declarations
//	code v4_owner/lock.go Lock.Lock   a method whose name is not its alone
//	diff v3_expire v4_owner           what a stage changes in lock.go
//	timeline MisDelete v3_expire      a run, as text
//	mermaid MisDelete v3_expire       the same, as a picture
//	breaks v3_expire                  what breaks a stage, and where that ends
//	demands v3_expire                 the demands on a lock, up to that stage
//	costs v3_expire v4_owner          what stages send, counted in a run
//	run go doc ./v4_owner             what a command prints
//	exercise e4_owner MisDelete       what a check shows of the lock that an exercise begins with
//	beyond fencing StopTheWorld       a run on what comes after the stages, as text
//
// The tables are the others: matrix, stages, drafts, schedules,
// exercises and mistakes.
var blocks = map[string]func(words []string) (string, error){
	"code":     code,
	"diff":     stepDiff,
	"mermaid":  mermaid,
	"breaks":   breaks,
	"demands":  demandsUpTo,
	"costs":    costs,
	"run":      output,
	"exercise": firstSight,
	"beyond":   beyond,
}

// code is a Go file without its package clause and imports, or some of the
// declarations in it: functions and types by name, methods by name too or as
// Type.Method, and groups of constants and variables by any name in them. A name
// that fits two declarations is an error.
func code(words []string) (string, error) {
	if len(words) == 0 {
		return "", fmt.Errorf("code of which file?")
	}
	path, names := words[0], words[1:]
	source, err := os.ReadFile(fromRoot(path))
	if err != nil {
		return "", err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var parts []string
	count := map[string]int{} // of the declarations that a name fits
	for _, decl := range file.Decls {
		if isImport(decl) {
			continue
		}
		begin, end := extent(fset, decl)
		if len(names) == 0 {
			parts = []string{string(bytes.TrimSpace(source[begin:]))}
			break
		}
		wanted := false
		for _, name := range declared(decl) {
			if slices.Contains(names, name) {
				wanted = true
				count[name]++
			}
		}
		if wanted {
			parts = append(parts, string(bytes.TrimSpace(source[begin:end])))
		}
	}
	for _, name := range names {
		switch {
		case count[name] == 0:
			return "", fmt.Errorf("%s declares no %s", path, name)
		case count[name] > 1:
			return "", fmt.Errorf("%s declares %d of the name %s: a method goes by Type.Method", path, count[name], name)
		}
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("%s declares nothing", path)
	}
	return fenced("go", strings.Join(parts, "\n\n")), nil
}

func isImport(decl ast.Decl) bool {
	group, ok := decl.(*ast.GenDecl)
	return ok && group.Tok == token.IMPORT
}

// extent is where a declaration begins, with its comment, and where it ends.
func extent(fset *token.FileSet, decl ast.Decl) (begin, end int) {
	from := decl.Pos()
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			from = d.Doc.Pos()
		}
	}
	return fset.Position(from).Offset, fset.Position(decl.End()).Offset
}

// declared lists the names that a declaration goes by.
func declared(decl ast.Decl) []string {
	var names []string
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
		if d.Recv != nil {
			names = append(names, receiver(d.Recv.List[0].Type)+"."+d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// receiver is the name of a method's type.
func receiver(of ast.Expr) string {
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// stepDiff is what changes from the lock.go of one stage to that of another. What
// only renames the package or its imports is left out.
func stepDiff(words []string) (string, error) {
	if len(words) != 2 {
		return "", fmt.Errorf("diff of which two stages?")
	}
	text, err := lockstep.Diff(words[0]+"/lock.go", words[1]+"/lock.go")
	if err != nil {
		return "", err
	}
	head, rest, _ := strings.Cut(text, "\n@@")
	kept := []string{head}
	for hunk := range strings.SplitSeq(rest, "\n@@") {
		if !onlyPreamble(hunk) {
			kept = append(kept, "@@"+hunk)
		}
	}
	return fenced("diff", strings.Join(kept, "\n")), nil
}

// onlyPreamble reports whether a hunk changes nothing but the package clause and
// imports.
func onlyPreamble(hunk string) bool {
	for line := range strings.Lines(hunk) {
		if line[0] != '+' && line[0] != '-' {
			continue
		}
		text := strings.TrimSpace(line[1:])
		if !strings.HasPrefix(text, "package ") && (!strings.HasPrefix(text, `"`) || !strings.HasSuffix(text, `"`)) {
			return false
		}
	}
	return true
}

// played runs a hazard on a stage or a draft.
func played(hazard, stage string) (hazards.Result, error) {
	h, err := findHazard(hazard)
	if err != nil {
		return hazards.Result{}, err
	}
	s, err := findStage(stage)
	if err != nil {
		return hazards.Result{}, err
	}
	return h.Run(s)
}

// mermaid is a run as a picture.
func mermaid(words []string) (string, error) {
	if len(words) != 2 {
		return "", fmt.Errorf("mermaid of which hazard on which stage?")
	}
	r, err := played(words[0], words[1])
	if err != nil {
		return "", err
	}
	return fenced("mermaid", r.Timeline.Mermaid()), nil
}

// fenced is a fenced block of Markdown.
func fenced(language, text string) string {
	return "```" + language + "\n" + strings.TrimRight(text, "\n") + "\n```\n"
}

// item is an item of a list, broken as the prose is.
func item(text string) string {
	const width = 110
	var b strings.Builder
	line := "-"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	return b.String() + line
}
