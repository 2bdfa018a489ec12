// Package testrun lets a test say how it is run: whether the race detector has anything to find
// in it, and where what it draws at random begins.
package testrun

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Alone says that nothing of a test runs beside another: one goroutine does all of it, or each call
// follows the one before. The race detector, which would find nothing and makes it take ten times as
// long, passes over it.
func Alone(tb testing.TB) {
	tb.Helper()
	if detecting {
		tb.Skip("nothing of it runs beside another")
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
