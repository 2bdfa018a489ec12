package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"trails/fault"
	"trails/sparql/sparqltest"
)

// TestAnAgentMayAskForTooMuch sends hostile texts to the tool query: each is answered
// or refused in words, and the session goes on.
func TestAnAgentMayAskForTooMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred texts")
	}
	s := converse(t, openGraph(t), options(""))
	for _, h := range sparqltest.HostileTexts() {
		if h.Update {
			continue
		}
		a := s.ask("tools/call", callTool("query", map[string]any{"query": h.Text, "timeout_ms": 50}))
		if a.Error != nil {
			if !slices.Contains(h.Kinds, fault.InvalidArguments) || a.Error.Code != -32602 {
				t.Errorf("%s: %d %s", h.Name, a.Error.Code, a.Error.Message)
			}
			continue
		}
		result := string(a.Result)
		refused := strings.Contains(result, `"isError":true`)
		wanted := slices.ContainsFunc(h.Kinds, func(k fault.Kind) bool { return strings.Contains(result, `"kind":"`+k.String()+`"`) })
		if refused && !wanted || !refused && !h.Answers {
			t.Errorf("%s: %.300s", h.Name, result)
		}
	}
}
