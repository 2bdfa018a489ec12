package builtin_test

import (
	"strings"
	"testing"

	"trails/text/outline"
	"trails/text/tokens"
)

// What is undone already costs who asks for it little to be told.
func TestWhatIsUndoneAlreadyIsSaidShortly(t *testing.T) {
	e := notes(t)
	made := e.Must(t, "note.update", `{"id":"a","title":"Another"}`)["commit"].(string)
	by := e.Must(t, "undo", `{"commit":"`+made+`"}`)["commit"].(string)
	r, err := e.Do(t, "undo", `{"commit":"`+made+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	text := outline.TextOf(r.Structured)
	n := tokens.Count(text)
	t.Logf("%d tokens", n)
	if !strings.Contains(text, "already undone by "+by) || n >= 60 {
		t.Errorf("it says in %d tokens: %s", n, text)
	}
}
