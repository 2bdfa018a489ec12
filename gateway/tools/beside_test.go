package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/builtin"
	"trails/builtin/surface"
	"trails/capability/project"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/text/tokens"
)

// besideOf is an engine with a surface as a process has it, whose file names servers.
func besideOf(t testing.TB, mode surface.Mode, schema string, servers ...gateway.Server) *invoketest.Engine {
	t.Helper()
	pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(pool.Close)
	all := tools.New(pool, embed.Open(embed.Config{}), mode == surface.Proxy)
	choose := mode.Choose
	if mode == surface.Proxy {
		choose = func(c []invoke.Capability) []invoke.Capability { return all.Listed(mode.Choose(c), c) }
	}
	e := invoketest.New(t, schema, invoke.Config{Surface: choose, Providers: builtin.Options{Upstreams: pool, Embedder: embed.Open(embed.Config{}), Gateway: all}.Providers()})
	for _, server := range servers {
		e.Must(t, "trails.meta.gateway.add", `{"definition":`+server.Text()+`}`)
	}
	return e
}

// onlyTools is a server that has tools and nothing else.
func onlyTools(names ...string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1"}, nil)
	for _, name := range names {
		s.AddTool(&mcp.Tool{Name: name, Description: "Does " + name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name}}}, nil
		})
	}
	return s
}

func idsListed(t testing.TB, e *invoketest.Engine) (ids []string) {
	t.Helper()
	list, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list.Listed {
		ids = append(ids, d.ID)
	}
	return ids
}

// A list has what reads resources and gets prompts where a server has any, and what finds and calls
// the tools of servers whatever the surface.
func TestAListHasWhatItsServersNeed(t *testing.T) {
	three := []string{"tool_browse", "tool_execute", "tool_view"}
	four := []string{"resource_browse", "resource_read", "prompt_browse", "prompt_get"}
	plain := gateway.Server{Name: "plain", HTTP: serve(t, onlyTools("one"))}
	rich := gateway.Server{Name: "github", HTTP: serve(t, github(new(atomic.Int64)))}
	down := gateway.Server{Name: "gone", HTTP: "http://127.0.0.1:1/mcp"}
	for _, mode := range []surface.Mode{surface.Gateway, surface.Auto, surface.Full, surface.Compact} {
		for _, c := range []struct {
			servers []gateway.Server
			want    []string
		}{
			{[]gateway.Server{plain}, three},
			{[]gateway.Server{plain, rich}, slices.Concat(three, four)},
			{[]gateway.Server{down}, slices.Concat(three, four)}, // nobody knows what it has
		} {
			e := besideOf(t, mode, people, c.servers...)
			got := idsListed(t, e)
			if mode == surface.Full || mode == surface.Compact {
				if !slices.Contains(got, "search") {
					t.Errorf("%s: %v lacks tools of the file", mode, got)
				}
				got = slices.DeleteFunc(got, func(id string) bool { return !slices.Contains(slices.Concat(three, four), id) })
				text, _ := e.Must(t, "guide", "{}")["text"].(string)
				if !strings.Contains(text, "Tools of upstream servers are not in the list: ") || !strings.Contains(text, "Upstream servers: ") || !strings.Contains(text, c.servers[0].Name) {
					t.Errorf("%s: the guide does not say why tools are missing:\n%s", mode, text)
				}
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(c.want))
			if !slices.Equal(got, want) {
				t.Errorf("%s beside %s: %v, want %v", mode, c.servers[len(c.servers)-1].Name, got, want)
			}
		}
	}
	if got := idsListed(t, besideOf(t, surface.Full, people)); slices.Contains(got, "tool_browse") {
		t.Errorf("without servers %v", got)
	}
}

// What lists and answers name, but no host can call by that name, says through what it is called, and that works.
func TestWhatIsCalledByItsIDSaysThroughWhat(t *testing.T) {
	proxy := besideOf(t, surface.Proxy, people, gateway.Server{Name: "plain", HTTP: serve(t, onlyTools("one"))})
	proxy.Must(t, "tool_browse", `{"path":"/"}`) // the server has been asked
	ids := slices.DeleteFunc(idsListed(t, proxy), func(id string) bool { return !strings.Contains(id, ":") })
	if !slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, "plain:one#") }) {
		t.Fatalf("listed are %v", ids)
	}
	for _, id := range append(ids, "plain:one", "plain:nothing") {
		f := proxy.Refused(t, invoke.Call{Capability: id, Principal: invoketest.Ana, Args: []byte("{}")}, fault.UnknownTool)
		if want := "unknown tool: " + id + "; what has an id with a colon is called through tool_execute"; f.Message != want {
			t.Errorf("%s is told %q", id, f.Message)
		}
	}
	if done := proxy.Must(t, "tool_execute", `{"tool_id":"plain:one","args":{}}`); done["result"] != "one" {
		t.Errorf("through tool_execute: %v", done)
	}
	const bare = "unknown tool: one; tools of servers are called through tool_execute"
	if f := proxy.Refused(t, invoke.Call{Capability: "one", Principal: invoketest.Ana, Args: []byte("{}")}, fault.UnknownTool); f.Message != bare {
		t.Errorf("a bare name is told %q", f.Message)
	}
	alone := besideOf(t, surface.Full, people)
	if f := alone.Refused(t, invoke.Call{Capability: "one", Principal: invoketest.Ana, Args: []byte("{}")}, fault.UnknownTool); f.Message != "unknown tool: one" {
		t.Errorf("without servers it is told %q", f.Message)
	}
}

