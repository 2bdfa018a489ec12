//go:build race

package e2e_test

// buildFlags give the binary the race detector when the tests have it.
var buildFlags = []string{"-race"}

var buildEnv = []string{"CGO_ENABLED=1"}

// The detector looks for races, and each start is slow: fewer kills, and one turn of all
// that can happen to a file.
const (
	raced    = true
	kills    = 5
	shuffles = 4
	restores = 1
)
