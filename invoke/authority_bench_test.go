package invoke_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// What policies cost a read: by somebody whom they do not bind, by one who may see everything, by one from whom one type of
// ten is hidden, and by two in turn from whom different types are hidden. All read the same node in turn, so that the load of
// the machine is the same for all; the figures are medians, and multiples of the first one.
func BenchmarkReadUnderPolicies(b *testing.B) {
	var declared, data strings.Builder
	declared.WriteString("types:\n")
	for i := range 10 {
		fmt.Fprintf(&declared, "  T%d: {properties: {title: string, knows: {class: T%d, many: true}}}\n", i, (i+1)%10)
		for n := range 100 {
			fmt.Fprintf(&data, `{"type":"T%d","id":"n%d","data":{"title":"node %d","knows":["T%d/n%d"]}}`+"\n", i, n, n, (i+1)%10, n)
		}
	}
	load, err := json.Marshal(map[string]string{"data": data.String()})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "authority.db")
	invoketest.Create(b, path, kg.CreateOptions{Schema: []byte(declared.String()), By: invoketest.Ana})
	e, closes := process(b, path, time.Now)
	defer closes()
	if err := calls(b, e, invoketest.Ana, "load", string(load)); err != nil {
		b.Fatal(err)
	}
	all := token("all")
	for _, read := range []invoke.Call{
		{Capability: "get", Args: json.RawMessage(`{"ids":["T5/n7"]}`)},
		{Capability: "list", Args: json.RawMessage(`{"type":"T5","limit":20}`)},
		{Capability: "search", Args: json.RawMessage(`{"text":"node 7"}`)},
		{Capability: "query", Args: json.RawMessage(`{"query":"SELECT ?t { ?s :title ?t } LIMIT 20"}`)},
	} {
		b.Run(read.Capability, func(b *testing.B) {
			took := map[string][]time.Duration{}
			timed := func(name string, callers ...policy.Principal) {
				for _, by := range callers {
					call := read
					call.Principal = by
					began := time.Now()
					if _, err := e.Call(b.Context(), call); err != nil {
						b.Fatal(err)
					}
					took[name] = append(took[name], time.Since(began))
				}
			}
			govern := func(policies string) {
				if _, err := e.Graph().Session(invoketest.Ana).ChangePolicies(b.Context(), kg.PolicyChange{Text: policies}); err != nil {
					b.Fatal(err)
				}
			}
			govern(`permit (principal, action, resource);
forbid (principal == Actor::"token:one", action == Action::"read", resource == Type::"T1");
forbid (principal == Actor::"token:two", action == Action::"read", resource == Type::"T2");
forbid (principal == Actor::"token:three", action == Action::"read", resource == Type::"T3");`)
			timed("warm", all, token("one"), token("two"), token("three"))
			for b.Loop() {
				timed("unbound", invoketest.Ana)
				timed("all", all)
				timed("one-hidden", token("one"))
				timed("one-hidden", token("one"))
				timed("other-hidden", token("two"), token("three"))
			}
			median := func(name string) float64 {
				slices.Sort(took[name])
				return float64(took[name][len(took[name])/2])
			}
			b.ReportMetric(median("unbound")/1e3, "µs-unbound")
			for _, name := range []string{"all", "one-hidden", "other-hidden"} {
				b.ReportMetric(median(name)/median("unbound"), "times-"+name)
			}
		})
	}
}
