package upstream_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"trails/fault"
	"trails/gateway"
	"trails/gateway/upstream"
)

// wired is one request of JSON-RPC.
type wired struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name            string
		Cursor          string
		ProtocolVersion string
		Meta            struct{ ProgressToken string } `json:"_meta"`
	}
}

// result is what a plain server answers, "" for a notification and for a call of a tool.
func (s wired) result() string {
	switch s.Method {
	case "initialize":
		return `{"protocolVersion":"` + s.Params.ProtocolVersion + `","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"plain","version":"1"}}`
	case "tools/list":
		return `{"tools":[{"name":"count","inputSchema":{"type":"object"}},{"name":"odd","inputSchema":{"type":"object"}}]}`
	case "resources/list", "resources/templates/list", "prompts/list":
		return `{"resources":[],"resourceTemplates":[],"prompts":[]}`
	}
	return ""
}

// longer makes an answer long, which no variable of the environment could hold.
var longer = strings.NewReplacer("PAD", strings.Repeat("pad ", 400_000))

// raw is a server over standard input and output that knows no library. MODE says how it misbehaves.
func raw() {
	mode := os.Getenv("MODE")
	out := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	switch mode {
	case "a banner":
		fmt.Println("Starting server v1.0\n[INFO] listening\n{not: a message}\n\n[]")
	case "a banner without an end of line":
		fmt.Print("Starting... ")
	case "it ends before it is greeted":
		fmt.Fprintln(os.Stderr, "first line\nError: API_KEY is not set")
		os.Exit(3)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var r wired
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		result := r.result()
		switch {
		case mode == "a line between messages":
			fmt.Println("DEBUG: " + r.Method)
		case mode == "it lists no resources" && strings.HasPrefix(r.Method, "resources/"), mode == "it lists no prompts" && r.Method == "prompts/list":
			out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, r.ID)
			continue
		case mode == "it fails to list prompts" && r.Method == "prompts/list":
			out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no database"}}`, r.ID)
			continue
		case mode == "its pages have one cursor" && r.Method == "prompts/list":
			result = `{"prompts":[],"nextCursor":"a"}`
		case mode == "its pages go round" && r.Method == "prompts/list":
			result = fmt.Sprintf(`{"prompts":[],"nextCursor":%q}`, map[string]string{"": "a", "a": "b", "b": "a"}[r.Params.Cursor])
		case mode == "it ends in a call" && r.Method == "tools/call":
			fmt.Fprintln(os.Stderr, "Segmentation fault")
			os.Exit(139)
		case mode == "it ends in a call, and leaves a process" && r.Method == "tools/call":
			left := exec.Command("sleep", "60")
			left.Stdout, left.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
			_ = left.Start()
			os.Exit(4)
		case mode == "it closes its output in a call" && r.Method == "tools/call":
			_ = os.Stdout.Close()
			time.Sleep(time.Minute)
		case mode == "its lists change without a pause" && r.Method == "tools/call":
			for range 5_000 {
				out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}
		if r.Method == "tools/call" {
			result = `{"content":[{"type":"text","text":"1"}]}`
			if _, answer, is := strings.Cut(mode, "answer: "); is && r.Params.Name == "odd" {
				out("%s", longer.Replace(strings.ReplaceAll(answer, "ID", string(r.ID))))
				continue
			}
			if r.Params.Name == "odd" {
				result = `{"content":[{"type":"text","text":"1"},{"type":"future","z":1},{"text":"no type"}]}`
			}
		}
		out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
	}
}

