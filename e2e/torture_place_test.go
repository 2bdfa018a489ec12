//go:build torture

package e2e_test

import "testing"

// TestTortureFileIsShuffled is TestAFileThatIsMovedUnderAServer, a hundred times.
func TestTortureFileIsShuffled(t *testing.T) {
	did := shuffleFile(t, tortureCount(100))
	t.Logf("torture: a live file moved, linked, replaced and deleted %d times: %d writes acknowledged, 0 lost, %d refused with the reason", did.rounds, did.acknowledged, did.refused)
}
