package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const oneRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trails_meta_schema_plan","arguments":{"schema":"types: {}"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
`

const aSession = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trails_meta_schema_plan","arguments":{"schema":"types: {}"}}}
`

// overStdio runs a process of MCP, and returns the error of request 1 and what stderr says.
func overStdio(t *testing.T, requests string, env []string, args ...string) (refusal *stdioError, said string) {
	t.Helper()
	var out, errs strings.Builder
	if code := run(append([]string{"mcp"}, args...), strings.NewReader(requests), &out, &errs, env); code != exitDone {
		t.Fatalf("%v %v: exit %d: %s", env, args, code, errs.String())
	}
	for line := range strings.Lines(out.String()) {
		var m struct {
			ID    json.RawMessage
			Error *stdioError
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if string(m.ID) == "1" {
			return m.Error, errs.String()
		}
	}
	t.Fatalf("%v %v: no answer: %s %s", env, args, out.String(), errs.String())
	return nil, ""
}

type stdioError struct {
	Code    int
	Message string
	Data    struct {
		RequiredScope string `json:"required_scope"`
		Ways          []string
	}
}

// TestScopesOverStdioAreReachedAsTheStartSays is a table of starts: whether a tool of builders
// can be called, by both ways of the protocol, and what stderr says of it.
func TestScopesOverStdioAreReachedAsTheStartSays(t *testing.T) {
	file := newNotes(t)
	const builder = "TRAILS_MCP_SCOPES=runtime,builder"
	for _, c := range []struct {
		name string
		env  []string
		args []string
		code int
		says string // "" means nothing
	}{
		{"nothing said", nil, nil, -32001, ""},
		{"scopes that nobody can use", []string{builder}, nil, -32001, "names builder, which nobody can use"},
		{"the operator", []string{builder}, []string{"--operator"}, 0, "the operator is local:"},
		{"an operator without scopes", nil, []string{"--operator"}, -32004, "TRAILS_MCP_SCOPES=runtime,builder gives the operator more"},
		{"the client's token in the environment", []string{builder, "TRAILS_MCP_TOKEN=s", "TRAILS_TOKEN=s"}, nil, 0, ""},
		{"another token in the environment", []string{builder, "TRAILS_MCP_TOKEN=s", "TRAILS_TOKEN=x"}, nil, -32001, "TRAILS_TOKEN is not the token"},
		{"no token where one is asked for", []string{builder, "TRAILS_MCP_TOKEN=s"}, nil, -32001, ""},
		{"a token that nobody asks for", []string{"TRAILS_TOKEN=x"}, nil, -32001, "no token is asked for"},
		{"dev in production", []string{"TRAILS_MCP_SCOPES=runtime,builder,dev", "TRAILS_ENV=production"}, []string{"--operator"}, 0, "names dev, which nobody can use: TRAILS_ENV is production"},
		{"no scope", []string{"TRAILS_MCP_SCOPES="}, nil, -32001, "names no scope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, requests := range []string{oneRequest, aSession} {
				refusal, said := overStdio(t, requests, c.env, append(c.args, file)...)
				if got := refusal; got == nil && c.code != 0 || got != nil && got.Code != c.code {
					t.Errorf("got %+v, want code %d", refusal, c.code)
				}
				if c.says == "" && said != "" || !strings.Contains(said, c.says) {
					t.Errorf("stderr says %q", said)
				}
			}
		})
	}
	var out, errs strings.Builder
	code := run([]string{"mcp", file, "--operator"}, strings.NewReader(""), &out, &errs, []string{"TRAILS_MCP_TOKEN=s"})
	if code != exitUsage || !strings.Contains(errs.String(), "TRAILS_TOKEN") {
		t.Errorf("an operator beside a token: %d, %s", code, errs.String())
	}
}

// whereScopesAreExplained are the texts for who wants more than runtime.
func whereScopesAreExplained(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for name, args := range map[string][]string{"help of mcp": {"mcp", "--help"}, "help of serve": {"serve", "--help"}, "help": {"--help"}} {
		var out, errs strings.Builder
		if code := run(args, strings.NewReader(""), &out, &errs, nil); code != exitDone {
			t.Fatal(errs.String())
		}
		texts[name] = out.String()
	}
	for _, page := range []string{"docs/guide/reference.md", "docs/operating.md"} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(text)
	}
	return texts
}

// TestHelpAndPagesAgreeHowScopesAreReached reads them: all know the same ways, which are those
// that a refusal names, and every start that they show has scopes that somebody can use.
func TestHelpAndPagesAgreeHowScopesAreReached(t *testing.T) {
	texts := whereScopesAreExplained(t)
	file := newNotes(t)
	refusal, _ := overStdio(t, aSession, nil, file)
	if refusal == nil || refusal.Data.RequiredScope != "builder" || len(refusal.Data.Ways) != 4 {
		t.Fatalf("got %+v", refusal)
	}
	named := []string{"TRAILS_MCP_SCOPES"}
	for _, way := range refusal.Data.Ways {
		if !strings.Contains(refusal.Message, way) {
			t.Errorf("the message has no %q", way)
		}
		found := regexp.MustCompile(`TRAILS_\w+|--[a-z]+|sign-in link`).FindAllString(way, -1)
		if found == nil {
			t.Errorf("no text can be held to %q", way)
		}
		named = append(named, found...)
	}
	for where, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		for _, name := range slices.Compact(named) {
			stdio, pages := name == "--operator" || name == "TRAILS_TOKEN", name == "sign-in link"
			if stdio && where == "help of serve" && name == "--operator" || pages && where == "help of mcp" {
				continue // it is no way of that command
			}
			if !strings.Contains(text, name) {
				t.Errorf("%s does not know %s", where, name)
			}
		}
	}
	starts := 0
	for where, text := range texts {
		for _, line := range regexp.MustCompile(`(?m)^ *((?:TRAILS_\w+=\S+ +)+)trails (mcp|serve) notes\.trails(.*)$`).FindAllStringSubmatch(text, -1) {
			env := strings.Fields(line[1])
			if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "TRAILS_MCP_SCOPES=") }) {
				continue
			}
			starts++
			t.Run(fmt.Sprintf("%s: %s", where, strings.TrimSpace(line[0])), func(t *testing.T) {
				args := strings.Fields(strings.NewReplacer("--addr 127.0.0.1:9000", "", "--open", "").Replace(line[3]))
				if line[2] == "mcp" {
					if refusal, said := overStdio(t, aSession, env, append(args, file)...); refusal != nil {
						t.Errorf("it cannot build: %+v, %s", refusal, said)
					}
					return
				}
				s := start(t, env, append([]string{"serve", file, "--addr", "127.0.0.1:0"}, args...)...)
				said := s.stop(t)
				token := slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "TRAILS_MCP_TOKEN=") })
				if strings.Contains(said, "nobody can use") || strings.Contains(said, "/admin/operator?key=") == token {
					t.Errorf("it says %s", said)
				}
			})
		}
	}
	if starts < 6 {
		t.Errorf("only %d starts were found", starts)
	}
}