// TestAServerThatMisbehavesStaysUsableForTheRest prints what is no message, refuses what it says
// that it has, and answers with what the protocol does not know. Its tools can be called.
func TestAServerThatMisbehavesStaysUsableForTheRest(t *testing.T) {
	for mode, problem := range map[string]string{
		"": "", "a banner": "", "a banner without an end of line": "", "a line between messages": "", "it lists no resources": "", "it lists no prompts": "",
		"it fails to list prompts": "does not list its prompts: no database", "its lists change without a pause": "",
		"its pages have one cursor": "what comes after page 2", "its pages go round": "what comes after page 3",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var changes atomic.Int32
			p := open(t, func(c *upstream.Config) { c.Changed = func(string) { changes.Add(1) } })
			s := command(t, "raw", func(s *gateway.Server) { s.Env["MODE"], s.TimeoutMS = mode, 20_000 })
			c, err := p.Catalog(t.Context(), s)
			if err != nil || len(c.Offered) != 2 || (len(c.Problems) > 0) != (problem != "") || problem != "" && !strings.Contains(c.Problems[0].Message, problem) {
				t.Errorf("it offers %v, %v, %v", c.Offered, c.Problems, err)
			}
			for _, tool := range []string{"count", "odd", "count"} {
				said, err := call(t, p, s, tool, "", upstream.Hooks{})
				if err != nil || !strings.HasPrefix(said, "1") || tool == "odd" && (!strings.Contains(said, `not known: "future"`) || strings.Count(said, "not known") != 2) {
					t.Errorf("%s answers %q, %v", tool, said, err)
				}
			}
			if h := p.Health(s); h.State != upstream.Up || h.Failed != 0 {
				t.Errorf("it stands as %+v", h)
			}
			if n := changes.Load(); n > 10 { // of 15,000
				t.Errorf("%d changes are passed on", n)
			}
		})
	}
}

func TestACommandThatEndsSaysItsLastWords(t *testing.T) {
	for mode, want := range map[string]string{"it ends before it is greeted": "exit status 3) and wrote at last: first line / Error: API_KEY is not set", "it ends in a call": "exit status 139) and wrote at last: Segmentation fault",
		"it ends in a call, and leaves a process": "exit status 4) and wrote nothing", "it closes its output in a call": "has closed its standard output"} {
		t.Run(mode, func(t *testing.T) {
			p, s := open(t), command(t, "raw", func(s *gateway.Server) { s.Env["MODE"] = mode })
			for range 2 { // at once, and while it rests
				_, err := call(t, p, s, "count", "", upstream.Hooks{})
				if code(err) != gateway.UpstreamUnavailable || !strings.Contains(err.Error(), want) {
					t.Errorf("%v", err)
				}
			}
			if h := p.Health(s); !strings.Contains(h.Problem, want) {
				t.Error(h.Problem)
			}
		})
	}
}

