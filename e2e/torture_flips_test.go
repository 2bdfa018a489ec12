//go:build torture

package e2e_test

import "testing"

// TestTortureFlippedBytes is TestAFlippedByteIsNoticed with 500 bytes.
func TestTortureFlippedBytes(t *testing.T) {
	flips := tortureCount(500)
	counts := flipBytes(t, flips)
	t.Logf("torture: %d bytes flipped in used pages: %d noticed by verify, %d where nobody reads, 0 unnoticed, 0 crashes", flips, counts.noticed, counts.unread)
}
