// Package lockstep is the book's own text: the source of its stages, as it was
// when the program was built, and what one changes in another.
package lockstep

import "embed"

// Sources are the files of the stages by their paths from the root, tests
// included. That of v0 is stages/mutex.go.
//
//go:embed v[0-9]_*/*.go stages/mutex.go
var Sources embed.FS
