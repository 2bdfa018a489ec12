// Package invoke is the one call path. Every entry, be it MCP, HTTP, the command
// line, a page or a Go program, makes a [Call] and hands it to [Engine.Call],
// which runs the same stages in the same order (see stages.go) and records what
// happened. A transport decodes, calls, encodes, and decides nothing.
//
// Read [Engine] first, then the list of stages, then one handler.
package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"trails/capability"
	"trails/policy"
)

// Call is one request to do one thing, whatever door it came through.
type Call struct {
	// Capability is a descriptor's id ("technique.create") or its tool name ("technique_create").
	Capability string
	// Args is the JSON object of arguments; empty means {}.
	Args json.RawMessage
	// Principal is who asks, as the edge resolved it.
	Principal policy.Principal
	// Via names the door: "mcp-stdio", "mcp-http", "http", "cli", "go".
	Via string
	// IdempotencyKey, when set, makes a repeated write answer with the first one's result.
	IdempotencyKey string
	// TraceID follows the call into provenance and the log; empty means that one is made.
	TraceID string
	// Inputs replace the argument "data" of a load that is too large for JSON.
	Inputs []Input
	// Output receives the stream of an export.
	Output io.Writer
	// Progress, when set, hears of long work; it is called from one goroutine at a time.
	Progress func(Progress)
}

// Input is one stream of data with the name that errors call it by.
type Input struct {
	Name string
	io.Reader
	// Size is the number of bytes to come, 0 when unknown.
	Size int64
}

// Progress says how far long work is.
type Progress struct {
	Phase       string // "read", "write", "validate", "index", "verify"
	Done, Total int64  // in Unit; Total 0 when unknown
	Unit        string // "bytes", "quads", "nodes"
}

// Result is what a finished call answers.
type Result struct {
	// Structured is the result as one JSON object, the tool's structured content.
	Structured json.RawMessage
	// TraceID is the call's, for logs and headers.
	TraceID string
}

// Document is the body of a resource.
type Document struct {
	URI  string
	MIME string
	Body []byte
}

// Resource describes one address that can be read.
type Resource struct {
	URI, Name, Title, Description, MIME string
	// Template is the RFC 6570 form that adds a filter and paging; empty when there is none.
	Template string
}

// Config is how a process runs its engine.
type Config struct {
	// Version is the program's, shown by health.
	Version string
	// Env is "dev" or "production"; production hides and refuses dev tools. Empty means dev.
	Env string
	// Now and NewTraceID are seams for tests; nil means the real ones.
	Now        func() time.Time
	NewTraceID func() string
}

// Tools is the list of capabilities that one principal may see, from one snapshot.
type Tools struct {
	// Version changes whenever any descriptor does.
	Version     string
	Descriptors []capability.Descriptor
}

// Change tells a watcher that the graph moved.
type Change struct {
	// Head is the new head commit's id in hex.
	Head string
	// Schema reports that the set of tools and types may have changed.
	Schema bool
}


// ErrNotBuilt is what the engine answers until it is whole.
var errNotBuilt = errors.New("not built yet")

// Engine runs calls against one graph. It is safe for concurrent use.
type Engine struct{}

// Call runs one call through every stage. Its error is always a *fault.Error; an
// Internal one carries trace_id in its details and its cause only goes to the log.
func (e *Engine) Call(ctx context.Context, c Call) (Result, error) { return Result{}, errNotBuilt }

// Tools lists what p may see, in a fixed order.
func (e *Engine) Tools(ctx context.Context, p policy.Principal) (Tools, error) {
	return Tools{}, errNotBuilt
}

// Resources lists the addresses that can be read: the fixed ones, then one umbrella per type.
func (e *Engine) Resources(ctx context.Context, p policy.Principal) ([]Resource, error) {
	return nil, errNotBuilt
}

// Read reads one trails:// address through the same stages; of c it uses Principal, Via and TraceID.
func (e *Engine) Read(ctx context.Context, uri string, c Call) (Document, error) {
	return Document{}, errNotBuilt
}

// Watch reports that the graph moved, in this process or another one, until ctx ends.
// Changes that come faster than the reader takes them are folded into one.
func (e *Engine) Watch(ctx context.Context) <-chan Change { return nil }
