package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a document calls by a name of Go or of this repository is there.

// declaredNames lists what each package declares, by its folder: functions,
// types, methods, fields, variables, constants.
func declaredNames(t *testing.T, all map[string]string) map[string]map[string]bool {
	t.Helper()
	names := map[string]map[string]bool{}
	for path, text := range all {
		if filepath.Ext(path) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{folder, file.Name.Name} {
			if names[key] == nil {
				names[key] = map[string]bool{}
			}
			for _, decl := range file.Decls {
				for _, name := range declared(decl) {
					names[key][name] = true
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if fields, ok := n.(*ast.FieldList); ok {
					for _, f := range fields.List {
						for _, name := range f.Names {
							names[key][name.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	return names
}

var (
	inBackticks = regexp.MustCompile("`([^`\n]+)`")
	dotted      = regexp.MustCompile(`^(\w+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?(?:\(.*\))?$`)
	camel       = regexp.MustCompile(`\b[A-Z][a-z]+[A-Z]\w*\b`)
	url         = regexp.MustCompile(`https?://\S+`)
	aCommand    = regexp.MustCompile("(?m)^ {4,}(?:go|make|diff|lockstep) .*$|`(?:go|make|diff|lockstep) [^`]*`")
)

// othersNames are names that belong to others: products, and what Go's and
// go-redis's packages call their own.
var othersNames = strings.Fields(`
	FizzBee GitHub MySQL PostgreSQL RedLock ZooKeeper
	ContextTimeoutEnabled ExtendInterval KeepTTL KeyMajority MaxRetries MaxStack NewScript ReadTimeout SetMaxStack SetNX TxFailedErr
	Script.Run WithCancel WithContext WithoutCancel WithTimeout db.Conn redis.NewScript
`)

func TestDocumentsUseNamesThatExist(t *testing.T) {
	skipTexts(t)
	t.Parallel()
	all := texts(t)
	names := declaredNames(t, all)
	known := map[string]bool{}
	for _, of := range names {
		for name := range of {
			known[name] = true
		}
	}
	for path, text := range all {
		if filepath.Ext(path) != ".md" {
			continue
		}
		text = otherBlock.ReplaceAllString(text, "")
		text = fence.ReplaceAllString(text, "")
		text = url.ReplaceAllString(text, "")
		text = aCommand.ReplaceAllString(text, "") // its test is looked up elsewhere
		for _, m := range inBackticks.FindAllStringSubmatch(text, -1) {
			d := dotted.FindStringSubmatch(m[1])
			if d == nil || names[d[1]] == nil && isStandard(d[1]) {
				continue
			}
			of, first := names[d[1]], d[2]
			if of == nil { // a type and its method
				if slices.Contains(othersNames, m[1]) {
					continue
				}
				if !known[d[1]] {
					t.Errorf("%s: there is no %s, of `%s`", path, d[1], m[1])
				}
				of = known
			}
			if !of[first] && !slices.Contains(othersNames, first) {
				t.Errorf("%s: there is no `%s`", path, m[1])
			}
			if d[3] != "" && !of[d[3]] {
				t.Errorf("%s: there is no `%s`", path, m[1])
			}
		}
		for _, word := range camel.FindAllString(text, -1) {
			if !known[word] && !slices.Contains(othersNames, word) && !strings.HasPrefix(word, "Your") && !strings.HasPrefix(word, "Test") && !strings.HasPrefix(word, "Redisson") {
				t.Errorf("%s: %s is neither a hazard nor any other name of this repository", path, word)
			}
		}
	}
}

// isStandard reports whether a word is, or ends, the path of a standard package.
func isStandard(word string) bool {
	for _, path := range []string{word, "runtime/" + word, "crypto/" + word} {
		// Without IgnoreVendor it would start the go command for each path.
		if p, err := build.Import(path, "", build.FindOnly|build.IgnoreVendor); err == nil && p.Goroot {
			return true
		}
	}
	return false
}

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	anchored = regexp.MustCompile(`\]\(([\w./]*)#([^)]+)\)`)
)

// Every link into a page meets a heading.
func TestAnchorsAreHeadings(t *testing.T) {
	skipTexts(t)
	t.Parallel()
	all := texts(t)
	for path, text := range all {
		for _, m := range anchored.FindAllStringSubmatch(text, -1) {
			if filepath.Ext(path) != ".md" {
				continue
			}
			target := path
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(path), m[1])
			}
			found := false
			for _, h := range heading.FindAllStringSubmatch(all[target], -1) {
				found = found || anchor(h[1]) == m[2]
			}
			if !found {
				t.Errorf("%s: no heading of %s has the anchor #%s", path, target, m[2])
			}
		}
	}
}
