//go:build !race

package testrun

// detecting reports that the race detector is in this binary.
const detecting = false