// The list of every tool follows what a server says, and each of its lines says where it is called.
func TestAListOfEveryToolFollowsItsServers(t *testing.T) {
	s := onlyTools("one")
	e := besideOf(t, surface.Proxy, people, gateway.Server{Name: "plain", HTTP: serve(t, s)})
	of := func() (names []string, choice string) {
		list, err := e.Tools(t.Context(), invoketest.Ana)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list.Listed {
			found, err := project.Lint(d, list.Process)
			if err != nil || slices.ContainsFunc(found, func(f project.Finding) bool { return f.Field == "input_shape" }) {
				t.Errorf("%s: %v, %v", d.ID, found, err)
			}
			if strings.HasPrefix(d.ID, "plain:") {
				names = append(names, d.ID+" "+d.Description)
				if d.Version == "" || !project.MCPTool(d, list.Process).Annotations.OpenWorldHint {
					t.Errorf("%s has the version %q and says that it stays here", d.ID, d.Version)
				}
			}
		}
		return names, list.Choice
	}
	first, choice := of()
	if len(first) != 1 {
		t.Fatal(first)
	}
	s.AddTool(&mcp.Tool{Name: "two", Description: "Does two", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	var now []string
	after := choice
	for range 600 { // the server tells on its own time
		if now, after = of(); len(now) == 2 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(now) != 2 || after == choice {
		t.Errorf("%v stays %v, and the choice %t", first, now, after == choice)
	}
}

// What is wrong with one server is told where its things may be missing, and nowhere else.
func TestAWarningIsOfTheServersThatAreAskedFor(t *testing.T) {
	e, _ := gatewayOf(t, invoke.Config{}, "", gateway.Server{Name: "gone", HTTP: "http://127.0.0.1:1/mcp"})
	count, readme, greet := idOf(t, e, "tool_browse", "count"), idOf(t, e, "resource_browse", "readme"), idOf(t, e, "prompt_browse", "greet")
	for call, warned := range map[string]bool{
		`tool_browse {"query":"count"}`: true, `tool_browse {"path":"/"}`: true, `resource_browse {"query":"readme"}`: true, `prompt_browse {"path":"/*"}`: true,
		`tool_browse {"path":"/github"}`: false, `tool_browse {"path":"/trails/search"}`: false,
		`tool_execute {"tool_id":"` + count + `","args":{"count":1}}`: false, `tool_execute {"tool_id":" ` + count + `","args":{"count":1}}`: false,
		`tool_execute {"tool_id":"search","args":{"text":"x"}}`: false, `tool_execute {"tool_id":" Search","args":{"text":"x"}}`: false, `tool_hydrate {"tool_id":"` + count + `"}`: false,
		`resource_read {"resource_id":"` + readme + `"}`: false, `prompt_get {"prompt_id":"` + greet + `","args":{"who":"x"}}`: false,
	} {
		name, args, _ := strings.Cut(call, " ")
		r, _ := answered(t, e, name, args)
		if got := strings.Contains(string(r.Structured)+r.Text, "gone"); got != warned {
			t.Errorf("%s tells of another server: %t\n%s", call, got, r.Text)
		}
	}
	refused(t, e, "tool_browse", `{"path":"/gone"}`, gateway.UpstreamUnavailable)
	refused(t, e, "tool_execute", `{"tool_id":"gone:x","args":{}}`, gateway.UpstreamUnavailable)
}

// However many servers are down, an answer says why of three, how many more there are, and what says why of those.
func TestManyServersThatAreDownAreCounted(t *testing.T) {
	var servers []gateway.Server
	for i := range 6 {
		servers = append(servers, gateway.Server{Name: fmt.Sprintf("gone%d", i), HTTP: "http://127.0.0.1:1/mcp"})
	}
	e := engineOf(t, invoke.Config{}, servers...)
	_, out := answered(t, e, "tool_browse", `{"query":"list"}`)
	said := fmt.Sprint(out["warnings"])
	if strings.Count(said, "is unavailable") != 3 || !strings.Contains(said, "3 upstreams more, such as gone3; gateway_list names all") {
		t.Errorf("got %s", said)
	}
	if listed, _ := answered(t, e, "gateway_list", `{}`); strings.Count(string(listed.Structured), `"problem":"the upstream gone`) != len(servers) {
		t.Errorf("gateway_list has %s", listed.Structured)
	}
}

// A resource that a result links to keeps what the server says of it, in text and structure, and is
// read by the id that stands there, whether the server lists it or not.
func TestALinkedResourceIsKeptAndRead(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "links", Version: "1"}, nil)
	hidden := ""
	long := strings.Repeat("much ", 2_000)
	for name, text := range map[string]string{"short": "", "long": long} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: "see " + text},
				&mcp.ResourceLink{URI: "file:///a b.txt?x=1", Name: "a", MIMEType: "text/x-a", Description: "All of a."},
				&mcp.ResourceLink{URI: "file:///listed", Name: "listed"},
			}}, nil
		})
	}
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		hidden = r.Params.URI
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "this is " + r.Params.URI}}}, nil
	}
	s.AddResource(&mcp.Resource{URI: "file:///listed", Name: "listed"}, read)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if p, is := r.GetParams().(*mcp.ReadResourceParams); is && p.URI != "file:///listed" {
				return read(ctx, &mcp.ReadResourceRequest{Params: p})
			}
			return next(ctx, method, r)
		}
	})
	address := serve(t, s)
	e := engineOf(t, invoke.Config{}, gateway.Server{Name: "links", HTTP: address}, gateway.Server{Name: "few", HTTP: address, Exclude: []string{"x"}})
	for _, name := range []string{"short", "long"} {
		r, out := answered(t, e, "tool_execute", `{"tool_id":"links:`+name+`","args":{}}`)
		links, _ := out["links"].([]any)
		if len(links) != 2 {
			t.Fatalf("%s: %s", name, r.Structured)
		}
		for i, want := range []struct{ name, uri, mime string }{{"a", "file:///a b.txt?x=1", "text/x-a"}, {"listed", "file:///listed", ""}} {
			l := links[i].(map[string]any)
			mime, _ := l["mimeType"].(string)
			if l["name"] != want.name || l["uri"] != want.uri || mime != want.mime {
				t.Errorf("%s: %v, want %v", name, l, want)
			}
			id, _ := l["resource_id"].(string)
			if name == "short" {
				for _, said := range []string{want.name, want.uri, want.mime, fmt.Sprintf("{\"resource_id\":%q}", id)} {
					if !strings.Contains(r.Text, said) {
						t.Errorf("the text does not say %s: %s", said, r.Text)
					}
				}
			}
			if got, _ := answered(t, e, "resource_read", fmt.Sprintf(`{"resource_id":%q}`, id)); got.Text != "this is "+want.uri || hidden != want.uri {
				t.Errorf("%s reads %q at %s", id, got.Text, hidden)
			}
		}
	}
	if want := idOf(t, e, "resource_browse", "listed"); want == "" {
		t.Error("nothing is listed")
	}
	// Who takes only a part of a server follows no links out of it.
	_, out := answered(t, e, "tool_execute", `{"tool_id":"few:short","args":{}}`)
	first := out["links"].([]any)[0].(map[string]any)
	refused(t, e, "resource_read", fmt.Sprintf(`{"resource_id":%q}`, first["resource_id"]), gateway.ResourceNotFound)
}