// TestWhatIsWrongWithOneAnswerIsOfItsCallAlone has answers that are no messages, not quite, or have
// results of no known form, of a command, in a body and in a stream. Calls that run meanwhile, and
// later ones, do not notice, in the same session.
func TestWhatIsWrongWithOneAnswerIsOfItsCallAlone(t *testing.T) {
	result := func(result string) string { return `{"jsonrpc":"2.0","id":ID,"result":` + result + `}` }
	content := func(content string) string { return result(`{"content":` + content + `}`) }
	for name, test := range map[string]struct{ answer, want string }{
		"neither a result nor an error":       {`{"jsonrpc":"2.0","id":ID}`, "error: neither a result nor an error"},
		"a result that is a text":             {result(`"hello"`), "error: not the form that MCP gives it"},
		"an error that is a text":             {`{"jsonrpc":"2.0","id":ID,"error":"it broke"}`, "error: it broke"},
		"an error whose code is too large":    {`{"jsonrpc":"2.0","id":ID,"error":{"code":99999999999999999999,"message":"it broke"}}`, "error: it broke"},
		"an error whose code is a text":       {`{"jsonrpc":"2.0","id":ID,"error":{"code":"E1","message":"it broke"}}`, "error: it broke"},
		"an error beside a result":            {`{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"it broke"},"result":{"content":[]}}`, "error: it broke"},
		"an error that is null":               {`{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[{"type":"text","text":"fine"}]}}`, "fine"},
		"an id that is a text":                {`{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"fine"}]}}`, "fine"},
		"no version":                          {`{"id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}`, "fine"},
		"another version":                     {`{"jsonrpc":"1.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}`, "fine"},
		"a batch of one":                      {"[" + content(`[{"type":"text","text":"fine"}]`) + "]", "fine"},
		"JSON that breaks off":                {`{"jsonrpc":"2.0","id":ID,"result":{"content":[`, "error: no message of JSON-RPC"},
		"a character that is none of JSON":    {content("[{\"type\":\"text\",\"text\":\"\x01\"}]"), "error: no message of JSON-RPC"},
		"JSON that is too deep":               {result(strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)), "error: no message of JSON-RPC"},
		"JSON deeper than the client reads":   {result(`{"content":[],"structuredContent":` + strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000) + "}"), "error: nests deeper than 1000 brackets"},
		"content that is a text":              {content(`"fine"`), "fine"},
		"content that is no list":             {content(`{"type":"text","text":"fine"}`), "fine"},
		"a text that is a number":             {content(`[{"type":"text","text":5},{"type":"text","text":"fine"}]`), `(content of the type "text" that cannot be read)fine`},
		"a number in a long answer":           {content(`[{"type":"text","text":5},{"type":"text","text":"fine"}],"_meta":{"long":"PAD"}`), `(content of the type "text" that cannot be read)fine`},
		"an image that is no base64":          {content(`[{"type":"image","data":"!","mimeType":"image/png"},{"type":"text","text":"fine"}]`), `(content of the type "image" that cannot be read)fine`},
		"a resource that is a text":           {content(`[{"type":"resource","resource":"x"},{"type":"text","text":"fine"}]`), `(content of the type "resource" that cannot be read)fine`},
		"a link without an address":           {content(`[{"type":"resource_link","name":"x"},{"type":"text","text":"fine"}]`), "(a link without an address: x)fine"},
		"no resource":                         {content(`[{"type":"resource"},{"type":"text","text":"fine"}]`), "(a resource without content)fine"},
		"content that is null":                {content(`[null,{"type":"text","text":"fine"}]`), `(content of a type that is not known: "")fine`},
		"annotations that are a text":         {content(`[{"type":"text","text":"fine","annotations":"high"}]`), "fine"},
		"a list for an empty object":          {content(`[{"type":"text","text":"fine","_meta":[],"annotations":[]}],"_meta":[]`), "fine"},
		"a failure that is said by a text":    {content(`[{"type":"text","text":"it broke"}],"isError":"true"`), "error: it broke"},
		"no failure that is said by a number": {content(`[{"type":"text","text":"fine"}],"isError":0`), "fine"},
	} {
		check := func(way string, s gateway.Server, begun func() int) {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				p := open(t)
				said, err := call(t, p, s, "odd", "", upstream.Hooks{})
				if err != nil {
					if said = "error: " + err.Error(); code(err) != gateway.UpstreamError || strings.Contains(said, "struct") || strings.Contains(said, "calling") {
						t.Error(err)
					}
				}
				if want, fails := strings.CutPrefix(test.want, "error: "); fails && !strings.Contains(said, want) || strings.HasPrefix(said, "error: ") != fails || !fails && said != test.want {
					t.Errorf("it says %q, want %q", said, test.want)
				}
				if _, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || begun() != 1 {
					t.Errorf("the next call: %v, %d sessions", err, begun())
				}
				if h := p.Health(s); h.State != upstream.Up {
					t.Errorf("it stands as %+v", h)
				}
			})
		}
		if !strings.HasPrefix(name, "no version") { // a line without one may be any text
			check("of a command", command(t, "raw", func(s *gateway.Server) { s.Env["MODE"], s.TimeoutMS = "answer: "+test.answer, 20_000 }), func() int { return 1 })
		}
		for _, media := range []string{"application/json", "text/plain", "text/event-stream"} {
			s, begun := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Params.Name != "odd" {
					return false
				}
				w.Header().Set("Content-Type", media)
				answer := longer.Replace(strings.ReplaceAll(test.answer, "ID", string(asked.ID)))
				if media == "text/event-stream" {
					answer = ": a comment\n\na line of no field\nevent: message\ndata: " + answer + "\n\n"
				}
				_, _ = io.WriteString(w, answer)
				return true
			})
			check("as "+media, s, func() int { return int(begun.Load()) })
		}
	}
}

