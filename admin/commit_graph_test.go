package admin_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// drawn are the lines and the places of commits of the picture.
func drawn(a answer) (lines, commits []string) {
	for _, n := range a.find(func(n *html.Node) bool { return strings.HasPrefix(attribute(n, "class"), "lane ") }) {
		if n.Data == "path" {
			lines = append(lines, attribute(n, "d"))
		} else {
			commits = append(commits, attribute(n, "cx")+","+attribute(n, "cy"))
		}
	}
	return lines, commits
}

func TestTheGraphHasALaneForEachBranch(t *testing.T) {
	f := newBranches(t)
	f.call(t, "note.create", map[string]any{"id": "d", "title": "On main"})
	f.call(t, "branches_merge", map[string]any{"source": "review"})
	a := f.get(t, "/admin/commits/graph", 200)
	says(t, a, "mainMerged ", "reviewAdded Note “New there”", "Changed title of Note “By review”")
	lines, commits := drawn(a)
	places := strings.Join(commits, " ")
	// The merge and the write of main before it, then the three of the branch, then what both have in common.
	if !strings.HasPrefix(places, "12,18 12,54 28,90 28,126 28,162 12,198 ") || len(commits) != f.commits(t)+3 {
		t.Errorf("%d commits are at %s", len(commits), places)
	}
	for _, want := range []string{
		"M12 54V162C12 180 12 180 12 198",  // down main past the branch
		"M28 162V162C28 180 12 180 12 198", // where the branch was made
		"M12 18C12 36 28 36 28 54V90",      // what the merge took in
	} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("no line %s in %s", want, lines)
		}
	}
}

func TestTheGraphIsPaged(t *testing.T) {
	f := newNotes(t)
	for i := range 70 {
		f.note(t, fmt.Sprintf("n%d", i), nil)
	}
	a := f.get(t, "/admin/commits/graph", 200)
	says(t, a, "Commits 1–60")
	if _, commits := drawn(a); len(commits) != 60 {
		t.Errorf("%d commits", len(commits))
	}
	next := linkTo(a, "Next")
	if len(next) != 1 {
		t.Fatalf("the next page is linked as %v", next)
	}
	a = f.get(t, next[0], 200)
	says(t, a, "Commits 61–73")
	lines, commits := drawn(a)
	if len(commits) != 13 || !strings.HasPrefix(lines[0], "M12 -18V") {
		t.Errorf("%d commits, and the first line is %s", len(commits), lines[0])
	}
}
