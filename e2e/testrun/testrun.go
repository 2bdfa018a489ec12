// Package testrun lets a test say how it is run: whether the race detector has anything to find
// in it, and where what it draws at random begins.
package testrun

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Alone says that one goroutine does all that a test does. Under the race detector, which would
// find nothing and takes ten times as long, such a test is skipped.
func Alone(tb testing.TB) {
	tb.Helper()
	if detecting {
		tb.Skip("one goroutine does all of it")
	}
}

// Random returns the random numbers of a test, and logs what draws the same ones again: they begin
// with RAPID_SEED, as the tests of package rapid do; without it each run has others.
func Random(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed, err := strconv.ParseUint(os.Getenv("RAPID_SEED"), 10, 64)
	if err != nil || seed == 0 {
		seed = rand.Uint64()
	}
	tb.Logf("RAPID_SEED=%d draws the same again", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
