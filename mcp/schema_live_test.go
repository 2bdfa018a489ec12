package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/mcp"
)

// talk is one conversation with a server that has everything the suite wants. Each
// message of it is held to its schema.
type talk struct {
	t       *testing.T
	version string
	engine  *suiteEngine
	*inspector
	line
	ids  int
	last wire // that was waited for
}

// Every message of a conversation in which all that the protocol has is said once,
// is as its schema has it, in each version and at each door. What was said stands
// in schema_live.txt; -update rewrites it.
func TestConformanceOfLiveConversationsWithTheSchemas(t *testing.T) {
	schemaOf(t, versions[0])
	var mu sync.Mutex
	said := map[string][]string{}
	t.Run("doors", func(t *testing.T) {
		for door := range lines {
			for _, version := range versions {
				if door == "sse" && version > sessions {
					continue // the legacy transport has sessions only
				}
				t.Run(door+" "+version, func(t *testing.T) {
					t.Parallel()
					seen := converseOnce(t, door, version)
					mu.Lock()
					defer mu.Unlock()
					said[door+" "+version] = slices.Sorted(maps.Keys(seen))
				})
			}
		}
	})
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(said)) {
		fmt.Fprintf(&out, "%s\n  %s\n\n", name, strings.Join(said[name], "\n  "))
	}
	const golden = "testdata/schema_live.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" && !t.Failed() {
		t.Errorf("other messages were exchanged (-golden +got, -update rewrites it)\n%s", diff)
	}
}

func converseOnce(t *testing.T, door, version string) map[string]int {
	engine := &suiteEngine{}
	engine.changes = make(chan invoke.Change)
	s := mcp.New(engine, options(""))
	s.SetFixture(suiteFixture)
	c := &talk{t: t, version: version, engine: engine, inspector: newInspector(t, version), line: lines[door](t, s, version)}
	c.greet()
	for _, step := range steps {
		if version >= step.since && (step.until == "" || version <= step.until) {
			c.ask(step.method, step.params)
		}
	}
	if version > sessions {
		c.answerByCall()
	}
	if door != "stateless" || version > sessions {
		c.watch()
	}
	return c.seen
}

// step is one thing that a client asks.
type step struct {
	method string
	params string // members, without braces
	since  string // the first version that has it; empty means all
	until  string // the last one, likewise
}

// sessions is the last version that has them. The fixture's contents are the SDK's,
// which lack what it adds to its own answers in the next one.
const sessions = "2025-11-25"

// steps ask for everything. What a version or a door does not have is answered
// with an error, which has a schema, too.
var steps = []step{
	{"logging/setLevel", `"level":"debug"`, "", sessions},
	{"tools/list", ``, "", ""},
	{"tools/list", `"cursor":"none of ours"`, "", ""},
	{"tools/call", `"name":"test_simple_text"`, "", ""},
	{"tools/call", `"name":"test_simple_text","arguments":{}`, "", ""},
	{"tools/call", `"name":"test_error_handling","_meta":{"io.modelcontextprotocol/logLevel":"debug"}`, "", ""},
	{"tools/call", `"name":"no_such_tool"`, "", ""},
	{"tools/call", `"name":"test_image_content"`, "", sessions},
	{"tools/call", `"name":"test_audio_content"`, "2025-03-26", sessions},
	{"tools/call", `"name":"test_embedded_resource"`, "", sessions},
	{"tools/call", `"name":"test_multiple_content_types"`, "", sessions},
	{"tools/call", `"name":"ask"`, "", ""},
	{"tools/call", `"name":"test_sampling","arguments":{"prompt":"Well?"}`, "", sessions},
	{"tools/call", `"name":"test_tool_with_progress","_meta":{"progressToken":"p"}`, "", ""},
	{"resources/list", ``, "", ""},
	{"resources/templates/list", ``, "", ""},
	{"resources/read", `"uri":"test://static-text"`, "", ""},
	{"resources/read", `"uri":"test://static-binary"`, "", ""},
	{"resources/read", `"uri":"test://nothing"`, "", ""},
	{"resources/subscribe", `"uri":"trails://kg/Note"`, "", sessions},
	{"resources/subscribe", `"uri":"trails://kg/Note?where=n%3D1"`, "", sessions},
	{"prompts/list", ``, "", ""},
	{"prompts/get", `"name":"test_simple_prompt"`, "", ""},
	{"prompts/get", `"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}`, "", ""},
	{"prompts/get", `"name":"test_prompt_with_image"`, "", sessions},
	{"prompts/get", `"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://a"}`, "", sessions},
	{"prompts/get", `"name":"no_such_prompt"`, "", ""},
	{"completion/complete", `"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"t"}`, "", ""},
	{"completion/complete", `"ref":{"type":"ref/resource","uri":"trails://kg/{type}/{id}"},"argument":{"name":"type","value":"N"}`, "", ""},
}

