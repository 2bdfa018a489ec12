//go:build race

package e2e_test

// buildFlags give the binary the race detector when the tests have it.
var buildFlags = []string{"-race"}

var buildEnv = []string{"CGO_ENABLED=1"}

// kills is fewer here: the detector looks for races, and each start is slow.
const kills = 5
