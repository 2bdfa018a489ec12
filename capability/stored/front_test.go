package stored_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/capability/stored"
	"trails/schema"
)

func TestAViewIsWrittenAndReviewed(t *testing.T) {
	s := schema.Empty("urn:t:")
	text := stored.Front{ID: "view_x", Description: "a: \"b\" # c\u2028'é", View: "types/X?where=a%3Db&col=%27", Dashboard: 3}.Write("ASK {}\n")
	q, err := stored.Parse(text, "", s)
	if err != nil || q.ID != "view_x" || q.Description != "a: \"b\" # c\u2028'é" || q.View != "types/X?where=a%3Db&col=%27" || q.Dashboard != 3 || q.Exposed {
		t.Fatalf("%+v %v\n%s", q, err, text)
	}
	for _, c := range []struct {
		was, want string
		place     int
	}{
		{"#+ id: a\n#+ description: old\n#+ dashboard: 1\nASK {}", "#+ id: a\n#+ description: \"new\"\nASK {}", 0},
		{"# first\n#+ id: a\nASK {}", "# first\n#+ description: \"new\"\n#+ dashboard: 4\n#+ id: a\nASK {}", 4},
		{"ASK {}", "#+ description: \"new\"\nASK {}", 0},
	} {
		got, err := stored.Reviewed(c.was, "new", c.place)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
	for _, was := range []string{"#+ description: |\n#+   old\nASK {}", "#+ {id: a, description: b}\nASK {}", "#+ description: old\n#+   and more\nASK {}"} {
		if got, err := stored.Reviewed(was, "new", 0); err == nil {
			t.Errorf("%q becomes %q", was, got)
		}
	}
	for _, wrong := range []string{"view: /admin/types/X", "view: https://example.org/", "view: [a]", "dashboard: 0", "dashboard: 1001", "dashboard: first"} {
		if _, err := stored.Parse("#+ id: a\n#+ "+wrong+"\nASK {}", "", s); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
