//go:build race

package e2e_test

// buildFlags build the binary with the race detector, except SQLite, which would be eight times as slow and is
// not our code.
var buildFlags = []string{"-race", "-gcflags=modernc.org/...=-race=false"}

var buildEnv = []string{"CGO_ENABLED=1"}

// Tests have fewer rounds under the race detector, because each start of the binary is slow.
const (
	raced    = true
	kills    = 5
	shuffles = 4
	restores = 1
)
