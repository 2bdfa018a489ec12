package admin_test

import (
	"strings"
	"testing"
)

func TestTheOverviewTellsWhatIsInTheGraph(t *testing.T) {
	f := newExample(t)
	text := mainText(f.get(t, "/admin", 200))
	for _, want := range []string{"46 instances", "Component 17", "The example", "http://example.com/mcp", "the head follows its parent", "load ok"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestTheSchemaPageTellsConstraints(t *testing.T) {
	f := newExample(t)
	text := mainText(f.get(t, "/admin/schema", 200))
	for _, want := range []string{"min_length 3", "one of proposed, accepted, met", "sh:minLength", "unique together title, decided"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