// TestAStreamOfEventsIsReadAsTheStandardSays has the same answer in each way that a stream may write it.
func TestAStreamOfEventsIsReadAsTheStandardSays(t *testing.T) {
	for name, stream := range map[string]string{
		"as usual": "event: message\ndata: A\n\n", "with other line ends": "event: message\r\ndata: A\r\n\r\n", "without a blank": "data:A\n\n", "over two lines": "data: {\ndata: B\n\n",
		"without an end": "data: A", "behind another event": "event: ping\ndata: {x\n\ndata: A\n\n", "behind a text": "data: hello\n\ndata: A\n\n", "with an id": "id: 7\nretry: 5\ndata: A\n\n", "twice": "data: A\n\ndata: A\n\n",
		"behind a long event": "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\",\"params\":{\"x\":\"" + strings.Repeat("x", 2<<20) + "\"}}\n\ndata: A\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Method != "tools/call" {
					return false
				}
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				answer := `{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"content":[{"type":"text","text":"fine"}]}}`
				_, _ = io.WriteString(w, strings.NewReplacer("A", answer, "B", answer[1:]).Replace(stream))
				return true
			})
			if said, err := call(t, open(t), s, "odd", "", upstream.Hooks{}); err != nil || said != "fine" {
				t.Errorf("%q, %v", said, err)
			}
		})
	}
}

// TestAnAnswerThatIsTooLongIsNamedAlike has one error for a line, a body and an event.
func TestAnAnswerThatIsTooLongIsNamedAlike(t *testing.T) {
	by := func(media, before string) gateway.Server {
		s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
			if asked.Method == "tools/call" {
				w.Header().Set("Content-Type", media)
				_, _ = io.WriteString(w, before+`{"jsonrpc":"2.0","id":`+string(asked.ID)+`,"result":"`+strings.Repeat("x", 33<<20)+"\"}\n\n")
			}
			return asked.Method == "tools/call"
		})
		return s
	}
	for name, s := range map[string]gateway.Server{"a line": command(t, "good"), "a body": by("application/json", ""), "an event": by("text/event-stream", "data: ")} {
		if _, err := call(t, open(t), s, "flood", "", upstream.Hooks{}); code(err) != gateway.UpstreamError || err.Error() != "the upstream fake: an answer is longer than 32 MiB; ask for less" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOneThingThatCannotBeReadHidesNoOther lists something of the wrong form beside what is right.
func TestOneThingThatCannotBeReadHidesNoOther(t *testing.T) {
	for name, test := range map[string]struct{ list, result, offered, problem string }{
		"annotations that are a text":    {"tools/list", `{"tools":[{"name":"odd","annotations":"x","inputSchema":{"type":"object"}},{"name":"good","inputSchema":{"type":"object"}}]}`, "odd good", `tool "odd" of the server fake is offered without its annotations`},
		"a hint that is a text":          {"tools/list", `{"tools":[{"name":"odd","annotations":{"readOnlyHint":"yes"}},{"name":"good"}]}`, "odd good", "without its annotations"},
		"a description that is a number": {"tools/list", `{"tools":[{"name":"odd","description":5,"icons":"x"},{"name":"good"}]}`, "odd good", "without its description icons"},
		"a name that is a number":        {"tools/list", `{"tools":[{"name":5},{"name":"good"}]}`, "good", "its name is empty"},
		"a tool that is a text":          {"tools/list", `{"tools":["odd",{"name":"good"}]}`, "good", "its name is empty"},
		"a tool that is null":            {"tools/list", `{"tools":[null,{"name":"good"}]}`, "good", "its name is empty"},
		"a resource that is null":        {"resources/list", `{"resources":[null,{"name":"good","uri":"a:b"}]}`, "good", "it has no address"},
		"tools that are no list":         {"tools/list", `{"tools":{"good":{}}}`, "", "does not list its tools"},
		"a cursor that is a number":      {"tools/list", `{"tools":[{"name":"good"}],"nextCursor":1}`, "good", "begins its list again"},
		"an address that is a number":    {"resources/list", `{"resources":[{"name":"odd","uri":5},{"name":"good","uri":"a:b"}]}`, "good", "it has no address"},
		"no address":                     {"resources/list", `{"resources":[{"name":"odd"},{"name":"good","uri":"a:b"}]}`, "good", "it has no address"},
		"a template without an address":  {"resources/templates/list", `{"resourceTemplates":[{"name":"odd"},{"name":"good","uriTemplate":"a:{b}"}]}`, "good", "it has no address"},
		"arguments that are no list":     {"prompts/list", `{"prompts":[{"name":"odd","arguments":{"x":1}},{"name":"good"}]}`, "odd good", "without its arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				result := test.result
				switch asked.Method {
				case test.list:
				case "tools/list":
					result = `{"tools":[]}`
				default:
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
				return true
			})
			c, err := open(t).Catalog(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			var offered []string
			for _, o := range c.Offered {
				offered = append(offered, o.Name)
			}
			if got := strings.Join(offered, " "); !strings.HasPrefix(got, test.offered) || strings.Contains(got, "odd") != strings.Contains(test.offered, "odd") {
				t.Errorf("it offers %q", got)
			}
			if len(c.Problems) == 0 || !strings.Contains(c.Problems[0].Message, test.problem) {
				t.Errorf("%v, want %s", c.Problems, test.problem)
			}
		})
	}
}