func TestInstructionsNameTheTypesBesideServers(t *testing.T) {
	attack, err := os.ReadFile("../../testdata/attack/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var servers []gateway.Server
	for i := range 12 {
		servers = append(servers, gateway.Server{Name: fmt.Sprintf("server-with-a-name-%d", i), HTTP: "http://127.0.0.1:1/mcp"})
	}
	e := besideOf(t, surface.Gateway, string(attack), servers...)
	text, _ := e.Must(t, "guide", "{}")["text"].(string)
	for _, name := range []string{"Technique", "Group", "Software", "Mitigation", "Campaign", "Tactic"} {
		if !strings.Contains(text, name) {
			t.Errorf("the guide does not name %s", name)
		}
	}
	if strings.Contains(text, "more: schema_get") || len(text) > 2000 {
		t.Errorf("%d bytes\n%s", len(text), text)
	}
}

// Where a file names servers, a skill says how their tools are found and called; its examples are calls.
func TestASkillTellsOfUpstreamTools(t *testing.T) {
	plain := gateway.Server{Name: "plain", HTTP: serve(t, onlyTools("one"))}
	for _, mode := range surface.Modes() {
		e := besideOf(t, mode, people, plain)
		text, _ := e.Must(t, "skills_get", `{"name":"use-upstream-tools"}`)["text"].(string)
		calls := regexp.MustCompile(`(?m)^    (\w+) (\{.*\})$`).FindAllStringSubmatch(text, -1)
		if len(calls) != 3 || !strings.Contains(text, "Upstream servers: plain;") || tokens.Count(text) > 1500 {
			t.Errorf("%s: %d examples in\n%s", mode, len(calls), text)
		}
		for _, call := range calls {
			e.Must(t, call[1], call[2])
		}
		for _, name := range []string{"read-graph", "write-graph", "change-schema"} {
			if text, _ := e.Must(t, "skills_get", fmt.Sprintf(`{"name":%q}`, name))["text"].(string); tokens.Count(text) > 1500 {
				t.Errorf("%s: %s has %d tokens", mode, name, tokens.Count(text))
			}
		}
	}
	without := besideOf(t, surface.Gateway, people)
	if list := fmt.Sprint(without.Must(t, "skills_list", "{}")["skills"]); strings.Contains(list, "upstream") || !strings.Contains(list, "read-graph") {
		t.Errorf("without servers there are the skills %s", list)
	}
}
