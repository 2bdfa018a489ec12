package gateway_test

import (
	"strings"
	"testing"

	"trails/fault"
	"trails/gateway"
)

func TestWrongDefinitionsOfServersAreRefusedWithTheirPlaces(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                            "cannot be read",
		`{"name":"a","x":1}`:           `there is no member "x"; there are name, command, http`,
		`{"name":"a","name":"b"}`:      `the member "name" twice`,
		`{"name":"a"} {}`:              "followed by other text",
		`{"name":"a"}`:                 "command: say one of command, http and sse",
		`{"name":"A","command":["x"]}`: "name: a name has",
		`{"name":"a","command":["x"],"http":"http://h/"}`:                                "say one of",
		`{"name":"a","command":["x","--api-key=sk-1"]}`:                                  "a secret is not kept in the file",
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
		_, err := gateway.ParseServer([]byte(text))
		if err == nil || !strings.Contains(fault.Of(err).Error(), want) {
			t.Errorf("%.80s is answered %v, not %s", text, err, want)
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
