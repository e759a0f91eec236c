//go:build !race

package faults_test

const (
	bigValue = 2 << 20 // bytes
	runs     = 25      // of a play whose timelines must be equal
	longPipe = 500     // commands
)
