//go:build !race

package e2e_test

// buildFlags build the binary as a release is built.
var buildFlags = []string{"-trimpath"}

var buildEnv = []string{"CGO_ENABLED=0"}

// kills is how many times TestKilledUnderLoad kills its server.
const kills = 50
