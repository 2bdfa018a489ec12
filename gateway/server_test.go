package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"trails/fault"
	"trails/gateway"
	"trails/rdf"
)

func TestWrongDefinitionsOfServersAreRefusedWithTheirPlaces(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                            "it is no JSON",
		`{"name":"a","x":1}`:           `there is no member "x"; there are name, command, http`,
		`{"name":"a","name":"b"}`:      `the member "name" twice`,
		`{"name":"a"} {}`:              "followed by other text",
		`{"name":"a"}`:                 "command: say one of command, http and sse",
		`{"name":"A","command":["x"]}`: "name: a name has",
		`{"name":"a","command":["x"],"http":"http://h/"}`:                                "say one of",
		`{"name":"a","command":["x","--api-key=sk-1"]}`:                                  "a secret is not kept in the file",
		`{"name":"a","command":["x","--api-key","sk-12345678"]}`:                         "a secret is not kept in the file",
		`{"name":"a","command":["x"],"env":{"DB":"pg://me:hunter22@h/d"}}`:               "the value of DB is probably secret",
		`{"name":"a","http":"http://h/?x=1&apiKey=abc"}`:                                 `the value of "apiKey" is probably secret`,
		`{"name":"a","sse":"https://h/sse?access_token=abc"}`:                            `the value of "access_token" is probably secret`,
		`{"name":"a","http":"http://h/","headers":{"X":"Bearer abcdefgh"}}`:              "the value of X is probably secret",
		`{"name":"a","http":"http://h/","headers":{"Host":"other"}}`:                     "Host is set by the protocol",
		`{"name":"a","http":"http://h/","headers":{"mcp-session-id":"1"}}`:               "mcp-session-id is set by the protocol",
		`{"name":"a","http":"http://h/","headers":{"Content-Type":"text/x"}}`:            "Content-Type is set by the protocol",
		`{"name":"a","http":"http://h/","caller_header":"HOST"}`:                         "HOST is set by the protocol",
		`{"name":"a","http":"http://${HOST}/"}`:                                          "not an address",
		`{"name":"a","http":"http://h:${PORT}/"}`:                                        "not an address",
		`{"name":"a","command":["x"],"env":{"API_TOKEN":"abc"}}`:                         "env: the value of API_TOKEN is probably secret",
		`{"name":"a","command":["x"],"env":{"A-B":"1"}}`:                                 `env: "A-B" is no name`,
		`{"name":"a","command":["x"],"headers":{"X":"1"}}`:                               "headers: only an address",
		`{"name":"a","http":"http://h/","env":{"X":"1"}}`:                                "env: only a command",
		`{"name":"a","http":"http://h/","headers":{"Authorization":"Bearer abc"}}`:       "Authorization is probably secret",
		`{"name":"a","http":"http://h/","headers":{"X":"a\nb"}}`:                         "X has a line break",
		`{"name":"a","http":"file:///etc/passwd"}`:                                       "http: not an address",
		`{"name":"a","sse":"http://me:pw@h/"}`:                                           "sse: an address has no user",
		`{"name":"a","http":"http://h/","include":["["]}`:                                `include: "[" is no pattern`,
		`{"name":"a","http":"http://h/","timeout_ms":-1}`:                                "timeout_ms: between",
		`{"name":"a","http":"http://h/","concurrency":1000}`:                             "concurrency: between",
		`{"name":"a","http":"http://h/","namespace":"9"}`:                                "namespace: a namespace has",
		`{"name":"a","command":["x"],"env":{"P":"` + strings.Repeat("y", 64<<10) + `"}}`: "at most 65536",
	} {
		s, err := gateway.ParseServer([]byte(text))
		if err == nil {
			err = s.Check()
		}
		if err == nil || !strings.Contains(fault.Of(err).Error(), want) {
			t.Errorf("%.80s is answered %v, not %s", text, err, want)
		}
	}
}

