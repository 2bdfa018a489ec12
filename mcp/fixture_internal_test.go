package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Fixture stands around the handlers of the dispatcher. The conformance suite wants
// contents that no engine of ours can say, such as sound, and calls to the client;
// this is where they come from.
type Fixture struct {
	// Before sees a request, and may change its params, before the handler does.
	Before func(req sdk.Request)
	// After sees what the handler answers, and may answer in its place.
	After func(ctx context.Context, req sdk.Request, res sdk.Result, err error) (sdk.Result, error)
}

var fixtures sync.Map // *Server → Fixture

// SetFixture makes f a part of this server, before it serves.
func (s *Server) SetFixture(f Fixture) { fixtures.Store(s, f) }

func init() {
	for method, handle := range methods {
		methods[method] = func(e *endpoint, ctx context.Context, r request) (sdk.Result, error) {
			known, ok := fixtures.Load(e.Server)
			if !ok {
				return handle(e, ctx, r)
			}
			f := known.(Fixture)
			f.Before(r.Request)
			res, err := handle(e, ctx, r)
			return f.After(ctx, r.Request, res, err)
		}
	}
}

// AddTool adds a tool to a result of tools/list, as it is.
func AddTool(res sdk.Result, tool string) {
	list := res.(*listResult)
	list.Tools = append(list.Tools, json.RawMessage(tool))
}

// ToolText is a result of tools/call that has only text.
func ToolText(format string, args ...any) sdk.Result {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}
}
