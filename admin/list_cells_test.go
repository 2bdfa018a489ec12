package admin_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A row names the form that its cells are edited by, which are not there in the past.
func TestRowsLeadToTheirForms(t *testing.T) {
	f := newExample(t)
	forms := func(path string) (out []string) {
		for _, n := range f.get(t, path, 200).find(func(n *html.Node) bool { return attribute(n, "data-edit") != "" }) {
			out = append(out, attribute(n, "data-edit"))
		}
		return out
	}
	list := "/admin/types/Requirement?limit=2&sort=code"
	got := forms(list)
	if len(got) != 2 || !strings.HasPrefix(got[0], "/admin/capabilities/requirement.update?id=R-") {
		t.Fatalf("got %q", got)
	}
	heads := f.get(t, list, 200).find(func(n *html.Node) bool { return n.Data == "th" && attribute(n, "data-property") == "priority" })
	if len(heads) != 1 {
		t.Errorf("%d heads name the property", len(heads))
	}
	if got := forms(list + "&at=main~1"); len(got) > 0 {
		t.Errorf("in the past there are %q", got)
	}
}
