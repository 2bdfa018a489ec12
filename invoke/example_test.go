package invoke_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trails/auth/policy"
	"trails/builtin"
	"trails/capability"
	"trails/invoke"
	"trails/kg"
)

// Count is what the capability of the example takes.
type Count struct {
	Text  string `json:"text" doc:"What is looked at." max:"1000"`
	Word  string `json:"word" doc:"What is counted." pattern:"^[a-z]+$" default:"the"`
	Limit int    `json:"limit" doc:"Where counting stops." min:"1" max:"100" default:"100"`
}

// Counted is what it answers.
type Counted struct {
	Times int    `json:"times" doc:"How often the word is there."`
	Graph string `json:"graph" doc:"The graph that was asked."`
}

// A Go program adds a capability of its own. It is at every door at once: a tool over
// MCP, POST /invoke/text.count, a form on its page, and trails invoke where the program
// has a command line.
func ExampleDefine() {
	dir, err := os.MkdirTemp("", "trails")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "notes.trails")
	if err := kg.Create(ctx, path, kg.CreateOptions{Schema: []byte("types:\n  Note: {properties: {title: {type: string}}}\n")}); err != nil {
		panic(err)
	}
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil {
		panic(err)
	}
	defer g.Close()

	count := invoke.Define(capability.Descriptor{
		ID: "text.count", Description: "Count a word in a text.",
		PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	}, func(_ context.Context, r *invoke.Request, in Count) (Counted, error) {
		n := strings.Count(in.Text, in.Word)
		if n > in.Limit {
			r.Warn("counting stopped at %d", in.Limit)
			n = in.Limit
		}
		return Counted{Times: n, Graph: r.Engine().Graph().Name()}, nil
	})
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers()})
	defer e.Close(ctx)
	if err := e.Register(ctx, invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{count}})); err != nil {
		panic(err)
	}

	call := invoke.Call{Capability: "text.count", Principal: policy.Local("ana", ""), Via: "go"}
	for _, args := range []string{`{"text":"the cat and the hat"}`, `{"text":"a","word":"A","limit":0}`} {
		call.Args = []byte(args)
		result, err := e.Call(ctx, call)
		fmt.Println(string(result.Structured), err)
	}
	// Output:
	// {"times":2,"graph":"notes"} <nil>
	//  invalid arguments: 2 fields
	//   limit must be at least 1
	//   word must match ^[a-z]+$
}
