// Package testrun is how tests are run: it lets one say whether the race detector has anything to find
// in it, and where what it draws at random begins, and keeps what a running program writes.
package testrun

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Alone marks a test in which nothing runs at the same time: it has one goroutine, or each call begins after
// the previous one has ended. The race detector would find nothing in it and take ten times as long, so it
// skips the test.
func Alone(tb testing.TB) {
	tb.Helper()
	if detecting {
		tb.Skip("nothing of it runs beside another")
	}
}

// Random returns random numbers for a test, and logs the seed. The seed is RAPID_SEED, which package rapid uses
// too; without it each run has another one.
func Random(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed, err := strconv.ParseUint(os.Getenv("RAPID_SEED"), 10, 64)
	if err != nil || seed == 0 {
		seed = rand.Uint64()
	}
	tb.Logf("RAPID_SEED=%d draws the same again", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