// greet opens the conversation as its version does.
func (c *talk) greet() {
	if c.version >= "2026-07-28" {
		c.ask("server/discover", ``)
		return
	}
	abilities := `"sampling":{}`
	if c.version >= "2025-06-18" {
		abilities += `,"elicitation":{}`
	}
	c.ask("initialize", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{%s},"clientInfo":{"name":"tester","version":"1"}`, c.version, abilities))
	c.note("notifications/initialized", ``)
	c.ask("ping", ``)
}

// answerByCall makes a call that asks again, with the answer.
func (c *talk) answerByCall() {
	var open struct {
		Type  string `json:"resultType"`
		State string `json:"requestState"`
	}
	c.ask("tools/call", `"name":"ask"`)
	if err := json.Unmarshal(c.last.Result, &open); err != nil || open.Type != "input_required" {
		c.t.Fatalf("nobody is asked: %v %s", err, c.last.Result)
	}
	c.ask("tools/call", fmt.Sprintf(`"name":"ask","requestState":%q,"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}`, open.State))
	if !strings.Contains(string(c.last.Result), `"structuredContent":{"answer":true}`) {
		c.t.Errorf("the answer was not heard: %s", c.last.Result)
	}
}

// watch hears of a change: in a session, or in a subscription without one.
func (c *talk) watch() {
	if c.version >= "2026-07-28" {
		c.ids++
		id := fmt.Sprint(c.ids)
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"subscriptions/listen","params":{%s}}`, id,
			c.withMeta(`"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["trails://kg/Note"]}`)))
		c.listen(func(m wire) bool { return m.Method == "notifications/subscriptions/acknowledged" || string(m.ID) == id })
	}
	select {
	case c.engine.changes <- invoke.Change{Schema: true, Types: []string{"Note"}, Instances: []string{"trails://kg/Note/1"}}:
	case <-time.After(patience):
		c.t.Fatal("nobody watches")
	}
	awaited := map[string]bool{"notifications/tools/list_changed": true, "notifications/resources/list_changed": true, "notifications/resources/updated": true}
	c.listen(func(m wire) bool {
		delete(awaited, m.Method)
		return len(awaited) == 0
	})
	if c.version < "2026-07-28" {
		c.ask("resources/unsubscribe", `"uri":"trails://kg/Note"`)
	}
}

// ask sends a request and listens until its answer is there.
func (c *talk) ask(method, params string) {
	c.t.Helper()
	c.ids++
	id := fmt.Sprint(c.ids)
	c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, c.withMeta(params)))
	c.listen(func(m wire) bool { return m.Method == "" && string(m.ID) == id })
}

func (c *talk) note(method, params string) {
	c.t.Helper()
	c.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, params))
}

// withMeta adds what each request of the version without sessions says.
func (c *talk) withMeta(params string) string {
	if c.version < "2026-07-28" {
		return params
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}`
	if before, own, found := strings.Cut(params, `"_meta":{`); found {
		return before + meta + "," + own
	}
	return strings.TrimPrefix(params+","+meta+"}", ",")
}

// say sends a message that its schema has.
func (c *talk) say(text string) {
	c.t.Helper()
	if err := c.inspect(client, []byte(text)); err != nil {
		c.t.Errorf("the test says %s\n%v", text, err)
	}
	c.send(text)
}

// listen inspects what comes, and answers the server's questions, until one is the
// one that is waited for.
func (c *talk) listen(isIt func(wire) bool) {
	c.t.Helper()
	for {
		select {
		case text := <-c.heard:
			if err := c.inspect(server, []byte(text)); err != nil {
				c.t.Errorf("the server says %.1000s\n%v", text, err)
			}
			var m wire
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				c.t.Fatal(err)
			}
			if m.Method != "" && m.ID != nil {
				c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, resultFor(m)))
			}
			if c.last = m; isIt(m) {
				return
			}
		case <-time.After(patience):
			c.t.Fatal("the server says nothing")
		}
	}
}

// resultFor is what the client answers.
func resultFor(m wire) string {
	switch m.Method {
	case "sampling/createMessage":
		return `{"role":"assistant","content":{"type":"text","text":"Yes."},"model":"m"}`
	case "elicitation/create":
		return `{"action":"accept","content":{"confirm":true}}`
	}
	return `{}`
}
