package invoketest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"trails/kg"
)

// CommitsAreTold fails the test if text shows a commit id with more or fewer digits than answers do. IRIs
// contain the whole id.
func CommitsAreTold(tb testing.TB, g *kg.Graph, text string) {
	tb.Helper()
	if problem := oddCommit(text, commitsOf(tb, g)); problem != "" {
		tb.Error(problem)
	}
}

// oddCommit describes where a text shows one of these commit ids with another number of digits than answers do,
// or returns "". Nine digits that agree are no coincidence.
func oddCommit(text string, ids []kg.CommitID) string {
	for _, id := range ids {
		whole := id.Whole()
		for at := 0; ; {
			found := strings.Index(text[at:], whole[:9])
			if found < 0 {
				break
			}
			start, n := at+found, 9
			for n < len(whole) && start+n < len(text) && text[start+n] == whole[n] {
				n++
			}
			at = start + n
			isIRI := strings.HasSuffix(text[:start], "urn:trails:commit:") || strings.HasSuffix(text[:start], "_c:")
			if isIRI && n == len(whole) || !isIRI && n == len(id.String()) {
				continue
			}
			return fmt.Sprintf("a commit is named by %d digits: %s", n, text[max(0, start-80):min(len(text), at+20)])
		}
	}
	return ""
}

// commitsOf returns the graph's commit ids, oldest first.
func commitsOf(tb testing.TB, g *kg.Graph) []kg.CommitID {
	tb.Helper()
	var out []kg.CommitID
	err := g.Session(Ana).View(context.WithoutCancel(tb.Context()), func(snap *kg.Snapshot) error {
		list, err := snap.Commits(tb.Context(), 0, 1000)
		for i := range list {
			out = append(out, list[len(list)-1-i].ID)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
