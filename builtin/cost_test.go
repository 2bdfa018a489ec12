package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/capability"
	"trails/e2e/testrun"
	"trails/invoke/invoketest"
)

// grown is the graph of all samples with so many notes more. The last commit is a small one.
func grown(t *testing.T, more int) *invoketest.Engine {
	t.Helper()
	e := notes(t)
	var data strings.Builder
	for i := range more {
		fmt.Fprintf(&data, `{"type":"Note","id":"more%d","data":{"title":"One of many %d"}}`+"\n", i, i)
	}
	args, err := json.Marshal(map[string]string{"data": data.String()})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "load", string(args))
	for _, id := range []string{"trails.meta.policy.show", "tags_delete", "gateway_show", "tool_view", "undo_by", "unlink", "requests_decide", "trails.meta.token.revoke", "trails.meta.grant.end", "trails.meta.budget.remove"} {
		prepare(t, e, id)
	}
	return e
}

// bounded are those that read a whole type, or all that has a word, for some arguments, and for
// those of the sample no more than they answer.
var bounded = map[string]bool{"list": true, "entities_list": true, "search": true}

// What is said to cost the same, or to grow with the change or the answer alone, handles no
// more rows in a graph of ten times the size: the cheapest of some calls allocates no more for as
// long an answer. What SQLite counts by itself is not seen by that.
func TestCostsDoNotGrowWithTheGraph(t *testing.T) {
	testrun.Alone(t)
	small, large := grown(t, 40), grown(t, 400)
	for _, d := range small.Callable(t) {
		args, known := samples[d.ID]
		if !known || d.CostEstimate == capability.CostGraph && !bounded[d.ID] { // not known: it is there with an upstream server alone
			continue
		}
		switch d.ID {
		case "trails.meta.promote.undo": // it takes back the last commit, which would have to be a promotion
			continue
		case "branches_create": // there is one called draft
			args = `{"name":"another"}`
		case "tags_create": // and one called v1
			args = `{"name":"v2"}`
		case "trails.meta.token.create":
			args = `{"name":"another"}`
		case "load": // the sample replaces all notes, which is its change
			args = strings.Replace(args, "overwrite", "merge", 1)
		}
		if d.SideEffects != capability.None {
			args = strings.Replace(strings.Replace(args, "{", `{"dry_run": true, `, 1), ", }", "}", 1)
		}
		measure := func(e *invoketest.Engine) (allocations float64, size int) {
			call := func() {
				c := sample(d, args)
				c.Ask = yes
				result, err := e.Call(t.Context(), c)
				if err != nil {
					t.Fatalf("%s %s: %v", d.ID, args, err)
				}
				size = len(result.Structured)
			}
			allocations = testing.AllocsPerRun(1, call)
			for range 3 { // a pool that the collector has emptied, or another connection, costs a call more
				allocations = min(allocations, testing.AllocsPerRun(1, call))
			}
			return allocations, size
		}
		few, short := measure(small)
		many, long := measure(large)
		const slack = 100
		if most := 1.5*few*max(1, float64(long)/float64(short)) + slack; many > most {
			t.Errorf("%s costs %s: %.0f allocations for %d bytes, and %.0f for %d in a graph of ten times the size", d.ID, d.CostEstimate, few, short, many, long)
		}
	}
}
