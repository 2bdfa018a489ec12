package view_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// viewOf makes one call of a view.
func viewOf(t testing.TB, e *invoketest.Engine, capability, format string, args ...any) viewed {
	t.Helper()
	text := []any{}
	for _, a := range args {
		quoted, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, quoted)
	}
	r, err := e.Call(t.Context(), invoke.Call{Capability: capability, Args: fmt.Appendf(nil, format, text...), Principal: invoketest.Ana, Via: "test"})
	if err != nil {
		t.Fatalf("%s %s: %v", capability, fmt.Sprintf(format, text...), err)
	}
	var v viewed
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func nodeIRIs(list []node) []string {
	out := []string{}
	for _, n := range list {
		out = append(out, n.IRI)
	}
	slices.Sort(out)
	return out
}

// TestPagesAgree opens every node of the example graph and follows its page: what refers
// to it is what a table finds by that property, its neighbourhood is its links, and each
// commit of its history lists it.
func TestPagesAgree(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	nodes := 0
	for _, kind := range viewOf(t, e, "suggest", `{"what":"types"}`).Items {
		for _, row := range viewOf(t, e, "entities_list", `{"type":%s,"limit":1000,"columns":[]}`, kind.Value).Rows {
			nodes++
			agree(t, e, row.Node)
		}
	}
	if nodes < 40 {
		t.Errorf("%d nodes were looked at", nodes)
	}
}

func agree(t *testing.T, e *invoketest.Engine, n node) {
	page := viewOf(t, e, "entity_get", `{"type":%s,"id":%s,"limit":1000}`, n.Type, n.ID)
	linked := map[string]bool{n.IRI: true}
	for _, p := range page.Properties {
		for _, c := range p.Values {
			if c.Ref != nil {
				linked[c.Ref.IRI] = true
			}
		}
	}
	for _, g := range page.Incoming {
		table := viewOf(t, e, "entities_list", `{"type":%s,"where":[{"property":%s,"value":%s}],"limit":1000,"columns":[]}`, g.Type, g.Property, n.IRI)
		var found []node
		for _, row := range table.Rows {
			found = append(found, row.Node)
		}
		if diff := cmp.Diff(nodeIRIs(found), nodeIRIs(g.Nodes)); diff != "" || g.Total != len(found) || g.More {
			t.Errorf("%s, %s of %s: total %d, %s", n.IRI, g.Property, g.Type, g.Total, diff)
		}
		for _, from := range g.Nodes {
			linked[from.IRI] = true
		}
	}
	checkAround(t, e, n, linked)
	checkCommits(t, e, n)
}

func checkAround(t *testing.T, e *invoketest.Engine, n node, linked map[string]bool) {
	graph := viewOf(t, e, "entity_graph", `{"type":%s,"id":%s,"limit":2000}`, n.Type, n.ID)
	for _, other := range graph.Nodes {
		if !linked[other.IRI] {
			t.Errorf("%s is shown with %s, and not linked", other.IRI, n.IRI)
		}
	}
	if len(graph.Nodes) != len(linked) || graph.Truncated {
		t.Errorf("%d nodes around %s, want %d", len(graph.Nodes), n.IRI, len(linked))
	}
}

func checkCommits(t *testing.T, e *invoketest.Engine, n node) {
	for _, entry := range viewOf(t, e, "entity_history", `{"type":%s,"id":%s}`, n.Type, n.ID).Entries {
		commit := viewOf(t, e, "commit_view", `{"id":%s,"limit":2000}`, entry.Commit.ID)
		i := slices.IndexFunc(commit.Nodes, func(changed changedNode) bool { return changed.Node != nil && changed.Node.IRI == n.IRI })
		if i < 0 {
			t.Errorf("commit %s does not list %s", entry.Commit.ID, n.IRI)
			continue
		}
		if diff := cmp.Diff(entry.Changes, commit.Nodes[i].Changes); diff != "" {
			t.Errorf("%s in %s: %s", n.IRI, entry.Commit.ID, diff)
		}
	}
}
