package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
	"trails/invoke"
)

// Words of which tools are made.
var (
	verbs = []string{"create", "list", "update", "delete", "search", "export", "archive", "approve", "assign", "merge"}
	nouns = []string{"invoice", "issue", "customer", "report", "meeting", "contract", "message", "deployment", "payment", "dashboard"}
	parts = []string{"comments", "labels", "history", "owners", "templates", "attachments", "permissions", "schedules", "totals", "drafts"}
)

// manyTools are the definitions of n tools, which all differ. Each costs some 100 tokens, as those
// of servers that people use do.
func manyTools(n int) []mcp.Tool {
	all := make([]mcp.Tool, n)
	for i := range all {
		verb, noun, part := verbs[i%10], nouns[i/10%10], parts[i/100%10]
		all[i] = mcp.Tool{
			Name:        fmt.Sprintf("%s_%s_%s_%d", verb, noun, part, i/1000),
			Description: fmt.Sprintf("Use it to %s the %s of one %s in region %d. It answers what it has done.", verb, part, noun, i/1000),
			InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"%s_id":{"type":"string","description":"The id of the %s"},"limit":{"type":"integer","minimum":1,"maximum":100},"state":{"type":"string","enum":["open","closed","all"]}},"required":["%s_id"]}`, noun, noun, noun)),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: verb == "list" || verb == "search"},
		}
	}
	return all
}

// serversOf are servers that offer these tools, a thousand each.
func serversOf(t testing.TB, all []mcp.Tool) []gateway.Server {
	t.Helper()
	var servers []gateway.Server
	for some := range slices.Chunk(all, 1_000) {
		s := mcp.NewServer(&mcp.Implementation{Name: "many", Version: "1"}, nil)
		for i := range some {
			s.AddTool(&some[i], func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		}
		servers = append(servers, gateway.Server{Name: fmt.Sprintf("many%d", len(servers)), HTTP: serve(t, s)})
	}
	return servers
}

// lap is the median of what was measured.
type lap []time.Duration

func (l *lap) measure(do func()) {
	began := time.Now()
	do()
	*l = append(*l, time.Since(began))
}

func (l lap) median() time.Duration {
	sorted := slices.Sorted(slices.Values(l))
	return sorted[len(sorted)/2]
}

// BenchmarkBrowse calls tool_browse with queries and a path, which go by turns, of an engine
// whose file names servers with so many tools. The catalog of a directory of the same tools is
// asked the same in the same run.
func BenchmarkBrowse(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := manyTools(n)
			e := engineOf(b, invoke.Config{}, serversOf(b, all)...)
			catalog := gateway.NewDirectory(nil, listingsOf(all)).Catalog(gateway.Tool)
			queries := []string{"approve the payment of a customer", "which invoices have comments", "export permissions of the dashboard in region 3", "merge drafts"}
			answered(b, e, "tool_browse", `{"query":"all"}`) // the servers are asked here
			var whole, alone lap
			for i := 0; b.Loop(); i++ {
				query := queries[i%len(queries)]
				whole.measure(func() {
					if _, err := ask(b, e, "tool_browse", fmt.Sprintf(`{"query":%q}`, query)); err != nil {
						b.Fatal(err)
					}
				})
				alone.measure(func() {
					if _, err := catalog.Browse(gateway.Browsing{Query: &query}); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(whole.median().Seconds()*1e3, "p50-ms")
			b.ReportMetric(alone.median().Seconds()*1e3, "catalog-p50-ms")
		})
	}
}

// listingsOf is what [serversOf] lists.
func listingsOf(all []mcp.Tool) []gateway.Listing {
	var listings []gateway.Listing
	for some := range slices.Chunk(all, 1_000) {
		l := gateway.Listing{Server: gateway.Server{Name: fmt.Sprintf("many%d", len(listings))}}
		for _, one := range some {
			l.Offered = append(l.Offered, gateway.Offered{Kind: gateway.Tool, Definition: gateway.Definition{
				Name: one.Name, Description: one.Description, InputSchema: one.InputSchema.(json.RawMessage),
			}})
		}
		listings = append(listings, l)
	}
	return listings
}

// BenchmarkDirectory makes what is browsed of the listings of servers, as is done when a
// process begins, and when a server lists something else.
func BenchmarkDirectory(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			listings := listingsOf(manyTools(n))
			var made lap
			for b.Loop() {
				made.measure(func() { gateway.NewDirectory(nil, listings) })
			}
			b.ReportMetric(made.median().Seconds()*1e3, "p50-ms")
		})
	}
}

// BenchmarkExecute calls a tool by tool_execute and, by turns, with a client of the SDK that
// speaks to the same server. The overhead is the difference of the medians. What a call that
// may change something adds to the file is in it.
func BenchmarkExecute(b *testing.B) {
	for name, call := range map[string]struct{ tool, args string }{
		"reads":   {"count", `{"count":3}`},
		"changes": {"github.list_repos", `{}`},
	} {
		b.Run(name, func(b *testing.B) {
			address := serve(b, github(new(atomic.Int64)))
			e := engineOf(b, invoke.Config{}, gateway.Server{Name: "github", HTTP: address})
			session, err := mcp.NewClient(&mcp.Implementation{Name: "direct", Version: "1"}, nil).Connect(b.Context(), &mcp.StreamableClientTransport{Endpoint: address}, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			execute := fmt.Sprintf(`{"tool_id":%q,"args":%s}`, idOf(b, e, "tool_browse", call.tool), call.args)
			var through, direct lap
			for b.Loop() {
				through.measure(func() { answered(b, e, "tool_execute", execute) })
				direct.measure(func() {
					if _, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: call.tool, Arguments: json.RawMessage(call.args)}); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(through.median().Seconds()*1e3, "p50-ms")
			b.ReportMetric(direct.median().Seconds()*1e3, "direct-p50-ms")
			b.ReportMetric((through.median()-direct.median()).Seconds()*1e3, "overhead-ms")
		})
	}
}