// TestAServerOfWhichNothingCanBeUsedSaysWhy has servers that answer well, and of which no agent can
// use anything.
func TestAServerOfWhichNothingCanBeUsedSaysWhy(t *testing.T) {
	for name, test := range map[string]struct {
		greeting, tools string
		change          func(*gateway.Server)
		problem         string
	}{
		"it can do nothing":         {`"capabilities":{}`, `[]`, nil, "neither tools nor resources nor prompts"},
		"it can do other things":    {`"capabilities":{"logging":{},"completions":{}}`, `[]`, nil, "neither tools nor resources nor prompts"},
		"it says not what it can":   {`"instructions":"x"`, `[]`, nil, "neither tools nor resources nor prompts"},
		"it can do a list":          {`"capabilities":[]`, `[]`, nil, "neither tools nor resources nor prompts"},
		"it lists nothing":          {`"capabilities":{"tools":{}}`, `[]`, nil, "it lists nothing"},
		"its list is null":          {`"capabilities":{"tools":{}}`, `null`, nil, "it lists nothing"},
		"nothing of it is included": {`"capabilities":{"tools":{}}`, `[{"name":"one"},{"name":"two"}]`, func(s *gateway.Server) { s.Include = []string{"three"} }, "takes none of the 2 things"},
		"all of it is excluded":     {`"capabilities":{"tools":{}}`, `[{"name":"one"}]`, func(s *gateway.Server) { s.Exclude = []string{"*"} }, "takes none of the 1 things"},
		"it has a tool":             {`"capabilities":{"tools":[]}`, `[{"name":"one"}]`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				result := `{"tools":` + test.tools + `}`
				switch asked.Method {
				case "initialize":
					result = `{"protocolVersion":"2025-06-18",` + test.greeting + `,"serverInfo":{"name":"x","version":"1"}}`
				case "tools/list":
				default:
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
				return true
			})
			if test.change != nil {
				test.change(&s)
			}
			c, err := open(t).Catalog(t.Context(), s)
			if err != nil || (len(c.Problems) == 1) != (test.problem != "") || test.problem != "" && !strings.Contains(c.Problems[0].Message, test.problem) {
				t.Errorf("%v, %v, want %q", c.Problems, err, test.problem)
			}
		})
	}
}

// TestAFloodOfProgressIsPassedOnInParts sends much more than anybody can read.
func TestAFloodOfProgressIsPassedOnInParts(t *testing.T) {
	const all = 20_000
	s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
		if asked.Method != "tools/call" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range all {
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%q,\"progress\":%d}}\n\n", asked.Params.Meta.ProgressToken, i)
		}
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", asked.ID)
		return true
	})
	heard, began := 0, time.Now()
	if _, err := call(t, open(t), s, "count", "", upstream.Hooks{Progress: func(float64, float64, string) { heard++ }}); err != nil {
		t.Fatal(err)
	}
	if most := 100 + int(time.Since(began)/(100*time.Millisecond)) + 1; heard < 100 || heard > most {
		t.Errorf("%d of %d are heard, want between 100 and %d", heard, all, most)
	}
}

