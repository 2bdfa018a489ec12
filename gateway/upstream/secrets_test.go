package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/e2e/testrun"
	"trails/gateway"
	"trails/gateway/upstream"
)

// teller repeats a text in all that a server can say.
func teller(said string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "teller " + said, Version: said}, &mcp.ServerOptions{Instructions: said})
	add := func(name string, schema any, do func() (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Title: said, Description: "Tells " + said, InputSchema: schema, Annotations: &mcp.ToolAnnotations{Title: said}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return do() })
	}
	object := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string", "description": said}}}
	add("text", object, func() (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}, StructuredContent: map[string]any{"it": said}}, nil
	})
	add("failed", object, func() (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no: " + said}}}, nil
	})
	add("error", object, func() (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: -32050, Message: "boom " + said, Data: json.RawMessage(`{"k":"v"}`)}
	})
	add("bytes", object, func() (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("png " + said)}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "told://it", Name: "it", Description: said}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: said}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "it", Description: said}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, errors.New("no prompt: " + said)
	})
	return s
}

// TestNoSecretIsRepeated lets a server repeat secrets in all that it can say: the caller's, those
// of the owner by their values, and what has the form of one. Control characters are escapes where
// a person reads them, in errors and in lists.
func TestNoSecretIsRepeated(t *testing.T) {
	const mark = "\x1b[31m\u202e"
	owned := map[string]string{"FAKE_TOKEN": "plain-words-of-mine", "PATH": os.Getenv("PATH"), "FOLDER": "/srv/documents"}
	lookup := func(name string) (string, bool) { v, ok := owned[name]; return v, ok }
	for name, test := range map[string]struct {
		secret  string
		headers map[string]string
		byForm  bool // taken out by its form where it is shown, and not where bytes come in
	}{
		"of the owner":                   {"plain-words-of-mine", map[string]string{"X-Key": "${FAKE_TOKEN}"}, false},
		"of the owner, behind a scheme":  {"plain-words-of-mine", map[string]string{"Authorization": "Bearer ${FAKE_TOKEN}"}, false},
		"of the caller":                  {"my-own-credential", nil, false},
		"one that has the form of a key": {"ghp_" + strings.Repeat("a1B2", 10), nil, true},
		"one that is called a password":  {"password: hunter2hunter2", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return teller(mark + test.secret) }, nil))
			t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
			s := gateway.Server{Name: "fake", HTTP: at.URL, Headers: test.headers}
			if name == "of the caller" {
				s.CallerHeader = "Authorization"
			}
			log := &testrun.Output{}
			p := open(t, func(c *upstream.Config) { c.Lookup, c.Log = lookup, slog.New(slog.NewTextHandler(log, nil)) })
			ctx := as(t, "Bearer my-own-credential")
			clean := func(what, said string) {
				t.Helper()
				if strings.Contains(said, test.secret) || strings.Contains(said, strings.TrimPrefix(test.secret, "password: ")) {
					t.Errorf("%s: %s", what, said)
				}
			}
			plain := func(what, said string) {
				t.Helper()
				if clean(what, said); strings.ContainsAny(said, mark[:1]+"\u202e") {
					t.Errorf("%s has control characters: %q", what, said)
				}
			}
			c, err := p.Catalog(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Offered) != 6 {
				t.Errorf("it offers %d things: %v", len(c.Offered), c.Problems)
			}
			for _, o := range c.Offered {
				plain("the title of "+o.Name, o.Title)
				plain("the title of "+o.Name, o.Annotations.Title)
				plain("the description of "+o.Name, o.Description)
				if o.Kind == gateway.Tool && !strings.Contains(o.Description, `\x1b[31m\u202e`) {
					t.Errorf("%s is described as %q", o.Name, o.Description)
				}
				if !test.byForm {
					plain("the schema of "+o.Name, string(o.InputSchema))
				}
			}
			plain("its name", p.Health(s).Says)
			for _, tool := range []string{"text", "failed", "bytes", "error"} {
				a, err := p.Call(ctx, s, tool, nil, upstream.Hooks{})
				if err != nil {
					plain("the error of "+tool, err.Error())
				}
				if !test.byForm { // by form where the answer is wrapped
					clean("the answer of "+tool, fmt.Sprintf("%s %+v", a.Parts, a.Structured))
				}
			}
			if _, err := p.Prompt(ctx, s, "it", nil, upstream.Hooks{}); err == nil || code(err) != gateway.UpstreamError {
				t.Error(err)
			} else {
				plain("the error of the prompt", err.Error())
			}
			plain("the log", log.String())
			if !strings.Contains(log.String(), "boom") {
				t.Errorf("the log has nothing of the error: %s", log.String())
			}
		})
	}
	t.Run("on standard error", func(t *testing.T) {
		log := &testrun.Output{}
		p := open(t, func(c *upstream.Config) {
			c.Lookup, c.Log = lookup, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		s := command(t, "gone", func(s *gateway.Server) { s.Env["SAY"], s.Env["FOLDER"] = "${FAKE_TOKEN}", "${FOLDER}" })
		if _, err := call(t, p, s, "echo", "", upstream.Hooks{}); err == nil || strings.Contains(err.Error(), "plain-words-of-mine") {
			t.Error(err)
		}
		for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(log.String(), "an upstream server says") && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		if said := log.String(); strings.Contains(said, "plain-words-of-mine") || !strings.Contains(said, "/srv/documents") || strings.ContainsRune(said, '\x1b') {
			t.Errorf("the log has %s", said)
		}
	})
}
