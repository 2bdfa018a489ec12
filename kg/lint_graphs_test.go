package kg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/sparql/lint"
)

// TestAPatternThatOnlyOtherGraphsHaveIsNamedWithThem asks for what stands in each set of graphs, outside of GRAPH, in
// it, and with FROM: a pattern that matches nothing there and something elsewhere is named, and no other is. Written
// where the sentence says, it matches.
func TestAPatternThatOnlyOtherGraphsHaveIsNamedWithThem(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, lintedSchema)
	var data strings.Builder
	graphs := map[string][]string{"d": {""}, "g": {"urn:g"}, "h": {"urn:h"}, "gh": {"urn:g", "urn:h"}, "dg": {"", "urn:g"}, "none": {}}
	for name, in := range graphs {
		for _, graph := range in {
			if graph != "" {
				graph = "<" + graph + ">"
			}
			for i := range 60 { // more than are looked at one by one
				fmt.Fprintf(&data, "<urn:s%[1]d> <urn:p:%[2]s> \"%[2]s%[1]d\" %[3]s .\n", i, name, graph)
			}
			fmt.Fprintf(&data, "<urn:s:%[1]s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:c:%[1]s> %[2]s .\n", name, graph)
		}
	}
	mustLoad(t, g, "graphs.nq", data.String())
	places := []string{ // before the pattern, and behind it
		"SELECT * { | }", "SELECT * { GRAPH ?g { | } }", "SELECT * { GRAPH <urn:g> { | } }", "SELECT * FROM <urn:g> { | }", "SELECT * FROM <urn:g> FROM <urn:h> { | }",
		"SELECT * FROM NAMED <urn:g> { GRAPH ?g { | } }", "SELECT * FROM NAMED <urn:g> { | }", "SELECT * FROM <urn:h> FROM NAMED <urn:g> { GRAPH ?g { | } }",
		"SELECT * FROM <urn:g> { GRAPH <urn:g> { | } }",
	}
	patterns := []string{"?s <urn:p:%s> ?o", "?s <urn:p:%s>+ ?o", "<urn:s7> <urn:p:%s> ?o", "?s ?p \"%s7\"", "?s <urn:p:%[1]s> \"%[1]s7\"", "?s a <urn:c:%s>", "<urn:s:%s> a ?c"}
	followed := 0
	view(t, g, func(s *kg.Snapshot) error {
		for name, in := range graphs {
			for _, form := range patterns {
				pattern := fmt.Sprintf(form, name)
				for _, place := range places {
					text := strings.Replace(place, "|", pattern, 1)
					warnings, rows := warningsOf(t, s, text)
					i := slices.IndexFunc(warnings, func(w lint.Warning) bool { return strings.HasPrefix(w.Text, "no statement of ") })
					if (i >= 0) != (rows == 0 && len(in) > 0) {
						t.Errorf("%d solutions, and %v is said of\n%s", rows, warnings, text)
					}
					if i < 0 {
						continue
					}
					_, way, _ := strings.Cut(warnings[i].Text, "; ")
					switch graph, isFrom := strings.CutPrefix(way, "write FROM"); {
					case isFrom:
						text = strings.Replace(text, "{", "FROM"+graph+" {", 1)
					case strings.Contains(way, "write GRAPH"):
						_, inside, _ := strings.Cut(way, "GRAPH")
						text = "SELECT * { GRAPH" + strings.Replace(inside, "…", pattern, 1) + " }"
					default:
						text = "SELECT * { " + pattern + " }"
					}
					if left, rows := warningsOf(t, s, text); rows == 0 || warnings[i].Line == 0 {
						t.Errorf("%v: what is said leads to nothing, and to %v, in\n%s", warnings[i], left, text)
					}
					followed++
				}
			}
		}
		for _, everywhere := range []string{"{ %[1]s } UNION { GRAPH ?g { %[1]s } }", "OPTIONAL { %[1]s } OPTIONAL { GRAPH ?g { %[1]s } }"} {
			for name, in := range graphs {
				text := "SELECT * { " + fmt.Sprintf(everywhere, "?s <urn:p:"+name+"> ?o") + " }"
				if warnings, _ := warningsOf(t, s, text); len(in) > 0 && len(warnings) > 0 {
					t.Errorf("%v is said of\n%s", warnings, text)
				}
			}
		}
		return nil
	})
	if followed < 100 {
		t.Errorf("only %d sentences were followed", followed)
	}
}
