// Package mcp speaks the Model Context Protocol for one graph, in every protocol version of the SDK, over four
// transports: stdio ([Server.RunStdio]), over Streamable HTTP without sessions ([Server.Handler]) and with them
// ([Server.StatefulHandler]), and over the legacy transport ([Server.SSEHandler]). It decodes a message, makes the
// call, and encodes the answer; permissions and semantics belong to [Engine].
//
// Package mcp/session handles transports, sessions, streams and the token. Here each method has one function, in the
// table of methods below, and the middleware converts errors to the contract's codes (errors.go). The SDK handles the
// rest of the protocol: handshakes, versions, cancellation.
//
// Read [Server] first, then the table of methods.
package mcp

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
	"trails/capability/project"
	"trails/invoke"
	"trails/mcp/session"
)

// Engine is what this package needs of the call path; *invoke.Engine is one.
type Engine interface {
	Call(ctx context.Context, c invoke.Call) (invoke.Result, error)
	Tools(ctx context.Context, p policy.Principal) (invoke.Tools, error)
	Resources(ctx context.Context, p policy.Principal) ([]invoke.Resource, error)
	Read(ctx context.Context, uri string, c invoke.Call) (invoke.Document, error)
	WatchOn(ctx context.Context, p policy.Principal, branch string) <-chan invoke.Change
	Sight(ctx context.Context, p policy.Principal) (string, error)
}

// Options are the settings for serving a graph over MCP. The zero value serves everybody who can reach it, without
// any scope.
type Options struct {
	// Name and Version are the server's, as clients show them; an empty Name is "trails".
	Name, Version string
	// Auth knows the callers. Where it needs a token, that must be shown before any method
	// works: on stdio in initialize (clientInfo.authorization.bearer) or, in the protocol
	// without initialize, in each request's _meta under [BearerKey]; over HTTP in the
	// Authorization header of each request. A request whose context has a principal
	// already (see [auth.WithPrincipal]) is from that. Nil lets everybody in, without a
	// scope.
	Auth *auth.Resolver
	// ToolErrors says how tools answer invalid arguments and data; "" is ToolErrorsAuto.
	ToolErrors ToolErrors
	// PageSize is the number of entries on a page of a list; 0 means 1000.
	PageSize int
	// Follow, when set, watches resources that do not belong to the engine, whose addresses do not begin with trails.
	// It calls updated, which does not wait, until stop is called. ctx bounds the start, and c is the caller. Nil
	// means that there are none.
	Follow func(ctx context.Context, uri string, c invoke.Call, updated func()) (stop func(), err error)
	// Sessions bounds what clients may keep open.
	Sessions session.Options
	// Log receives internal errors with their causes; nil discards them.
	Log *slog.Logger
}

const defaultPageSize = 1000

// Server serves one graph over MCP. It is safe for concurrent use.
type Server struct {
	*session.Doors
	engine Engine
	opts   Options
	log    *slog.Logger
	tools  toolCache
	// listener hears of changes of main for all callers who see what it sees.
	listener policy.Principal
}

// Revisions are the revisions of the protocol that a server speaks, the newest first.
func Revisions() []string { return sdk.SupportedProtocolVersions() }

