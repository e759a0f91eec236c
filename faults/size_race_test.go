//go:build race

package faults_test

// The race detector slows a world down by a factor of ten.
const (
	bigValue = 64 << 10
	runs     = 10
	longPipe = 100
)