// web is a plain server over HTTP whose answers a test decides.
func web(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, s wired) bool) (server gateway.Server, begun *atomic.Int32) {
	t.Helper()
	begun = &atomic.Int32{}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var s wired
		_ = json.Unmarshal(body, &s) // nothing for GET
		if s.Method == "initialize" {
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", begun.Add(1)))
		}
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case answer(w, r, s):
		case s.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			result := s.result()
			if result == "" {
				result = `{"content":[{"type":"text","text":"done"}]}`
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, s.ID, result)
		}
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return gateway.Server{Name: "fake", HTTP: at.URL, TimeoutMS: 20_000}, begun
}

// TestASessionThatTheServerHasForgottenIsBegunAnew lets a server forget its sessions, and say so in
// each way that servers have. The call is made again at once, and done once.
func TestASessionThatTheServerHasForgottenIsBegunAnew(t *testing.T) {
	for name, refuse := range map[string]struct {
		status      int
		media, body string
	}{
		"with an id of the server's own": {404, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32001,"message":"Session not found"}}`},
		"with the id null":               {404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`},
		"with the id of the call":        {404, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session not found"}}`},
		"as other JSON":                  {404, "application/json", `{"error":"Session not found"}`},
		"without a body":                 {404, "", ""},
		"as a page":                      {404, "text/html", "<html>not found</html>"},
		"by 400":                         {400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			forgotten, done := map[string]bool{}, 0
			s, begun := web(t, func(w http.ResponseWriter, r *http.Request, asked wired) bool {
				mu.Lock()
				defer mu.Unlock()
				if id := r.Header.Get("Mcp-Session-Id"); id != "" && forgotten[id] {
					w.Header().Set("Content-Type", refuse.media)
					w.WriteHeader(refuse.status)
					fmt.Fprint(w, strings.ReplaceAll(refuse.body, "ID", string(asked.ID)))
					return true
				}
				if asked.Method == "tools/call" {
					done++
				}
				return false
			})
			p := open(t)
			for i := range 3 {
				if said, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || said != "done" {
					t.Fatalf("call %d: %q, %v", i, said, err)
				}
				mu.Lock()
				forgotten[fmt.Sprint("s", begun.Load())] = true
				mu.Unlock()
			}
			if done != 3 || begun.Load() != 3 {
				t.Errorf("%d calls are done in %d sessions", done, begun.Load())
			}
		})
	}
}

// TestAStatusIsOfItsCallAlone answers one call with each status, and the next one as it should.
func TestAStatusIsOfItsCallAlone(t *testing.T) {
	for status, want := range map[int]gateway.Code{
		400: gateway.UpstreamError, 401: gateway.AuthFailed, 403: gateway.PermissionDenied, 404: gateway.UpstreamUnavailable, 405: gateway.UpstreamError, 408: gateway.UpstreamTimeout,
		409: gateway.UpstreamError, 410: gateway.UpstreamError, 413: gateway.UpstreamError, 415: gateway.UpstreamError, 422: gateway.UpstreamError, 429: gateway.RateLimited,
		500: gateway.UpstreamUnavailable, 501: gateway.UpstreamUnavailable, 502: gateway.UpstreamUnavailable, 503: gateway.UpstreamUnavailable, 504: gateway.UpstreamTimeout, 520: gateway.UpstreamUnavailable,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s, begun := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Params.Name != "odd" {
					return false
				}
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				fmt.Fprint(w, "a trace for people, token=abc")
				return true
			})
			p := open(t)
			_, err := call(t, p, s, "odd", "", upstream.Hooks{})
			var e *gateway.Error
			way := map[bool]string{true: "a credential (--header, --caller-header)", false: "try again in 7 s"}[status == 401]
			if !errors.As(err, &e) || e.Code != want || e.Details["retry_after"] != 7.0 || strings.Contains(e.Message, "people") || !strings.Contains(e.Message, fmt.Sprint(status)) || !strings.HasSuffix(e.Message, way) {
				t.Errorf("%+v", e)
			}
			if retryable := want == gateway.UpstreamUnavailable || want == gateway.UpstreamTimeout || want == gateway.RateLimited; e != nil && e.Retryable != retryable {
				t.Errorf("retryable: %t", e.Retryable)
			}
			if said, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || said != "done" {
				t.Errorf("the next call: %q, %v", said, err)
			}
			if status != 404 && begun.Load() != 1 { // 404 is how a session is forgotten
				t.Errorf("%d sessions", begun.Load())
			}
		})
	}
}

