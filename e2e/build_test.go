//go:build !race

package e2e_test

// buildFlags build the binary as a release is built.
var buildFlags = []string{"-trimpath"}

var buildEnv = []string{"CGO_ENABLED=0"}

const (
	raced    = false // whether the race detector looks on
	kills    = 30    // of servers by TestKilledUnderLoad
	shuffles = 8     // of a file by TestAFileThatIsMovedUnderAServer
	restores = 3     // of a file by TestARestoreUnderRunningServers
)