// TestADefinitionOfAnEarlierVersionIsRead has what was written before it was refused.
func TestADefinitionOfAnEarlierVersionIsRead(t *testing.T) {
	for _, text := range []string{
		`{"name":"a","http":"http://h/mcp?api_key=12345678"}`, `{"name":"a","http":"http://h/","headers":{"Accept":"application/json"}}`,
		`{"name":"a","http":"http://h/","headers":{"X":"Bearer 12345678"}}`, `{"name":"a","http":"http://h/","caller_header":"Host"}`,
		`{"name":"a","command":["x","--token","12345678"]}`, `{"name":"a","command":["x"],"env":{"DB":"pg://me:hunter22@h/d"}}`,
	} {
		s, err := gateway.ParseServer([]byte(text))
		if err != nil || s.Check() == nil {
			t.Errorf("%s is read with %v, and may be written: %t", text, err, s.Check() == nil)
		}
	}
}

func TestADefinitionIsReadAsItIsWritten(t *testing.T) {
	s := gateway.Server{
		Name: "git-hub", HTTP: "https://example.org/mcp", Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"},
		Include: []string{"list_*"}, Exclude: []string{"*_all"}, Required: true, Pin: true, TimeoutMS: 1500, Concurrency: 2,
	}
	again, err := gateway.ParseServer([]byte(s.Text()))
	if err != nil || again.Text() != s.Text() {
		t.Fatalf("%s is read as %s, %v", s.Text(), again.Text(), err)
	}
	for name, takes := range map[string]bool{"list_issues": true, "list_all": false, "create": false} {
		if s.Takes(name) != takes {
			t.Errorf("%s is taken: %t", name, !takes)
		}
	}
	other := s
	other.Exclude = nil
	if other.Digest() != s.Digest() {
		t.Error("what is taken of a server is part of how it is reached")
	}
	other.Headers = map[string]string{"Authorization": "Bearer ${OTHER}"}
	if other.Digest() == s.Digest() {
		t.Error("another token is no part of how it is reached")
	}
	if r, err := s.Resolved(func(string) (string, bool) { return "abc", true }); err != nil || r.Headers["Authorization"] != "Bearer abc" || s.Headers["Authorization"] != "Bearer ${TOKEN}" {
		t.Errorf("resolved it is %v, %v", r, err)
	}
	if _, err := s.Resolved(func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "${TOKEN}") {
		t.Errorf("without the variable it is resolved: %v", err)
	}
}

// TestWhatAVariableHoldsIsASecretWhereverItStands names one in each place of a definition. A path or
// an address is none, unless the variable, or the place, is called one.
func TestWhatAVariableHoldsIsASecretWhereverItStands(t *testing.T) {
	values := map[string]string{"TOKEN": "/begins/like+a path", "WORD": "plain words", "FOLDER": "/srv/docs", "DB": "pg://me:hunter22@h/d", "ENDED": "ends with a line\n", "BROKEN": "a\nb"}
	lookup := func(name string) (string, bool) { value, ok := values[name]; return value, ok }
	for text, want := range map[string]string{
		`"command":["x","${TOKEN}"]`:                                values["TOKEN"],
		`"command":["x","--token=${FOLDER}"]`:                       values["FOLDER"],
		`"command":["x","${FOLDER}"]`:                               "",
		`"command":["x"],"env":{"ROOT":"${FOLDER}"}`:                "",
		`"command":["x"],"env":{"API_KEY":"${FOLDER}"}`:             values["FOLDER"],
		`"command":["x"],"env":{"X":"${TOKEN}"}`:                    values["TOKEN"],
		`"command":["x"],"env":{"X":"${DB}"}`:                       values["DB"],
		`"http":"http://h/","headers":{"X":"${FOLDER}"}`:            values["FOLDER"],
		`"http":"http://h/","headers":{"Authorization":"${ENDED}"}`: "ends with a line",
		`"http":"http://h/mcp?apiKey=${WORD}"`:                      values["WORD"],
		`"http":"http://h/${WORD}/mcp"`:                             values["WORD"],
		`"sse":"http://h/sse?k=${FOLDER}"`:                          values["FOLDER"],
	} {
		s, err := gateway.ParseServer([]byte(`{"name":"a",` + text + `}`))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := s.Secrets(lookup); want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s has the secrets %q, want %q", text, got, want)
		}
		r, err := s.Resolved(lookup)
		if err != nil || strings.Contains(r.HTTP+r.SSE+r.Headers["X"], "$") || strings.HasSuffix(r.Headers["Authorization"], "\n") {
			t.Errorf("%s is resolved as %v, %v", text, r, err)
		}
	}
	s := gateway.Server{Name: "a", HTTP: "http://h/${TOKEN}/mcp?a=${TOKEN}&b=${DB}"}
	if r, err := s.Resolved(lookup); err != nil || r.HTTP != "http://h/%2Fbegins%2Flike+a%20path/mcp?a=%2Fbegins%2Flike%2Ba+path&b=pg%3A%2F%2Fme%3Ahunter22%40h%2Fd" {
		t.Errorf("%s, %v", r.HTTP, err)
	}
	s = gateway.Server{Name: "a", HTTP: "http://h/", Headers: map[string]string{"X-Key": "${BROKEN}"}}
	if _, err := s.Resolved(lookup); err == nil || !strings.Contains(err.Error(), "the header X-Key, whose value has a line break") {
		t.Error(err)
	}
}

