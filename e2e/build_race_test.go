//go:build race

package e2e_test

// buildFlags give the binary the race detector when the tests have it: not SQLite, which is eight
// times as slow with it, and where what the detector could find is not ours.
var buildFlags = []string{"-race", "-gcflags=modernc.org/...=-race=false"}

var buildEnv = []string{"CGO_ENABLED=1"}

// The detector looks for races, and each start is slow: fewer kills, and one turn of all
// that can happen to a file.
const (
	raced    = true
	kills    = 5
	shuffles = 4
	restores = 1
)
