//go:build torture

package e2e_test

import "testing"

func TestTortureReadsBesideWriters(t *testing.T) {
	file := notesFile(t)
	story := readBesideAWriter(t, file, tortureCount(1000))
	wantReads(t, file, story)
	t.Logf("torture: %d reads beside a writer, %d more killed; slowest %d ms; none missing, none twice", story.ended, story.killed, story.slowest)
}