func TestWhatAServerOffersIsBounded(t *testing.T) {
	o := offered("x")
	o.Title, o.Description = "a\u202eb\u200bc", "one\ntwo\x00\x1b[1m"+strings.Repeat("é", 10_000)
	b, problem := o.Bounded("up")
	if problem != nil || b.Title != `a\u202eb\u200bc` || !strings.HasPrefix(b.Description, "one\ntwo"+`\x00\x1b[1m`) || len([]rune(b.Description)) != 8_000 {
		t.Errorf("it is bounded to %q, %.40q of %d, %v", b.Title, b.Description, len([]rune(b.Description)), problem)
	}
	if o.Digest() == b.Digest() {
		t.Error("two descriptions have one digest")
	}
	deep := offered("x")
	deep.InputSchema = []byte(strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70))
	for want, o := range map[gateway.Code]gateway.Offered{gateway.UpstreamError: offered("a\u200bb"), gateway.SchemaInvalid: deep} {
		if _, problem := o.Bounded("up"); problem == nil || problem.Code != want {
			t.Errorf("%.40v is answered %v, not %s", o, problem, want)
		}
	}
}

func offered(name string) gateway.Offered {
	return gateway.Offered{Kind: gateway.Tool, Definition: gateway.Definition{Name: name}}
}

// What the file has of a server, or of the settings, and this program cannot read, is named, with the reason and the
// way out.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	for text, reason := range map[string]string{
		`{`: "it is no JSON: unexpected EOF", ``: "it is no JSON: EOF", `{"name":"bank","name":"b"}`: `it has the member "name" twice`,
		`{"name":"bank","http":"https://a.example"} {}`: "it is followed by other text", `{"name":"` + strings.Repeat("x", 1<<20) + `"}`: "bytes; at most",
		`[]`: "must be", `{"name":"bank"}`: "command", `{"name":"bank","http":"https://a.example","timeout":"never"}`: "timeout",
		`{"name":"bank","http":"https://a.example","later":true,"still_later":1,"last":2,"more":3}`: "and 3 more",
	} {
		q := gateway.Server{Name: "bank"}.Quad()
		q.Object = rdf.String(text)
		kept := gateway.FromQuads([]rdf.Quad{q})
		if len(kept) != 1 || kept[0].Name != "bank" || kept[0].Err == nil {
			t.Fatalf("%s is read as %v", text, kept)
		}
		for _, part := range []string{"the upstream bank cannot be read: ", reason, "gateway add", "gateway rm"} {
			if said := fault.Of(kept[0].Err).Message; !strings.Contains(said, part) {
				t.Errorf("of %s it is said %q, without %q", text, said, part)
			}
		}
	}
	q := gateway.Settings{}.Quad()
	q.Object = rdf.String(`{"retries":"many"}`)
	if said := gateway.SettingsFromQuads([]rdf.Quad{q}).Err; said == nil || !strings.Contains(said.Error(), "the settings of the gateway cannot be read: ") || !strings.Contains(said.Error(), "gateway settings") {
		t.Errorf("of the settings it is said %v", said)
	}
}
