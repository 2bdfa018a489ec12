package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/mcp"
)

// BenchmarkCallTool holds a call through this package against an empty tool of the
// bare SDK over the same pipes; the budget for a read is 1.3 times that, engine
// included.
func BenchmarkCallTool(b *testing.B) {
	e := openGraph(b)
	for _, c := range []struct {
		name, tool string
		run        func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
	}{
		{"sdk-empty", "empty", runBareSDK},
		{"empty", "echo", func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return mcp.New(&fake{}, options("")).RunStdio(ctx, in, out)
		}},
		{"health", "health", func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return mcp.New(e, options("")).RunStdio(ctx, in, out)
		}},
	} {
		b.Run(c.name, func(b *testing.B) { benchCalls(b, c.tool, c.run) })
	}
}

func runBareSDK(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	srv := sdk.NewServer(&sdk.Implementation{Name: "bare", Version: "1"}, nil)
	srv.AddTool(&sdk.Tool{Name: "empty", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "{}"}}, StructuredContent: json.RawMessage("{}")}, nil
		})
	return srv.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}

func benchCalls(b *testing.B, tool string, run func(context.Context, io.ReadCloser, io.WriteCloser) error) {
	inR, in := io.Pipe()
	outR, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(context.Background(), inR, out) }()
	lines := bufio.NewReader(outR)
	say := func(line string) {
		fmt.Fprintln(in, line)
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	say(hello("2025-11-25", ""))
	call := ask("2025-11-25", 1, "tools/call", callTool(tool, map[string]any{}), "")
	for b.Loop() {
		say(call)
	}
	in.Close()
	<-done
}
