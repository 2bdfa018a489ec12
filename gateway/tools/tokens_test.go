package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/builtin/surface"
	"trails/e2e/testrun"
	"trails/gateway"
	"trails/gateway/gatewaytest"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/text/tokens"
)

// listed is how many tokens a model reads of the list of tools.
func listed(t *testing.T, e *invoketest.Engine) int {
	t.Helper()
	list, err := e.Tools(t.Context(), invoketest.Nobody)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range list.Listed {
		text += surface.Shown(d)
	}
	return tokens.Count(text)
}

func TestTheListCostsTheSameForAnyNumberOfToolsOfServers(t *testing.T) {
	testrun.Alone(t)
	var known []int
	for _, n := range []int{10, 1_000, 10_000} {
		e := engineOf(t, invoke.Config{Surface: surface.Gateway.Choose}, serversOf(t, manyTools(n))...)
		if before := listed(t, e); before > 1_000 { // it waits for servers, but not for ever
			t.Errorf("%d tokens before the %d tools are known", before, n)
		}
		if _, out := answered(t, e, "tool_browse", `{"query":"create invoice comments"}`); len(out["cards"].([]any)) != 10 {
			t.Errorf("of %d tools are found: %v", n, out)
		}
		known = append(known, listed(t, e))
	}
	t.Logf("%d tokens", known[0])
	if len(slices.Compact(known)) != 1 || known[0] > 1_000 {
		t.Errorf("%d tokens with 10, 1,000 and 10,000 tools", known)
	}
}

// catalogTools are the first tools of a catalog of the vectors.
func catalogTools(t *testing.T, n int) []mcp.Tool {
	t.Helper()
	var catalog []struct {
		ID, Description string
		Schema          json.RawMessage `json:"args_schema"`
	}
	gatewaytest.Read(t, "catalog_500.json", &catalog)
	var all []mcp.Tool
	for _, one := range catalog[:n] {
		if string(one.Schema) == "{}" {
			one.Schema = json.RawMessage(`{"type":"object"}`)
		}
		all = append(all, mcp.Tool{Name: one.ID, Description: one.Description, InputSchema: one.Schema})
	}
	return all
}

// The list and a session of one search and one call, beside the definitions of 320 tools: of
// the catalog, whose tools take no arguments, and with some arguments each.
func TestASessionCostsAFractionOfTheWholeList(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		name          string
		all           []mcp.Tool
		list, session float64 // what they may cost of the whole
	}{
		{"without arguments", catalogTools(t, 320), 0.1, 0.135},
		{"with three arguments", manyTools(320), 0.026, 0.04},
	} {
		whole := 0
		for _, one := range c.all {
			text, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			whole += tokens.Count(string(text))
		}
		e := engineOf(t, invoke.Config{Surface: surface.Gateway.Choose}, serversOf(t, c.all)...)
		list := listed(t, e)
		session := list
		say := func(name, args string) map[string]any {
			r, out := answered(t, e, name, args)
			session += tokens.Count(name+" "+args) + tokens.Count(r.Text)
			return out
		}
		card := say("tool_browse", `{"query":"export the audit log of an invoice"}`)["cards"].([]any)[0].(map[string]any)
		args := `{}`
		if strings.Contains(card["name"].(string), "invoice") {
			args = `{"invoice_id":"i7"}`
		}
		say("tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":%s}`, card["id"], args))
		less := func(n int) float64 { return 100 - 100*float64(n)/float64(whole) }
		t.Logf("320 tools %s: %d tokens; the list %d, %.1f%% less; with a session %d, %.1f%% less", c.name, whole, list, less(list), session, less(session))
		if float64(list) > c.list*float64(whole) || float64(session) > c.session*float64(whole) {
			t.Errorf("%s: of %d tokens the list costs %d, and with a session %d", c.name, whole, list, session)
		}
	}
}

// emitter is a server with the tool emit, which answers with one of these texts.
func emitter(texts map[string]string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "emitter", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "emit", Description: "Emit a text."}, func(_ context.Context, _ *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: texts[in.Text]}}}, nil, nil
	})
	return s
}

// Of a result of 10,000 characters and more a model reads at most a twentieth, as text and as
// the structured value, and of a small one what the tool said.
func TestAModelReadsLittleOfALargeResult(t *testing.T) {
	testrun.Alone(t)
	words := strings.Fields("the committee has met again to hear what became of the plans that were made in the spring of this year and found that little of them had been done since nobody was told who should begin with which part of the work")
	kinds := map[string]func(i int) string{
		"log": func(i int) string {
			return fmt.Sprintf("2026-11-20T10:%02d:%02d level=info msg=\"request served\" path=/items/%d status=200 took=%dms\n", i/60%60, i%60, i, i*7%90)
		},
		"json": func(i int) string {
			return fmt.Sprintf(`,{"id":%d,"name":"item %d","open":true,"labels":["a","b"],"owner":{"login":"user%d"}}`, i, i, i*7%90)
		},
		"prose": func(i int) string { return words[i*i%len(words)] + " " + words[i*7%len(words)] + ", " },
	}
	texts := map[string]string{}
	sizes := []int{200, 10_000, 30_000, 100_000}
	for _, size := range sizes {
		for kind, write := range kinds {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				b.WriteString(write(i))
			}
			text := b.String()
			if kind == "json" {
				text = "[" + text[1:] + "]"
			}
			texts[fmt.Sprint(kind, " ", size)] = text
		}
	}
	e := engineOf(t, invoke.Config{}, gateway.Server{Name: "emitter", HTTP: serve(t, emitter(texts))})
	id := idOf(t, e, "tool_browse", "emit")
	for _, size := range sizes {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			name := fmt.Sprint(kind, " ", size)
			text := texts[name]
			r, _ := answered(t, e, "tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":{"text":%q}}`, id, name))
			whole, read, value := tokens.Count(text), tokens.Count(r.Text), tokens.Count(string(r.Structured))
			less := func(n int) float64 { return 100 - 100*float64(n)/float64(whole) }
			t.Logf("%-12s %6d tokens; text %3d, %.1f%% less; structured %3d, %.1f%% less", name, whole, read, less(read), value, less(value))
			switch {
			case size < 10_000 && r.Text != text:
				t.Errorf("%s: a model reads %q", name, r.Text)
			case size >= 10_000 && read > whole/20:
				t.Errorf("%s: a model reads %d tokens of %d", name, read, whole)
			case size >= 10_000 && value > whole/20:
				t.Errorf("%s: the structured value has %d tokens of %d", name, value, whole)
			}
		}
	}
}
