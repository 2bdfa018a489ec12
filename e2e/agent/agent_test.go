// Package agent_test lets an agent do twelve tasks on MITRE ATT&CK over MCP, and six of authoring, and counts calls and
// tokens. The agent is a script for each task: it uses only the instructions, the list of tools and earlier answers, which
// it reads as a host shows them to a model. Its findings are compared with the data itself.
//
// Read [tasks] and [authoring] first; the table in docs/benchmarks.md is printed by make bench-agent.
package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/builtin/surface"
	"trails/gateway"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/mcp"
	"trails/text/tokens"
)

// attackFile is the path of a file with the ATT&CK data. Each agent gets a copy.
var attackFile string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "trails-agent-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	attackFile = filepath.Join(dir, "attack.trails")
	return m.Run()
}

// attackPath returns the path of the ATT&CK data.
func attackPath(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TRAILS_DATA")
	if dir == "" {
		dir = "../../../shared/data"
	}
	path := filepath.Join(dir, "attack", "attack.ndjson.gz")
	if _, err := os.Stat(path); err != nil {
		message := fmt.Sprintf("no real data: %v; set TRAILS_DATA", err)
		if os.Getenv("CI") == "true" {
			t.Fatal(message)
		}
		t.Skip("SKIPPED: " + message)
	}
	return path
}

// freshCopy returns the path of a new copy of [attackFile].
func freshCopy(t testing.TB) string {
	t.Helper()
	whole, err := os.ReadFile(attackFile)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "attack.trails")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// makeFile makes [attackFile], once.
func makeFile(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(attackFile); err == nil {
		return
	}
	ctx, ana := t.Context(), policy.Local("ana", "")
	data, err := os.Open(attackPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	schema, err := os.ReadFile("../../testdata/attack/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := kg.Create(ctx, attackFile, kg.CreateOptions{Name: "attack", Schema: schema, By: ana}); err != nil {
		t.Fatal(err)
	}
	e, end := openEngine(t, attackFile)
	_, err = e.Call(ctx, invoke.Call{Capability: "load", Principal: ana, Via: "go", Args: json.RawMessage(`{"message":"ATT&CK"}`),
		Inputs: []invoke.Input{{Name: "attack.ndjson.gz", Reader: data}}})
	if err := errors.Join(err, end()); err != nil {
		t.Fatal(err)
	}
}

// openEngine opens a file with the options of the program; end closes it.
func openEngine(t testing.TB, path string) (e *invoke.Engine, end func() error) {
	t.Helper()
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }, Log: slog.New(slog.DiscardHandler)})
	e = invoke.New(g, invoke.Config{Providers: builtin.Options{Upstreams: pool}.Providers(), Version: "0.1.0", Surface: surface.Auto.Choose})
	return e, func() error {
		pool.Close()
		return errors.Join(e.Close(context.Background()), g.Close())
	}
}

// agent is a model behind a host that shows it one view of each answer.
type agent struct {
	testing.TB
	view view

	in  io.Writer
	out *json.Decoder
	id  int

	calls, sent, received int // tokens as cl100k_base
	instructions          string
}

// checked is an engine whose answers and refusals are checked against the output schemas of its tools.
type checked struct {
	mcp.Engine
	testing.TB
}

func (e checked) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	return invoketest.CheckedCall(ctx, e.TB, e.Engine, c)
}

// newAgent connects an agent to a server on its own copy of the file, after calls that were made before it came.
func newAgent(t testing.TB, v view, before ...earlier) *agent {
	t.Helper()
	e, end := openEngine(t, freshCopy(t))
	for _, c := range before {
		if _, err := e.Call(t.Context(), invoke.Call{Capability: c.capability, Principal: policy.Local(c.by, ""), Via: "go", Args: json.RawMessage(c.args)}); err != nil {
			t.Fatal(err)
		}
	}
	server := mcp.New(checked{e, t}, mcp.Options{Version: "0.1.0", ToolErrors: v.errors,
		Auth: auth.New(auth.Options{ID: "local:ana", Operator: v.scopes != nil, Scopes: policy.NewScopes(append(v.scopes, policy.Runtime)...)})})
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	done := make(chan error, 1)
	ctx := context.WithoutCancel(t.Context()) // the session ends with its input
	go func() { done <- server.RunStdio(ctx, inR, outW) }()
	t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out) // notices that nobody waits for
		if err := errors.Join(<-done, end()); err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
	a := &agent{TB: t, view: v, in: in, out: json.NewDecoder(out)}
	var hello struct{ Instructions string }
	if err := json.Unmarshal(a.ask("initialize", json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`)).Result, &hello); err != nil {
		t.Fatal(err)
	}
	a.instructions = hello.Instructions
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

// earlier is a call that somebody made before the agent came.
type earlier struct{ by, capability, args string }

// reply is the answer of JSON-RPC.
type reply struct {
	ID     int
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (a *agent) ask(method string, params json.RawMessage) (r reply) {
	a.Helper()
	a.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	if err != nil {
		a.Fatal(err)
	}
	fmt.Fprintf(a.in, "%s\n", line)
	for { // notices of changed lists come between
		r = reply{}
		if err := a.out.Decode(&r); err != nil {
			a.Fatal(err)
		}
		if r.ID == a.id {
			return r
		}
	}
}

// call calls a tool, counts its tokens, and returns the part of the answer that the view shows.
func (a *agent) call(tool, args string) answer {
	a.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": json.RawMessage(args)})
	if err != nil {
		a.Fatalf("%s: %v", args, err)
	}
	shown := a.view.shown(a, a.ask("tools/call", params))
	a.calls++
	a.sent += tokens.Count(tool + " " + args)
	a.received += tokens.Count(shown)
	a.Logf("%s %s\n%.2000s", tool, args, shown)
	return answer{TB: a.TB, shown: shown, json: a.view.json}
}

// after is call for what the test alone wants to know: whether an answer that the agent believed is true. It costs the
// agent nothing.
func (a *agent) after(tool, args string) answer {
	a.Helper()
	calls, sent, received := a.calls, a.sent, a.received
	defer func() { a.calls, a.sent, a.received = calls, sent, received }()
	return a.call(tool, args)
}
