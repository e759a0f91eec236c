//go:build race

package marking

const raced = true