// New returns a server of e. It starts nothing; what its handlers start ends with the requests or, for sessions, by
// [Server.Close].
func New(e Engine, opts Options) *Server {
	if opts.Name == "" {
		opts.Name = "trails"
	}
	if opts.Auth == nil {
		opts.Auth = auth.New(auth.Options{})
	}
	if opts.PageSize <= 0 {
		opts.PageSize = defaultPageSize
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Server{engine: e, opts: opts, log: log}
	s.listener = policy.Principal{Scopes: opts.Auth.Scopes(), Authenticated: opts.Auth.Knows()}
	s.Doors = session.NewDoors(session.Config{
		Methods: s.endpoint,
		Watch:   func(ctx context.Context) <-chan invoke.Change { return e.WatchOn(ctx, s.listener, "") },
		Auth:    opts.Auth, Options: opts.Sessions, Log: log,
	})
	return s
}

// endpoint is the server behind one transport.
type endpoint struct {
	*Server
	// via is the name of the transport in calls.
	via string
	// stateless means that a session lasts one request, and only subscriptions are notified.
	stateless bool
	// info says which server it is.
	info sdk.Implementation
	sdk  *sdk.Server
}

func (s *Server) endpoint(via string, stateless bool) session.Methods {
	e := &endpoint{Server: s, via: via, stateless: stateless, info: sdk.Implementation{Name: s.opts.Name, Title: project.ServerTitle, Version: s.opts.Version}}
	var logging *sdk.LoggingCapabilities // there is a session to send messages to
	if !stateless {
		logging = &sdk.LoggingCapabilities{}
	}
	versions := Revisions()
	if !stateless && via != session.OverStdio { // a session over HTTP begins with a handshake, which the newest versions do not have
		versions = slices.DeleteFunc(versions, func(v string) bool { return v >= session.Sessionless })
	}
	e.sdk = sdk.NewServer(
		&e.info,
		&sdk.ServerOptions{
			Instructions: instructions,
			Capabilities: &sdk.ServerCapabilities{
				Tools:       &sdk.ToolCapabilities{ListChanged: true},
				Resources:   &sdk.ResourceCapabilities{ListChanged: true, Subscribe: true},
				Prompts:     &sdk.PromptCapabilities{},
				Completions: &sdk.CompletionCapabilities{},
				Logging:     logging,
				Extensions:  map[string]any{skillsExtension: struct{}{}},
			},
			SupportedProtocolVersions: versions,
			// Callers may see different lists.
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = private },
		})
	addSkills(e.sdk)
	e.sdk.AddReceivingMiddleware(e.receive)
	return e
}

// SDK is the server of the door.
func (e *endpoint) SDK() *sdk.Server { return e.sdk }

// Context gives each session a bound on its log messages.
func (e *endpoint) Context(ctx context.Context) context.Context { return withJournal(ctx) }

// request is one message for a handler.
type request struct {
	sdk.Request
	method string
	// bySDK is the SDK's own answer.
	bySDK func(ctx context.Context) (sdk.Result, error)
}

// methods are the served methods; all others are refused.
var methods = map[string]func(e *endpoint, ctx context.Context, r request) (sdk.Result, error){
	"initialize":                (*endpoint).initialize,
	"server/discover":           (*endpoint).discover,
	"ping":                      (*endpoint).leave,
	"tools/list":                (*endpoint).listTools,
	"tools/call":                (*endpoint).callTool,
	"resources/list":            (*endpoint).listResources,
	"resources/templates/list":  (*endpoint).listTemplates,
	"resources/read":            (*endpoint).readResource,
	"resources/subscribe":       (*endpoint).subscribe,
	"resources/unsubscribe":     (*endpoint).unsubscribe,
	"subscriptions/listen":      (*endpoint).listen,
	"prompts/list":              (*endpoint).listPrompts,
	"prompts/get":               (*endpoint).getPrompt,
	"skills/list":               (*endpoint).listSkills,
	"skills/get":                (*endpoint).getSkill,
	"completion/complete":       (*endpoint).completeArgument,
	"logging/setLevel":          (*endpoint).setLevel,
	"notifications/initialized": (*endpoint).leave,
	"notifications/cancelled":   (*endpoint).leave,
}

// leave leaves the answer to the SDK.
func (e *endpoint) leave(ctx context.Context, r request) (sdk.Result, error) { return r.bySDK(ctx) }

// receive is the outermost middleware: it converts everything that a handler does, including panics, to a result or a
// JSON-RPC error. (A panic in a handler of the SDK would end the process.)
func (e *endpoint) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = nil, encodeFault(e.internal("panic", method, "panic", p, "stack", string(debug.Stack())))
			}
		}()
		ctx, free := session.UntilCut(session.WithEnvelope(ctx, req))
		defer free()
		handle, served := methods[method]
		if !served {
			return nil, session.MethodNotFound(method)
		}
		res, err = handle(e, ctx, request{
			Request: withParams(req),
			method:  method,
			bySDK: func(ctx context.Context) (sdk.Result, error) {
				res, err := next(ctx, method, req)
				if err != nil {
					return nil, session.TidyError(err)
				}
				return res, nil
			},
		})
		if err != nil {
			return nil, e.Refuse(ctx, method, err)
		}
		return res, nil
	}
}
