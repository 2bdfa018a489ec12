package mcp

import (
	"context"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/capability/project"
)

// instructions are for the client's model if the engine has none for the caller, who may then read nothing of the graph.
const instructions = `This server is one versioned graph of typed nodes in one file.
The lists of tools and resources have what you may call and read.
When a call fails, nothing was written: error -32602 lists every wrong field in data.fields; a result with isError:true says in structuredContent.kind what stood in the way.`

// initialize leaves the handshake to the SDK, and adds the instructions for this caller. A stateless server cannot
// send notifications in the versions with this method, and says so.
func (e *endpoint) initialize(ctx context.Context, r request) (sdk.Result, error) {
	res, err := r.bySDK(ctx)
	hello, ok := res.(*sdk.InitializeResult)
	if !ok || err != nil {
		return res, err
	}
	hello.Instructions = e.instructionsFor(ctx, r)
	if hello.ProtocolVersion >= iconsSince {
		hello.ServerInfo = e.infoWithIcon()
	}
	if e.stateless {
		hello.Capabilities.Tools = &sdk.ToolCapabilities{}
		hello.Capabilities.Resources = &sdk.ResourceCapabilities{}
	}
	return hello, nil
}

// discover is the handshake of the protocol without sessions.
func (e *endpoint) discover(ctx context.Context, r request) (sdk.Result, error) {
	res, err := r.bySDK(ctx)
	if hello, ok := res.(*sdk.DiscoverResult); ok && err == nil {
		hello.Instructions = e.instructionsFor(ctx, r)
		if hello.Meta == nil {
			hello.Meta = sdk.Meta{}
		}
		hello.Meta[sdk.MetaKeyServerInfo] = e.infoWithIcon()
	}
	return res, err
}

// iconsSince is the first version of the protocol in which a server has icons.
const iconsSince = "2025-11-25"

// infoWithIcon says which server it is, with its icon, for handshakes alone: without sessions every result says which
// server made it.
func (e *endpoint) infoWithIcon() *sdk.Implementation {
	info := e.info
	info.Icons = []sdk.Icon{{Source: project.Icon(), MIMEType: "image/png", Sizes: []string{project.IconSize}}}
	return &info
}

// instructionsFor is the engine's guide for this caller. If it fails, the handshake still succeeds.
func (e *endpoint) instructionsFor(ctx context.Context, r request) string {
	var guide struct{ Text string }
	err := e.hear(ctx, e.call(ctx, r, nil), "guide", nil, &guide)
	if err != nil || guide.Text == "" {
		e.log.LogAttrs(ctx, slog.LevelDebug, "no guide for this caller", slog.Any("error", err))
		return instructions
	}
	return guide.Text
}