// TestAListingThatFailedOnceIsAskedForAgain answers the first listing with what may pass, by a
// status and by a body that breaks off.
func TestAListingThatFailedOnceIsAskedForAgain(t *testing.T) {
	for _, status := range []int{429, 500, 502, 503, 200} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			asks := atomic.Int32{}
			s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Method != "tools/list" || asks.Add(1) > 1 {
					return false
				}
				w.Header().Set("Retry-After", "0.5")
				w.Header().Set("Content-Length", "100")
				w.WriteHeader(status)
				return true
			})
			p, kept := open(t), []gateway.Kept{{Server: s}}
			if _, missing, err := p.Listings(t.Context(), kept); err != nil || len(missing) != 1 || !missing[0].Problem.Retryable {
				t.Fatalf("%v, %v", missing, err)
			}
			for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(50 * time.Millisecond) { // it would be 30 otherwise
				all, missing, err := p.Listings(t.Context(), kept)
				if err == nil && len(all) == 1 && len(all[0].Offered) == 2 {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("%v, %v, %v", all, missing, err)
				}
			}
		})
	}
}

// TestAnAnswerThatIsNoMessageIsOfItsCallAlone has pages, other JSON and nothing in its place.
func TestAnAnswerThatIsNoMessageIsOfItsCallAlone(t *testing.T) {
	for media, body := range map[string]string{"text/html": "<html>", "application/json": "[1", "application/json; charset=utf-8": `{"a":1}`, "": "", "not/a/type": "x"} {
		t.Run(media, func(t *testing.T) {
			s, begun := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
				if asked.Params.Name == "odd" {
					w.Header().Set("Content-Type", media)
					fmt.Fprint(w, body)
				}
				return asked.Params.Name == "odd"
			})
			p := open(t)
			if _, err := call(t, p, s, "odd", "", upstream.Hooks{}); code(err) != gateway.UpstreamError {
				t.Error(err)
			}
			if said, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || said != "done" || begun.Load() != 1 {
				t.Errorf("%q, %v, %d sessions", said, err, begun.Load())
			}
		})
	}
}

