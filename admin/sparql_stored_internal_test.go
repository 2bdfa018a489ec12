package admin

import (
	"strings"
	"testing"
)

func TestIDsOfViewsAndQueriesAreMadeOfTitlesByOneRule(t *testing.T) {
	for title, want := range map[string]string{
		"My list": "my_list", "2024 list": "2024_list", "fullName": "full_name", "Café à Paris": "cafe_a_paris", "a.b-c/d": "a_b_c_d", "Größe": "große", "名前": "",
		"Ends with a very long title that goes on and on and on until nobody reads it": "ends_with_a_very_long_title_that_goes_on_and_on_and_on_until",
	} {
		want = strings.ReplaceAll(want, "ß", "")
		if got := wordsOfID(title); got != want {
			t.Errorf("the words of %q are %q, not %q", title, got, want)
		}
		query, view := want, "view_"+want
		if want == "" {
			continue
		}
		if want[0] <= '9' {
			query = "query_" + want
		}
		if got := storedID(title); got != query {
			t.Errorf("the query %q has the id %q, not %q", title, got, query)
		}
		if got := viewID(title); !strings.HasPrefix(view, got) || !strings.HasPrefix(got, "view_") {
			t.Errorf("the view %q has the id %q, not %q", title, got, view)
		}
	}
	if got := storedID("ends.with_a.dot"); got != "ends.with_a.dot" {
		t.Errorf("an id becomes %q", got)
	}
}