// TestWrongFieldsOfAServerAreFields is trails behind trails, by a status and by JSON-RPC.
func TestWrongFieldsOfAServerAreFields(t *testing.T) {
	for _, status := range []int{200, 400, 422} {
		s, _ := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
			if asked.Params.Name == "odd" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"validation failed on 1 field","data":{"fields":[{"field":"age","code":"max_value","message":"age is at most 5\u001b","value":9,"constraint":5}],"count":1}}}`, asked.ID)
			}
			return asked.Params.Name == "odd"
		})
		p := open(t)
		_, err := call(t, p, s, "odd", "", upstream.Hooks{})
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.ArgsInvalid || e.Retryable {
			t.Fatalf("%d: %v", status, err)
		}
		f := e.Fault()
		if f.Kind != fault.InvalidData || len(f.Fields) != 1 || f.Fields[0].Field != "age" || f.Fields[0].Code != "max_value" || f.Fields[0].Message != `age is at most 5\x1b` || f.Fields[0].Value != 9.0 {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

// TestAServerThatSaysNothingIsNotWaitedForByOthers lists what there is without it, and hears of it later.
func TestAServerThatSaysNothingIsNotWaitedForByOthers(t *testing.T) {
	release := make(chan struct{})
	slow, _ := web(t, func(_ http.ResponseWriter, r *http.Request, asked wired) bool {
		if asked.Method == "tools/list" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	})
	quick, _ := web(t, func(http.ResponseWriter, *http.Request, wired) bool { return false })
	slow.Name, quick.Name = "slow", "quick"
	p := open(t, func(c *upstream.Config) { c.Patience = 50 * time.Millisecond })
	all := []gateway.Kept{{Server: slow}, {Server: quick}}
	var listings []gateway.Listing
	for deadline := time.Now().Add(2 * time.Minute); len(listings) == 0 && time.Now().Before(deadline); {
		var missing []upstream.Unavailable
		var err error
		if listings, missing, err = p.Listings(t.Context(), all); err != nil || len(missing) == 0 || missing[0].Server != "slow" || missing[0].Problem.Code != gateway.UpstreamTimeout {
			t.Fatalf("%v, %v", missing, err)
		}
	}
	before := p.Generation()
	close(release)
	for deadline := time.Now().Add(2 * time.Minute); p.Generation() == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody hears that it has answered")
		}
	}
	all[0].Required = true
	if listings, missing, err := p.Listings(t.Context(), all); err != nil || len(listings) != 2 {
		t.Errorf("%v, %v, %v", listings, missing, err)
	}
}

// TestAKindThatIsWaitedForInVainLeavesTheOthers never answers one of the listings.
func TestAKindThatIsWaitedForInVainLeavesTheOthers(t *testing.T) {
	for method, want := range map[string]string{
		"tools/list": "resource notes", "resources/list": "tool count, tool odd", "resources/templates/list": "tool count, tool odd, resource notes", "prompts/list": "tool count, tool odd, resource notes",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			s, _ := web(t, func(w http.ResponseWriter, r *http.Request, asked wired) bool {
				switch asked.Method {
				case method:
					<-r.Context().Done()
				case "resources/list":
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resources":[{"uri":"doc://notes","name":"notes"}]}}`, asked.ID)
				default:
					return false
				}
				return true
			})
			s.TimeoutMS = 4_000
			c, err := open(t).Catalog(t.Context(), s)
			var offered []string
			for _, o := range c.Offered {
				offered = append(offered, string(o.Kind)+" "+o.Name)
			}
			if err != nil || strings.Join(offered, ", ") != want || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Message, "it did not answer in time; gateway_refresh asks again") {
				t.Errorf("it offers %v, %v, %v", offered, c.Problems, err)
			}
		})
	}
	s, _ := web(t, func(_ http.ResponseWriter, r *http.Request, asked wired) bool {
		if strings.HasSuffix(asked.Method, "/list") {
			<-r.Context().Done()
		}
		return false
	})
	s.TimeoutMS = 1_000
	if c, err := open(t).Catalog(t.Context(), s); code(err) != gateway.UpstreamTimeout {
		t.Errorf("of a server that lists nothing: %v, %v", c, err)
	}
}

// TestAStreamThatEndsWithoutAnAnswerIsOfItsCallAlone may be asked again if the call reads.
func TestAStreamThatEndsWithoutAnAnswerIsOfItsCallAlone(t *testing.T) {
	for _, stream := range []string{"", ": a comment\n\n", "id: 1\ndata:\n\n", "id:7\nretry: 60000\n\n", "id: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n"} {
		s, begun := web(t, func(w http.ResponseWriter, _ *http.Request, asked wired) bool {
			if asked.Params.Name != "odd" && asked.Method != "resources/read" {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, stream)
			return true
		})
		p := open(t)
		for reads, want := range map[bool]gateway.Code{true: gateway.UpstreamUnavailable, false: gateway.UpstreamError} {
			_, err := call(t, p, s, "odd", "", upstream.Hooks{Reads: reads})
			if code(err) != want || !strings.Contains(err.Error(), "it answered with a stream that ended without an answer") {
				t.Errorf("%q, read %v: %v", stream, reads, err)
			}
		}
		if _, err := p.Read(t.Context(), s, "doc://a", upstream.Hooks{}); code(err) != gateway.UpstreamUnavailable {
			t.Errorf("%q of a resource: %v", stream, err)
		}
		if _, err := call(t, p, s, "count", "", upstream.Hooks{}); err != nil || begun.Load() != 1 {
			t.Errorf("%q, the next call: %v, %d sessions", stream, err, begun.Load())
		}
	}
}
