// Package invoke is the one call path. Every entry, be it MCP, HTTP, the command
// line, a page or a Go program, makes a [Call] and hands it to [Engine.Call],
// which runs the same stages in the same order (see stages.go) and records what
// happened. A transport decodes, calls, encodes, and decides nothing.
//
// Read [Engine] first, then the list of stages, then the table of built-in
// capabilities in builtin.go and one handler.
package invoke

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"trails/capability"
	"trails/capability/project"
	"trails/kg"
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
	// Via names the door: "mcp-stdio", "mcp-http", "mcp-sse", "http", "admin", "cli", "go".
	Via string
	// Format is the form in which [Engine.Read] answers: "json", "jsonld" or "turtle";
	// empty means the address's own. For a query with Output it is the stream's: one of
	// "json", "xml", "csv", "tsv" for SELECT and ASK, of "turtle", "ntriples", "jsonld" for
	// graphs, or a comma list of them, of which the first that the form has is taken.
	Format string
	// IdempotencyKey, when set, makes a repeated write answer with the first one's result,
	// through whichever door and by whichever program of the same caller it comes again.
	IdempotencyKey string
	// TraceID follows the call into provenance and the log; empty means that one is made.
	TraceID string
	// ParentSpan is the caller's span, 16 hex digits of a W3C traceparent; empty means none.
	ParentSpan string
	// Inputs replace the argument "data" of a load that is too large for JSON.
	Inputs []kg.Input
	// Output receives the stream of an export, or of the whole answer to a query.
	Output io.Writer
	// Progress, when set, hears of long work; it is called from one goroutine at a time.
	Progress func(kg.Progress)
	// Ask, when set, puts a question to the person behind the caller before something
	// is lost that cannot be had back; nil means that nobody can be asked.
	Ask func(context.Context, Question) (bool, error)
}

// Question is what a person is asked before a call goes on.
type Question struct {
	// Message says in one or two sentences what would happen.
	Message string
}

// Input is one stream of data with the name that errors call it by.
type Input = kg.Input

// Progress says how far long work is.
type Progress = kg.Progress

// Result is what a finished call answers.
type Result struct {
	// Structured is the result as one JSON object, the tool's structured content.
	Structured json.RawMessage
	// TraceID is the call's, for logs and headers.
	TraceID string
	// Head is the commit that the answer is true of: for a read the one that was
	// read, for a write the one it was made on. Empty when there is no commit yet.
	Head string
}

// Document is the body of a resource.
type Document struct {
	URI  string
	MIME string
	Body []byte
	// Head is the commit that was read; empty when there is none yet.
	Head string
	// Page says which part of a list this is; nil when it is no list.
	Page *Page
}

// Page is a part of a list.
type Page struct {
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
	// More reports that the list goes on after it.
	More bool `json:"more"`
}

// Resource describes one address that can be read.
type Resource struct {
	URI, Name, Title, Description, MIME string
	// Template is the RFC 6570 form that adds a filter and paging; empty when there is none.
	Template string
}

// Tools is the list of capabilities that one principal may see, from one snapshot.
type Tools struct {
	// Version changes whenever any descriptor does.
	Version     string
	Descriptors []capability.Descriptor
	// Helpers can be called by name as the others can, and are no tools: what pages and
	// prompts ask, because an agent reads the same through resources.
	Helpers []capability.Descriptor
	// Process is what views of the descriptors show of this process.
	Process project.Process
}

// Config is how a process runs its engine. The zero Config is good.
type Config struct {
	// Version is the program's, shown by health.
	Version string
	// Env is "dev" or "production"; production hides and refuses dev tools. Empty means dev.
	Env string
	// Log hears of faults that are ours; nil means slog.Default().
	Log *slog.Logger
	// QueryWait bounds how long a query or an export waits while others run, before it is
	// refused with fault.Busy; 0 means 15 seconds.
	QueryWait time.Duration
	// Views are those that the doctor holds against the descriptors; nil means all that
	// there are.
	Views []project.View
	// Observe, when set, hears of every finished call. It must not wait.
	Observe func(Observation)
	// Now and NewTraceID are seams for tests; nil means the real ones.
	Now        func() time.Time
	NewTraceID func() string
}

// Engine runs calls against one graph. It is safe for concurrent use. Close it
// before the graph.
type Engine struct {
	graph  *kg.Graph
	config Config
	prov   *recorder
	turns  *turns
	bare   map[string]*entry // by id and tool name; never changed
	// watchers are those of Watch.
	watchers *follower

	mu      sync.Mutex
	catalog *catalog // of the last schema version seen
	guide   guideOf  // of the last head that was told of
}

// New returns an engine on g, which stays the caller's to close.
func New(g *kg.Graph, c Config) *Engine {
	if c.Env == "" {
		c.Env = "dev"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewTraceID == nil {
		c.NewTraceID = newTraceID
	}
	if c.Views == nil {
		c.Views = project.Views(project.Process{Remote: g.ReachesOut()})
	}
	return &Engine{graph: g, config: c, prov: newRecorder(g, c.Log), turns: newTurns(g.Readers(), c.QueryWait), bare: bareEntries(), watchers: newFollower(g, c.Log)}
}

// newTraceID returns 32 hex digits, the form of a W3C trace-id.
func newTraceID() string {
	id := uuid.Must(uuid.NewV7())
	text := make([]byte, 0, 32)
	for _, b := range id {
		text = append(text, "0123456789abcdef"[b>>4], "0123456789abcdef"[b&15])
	}
	return string(text)
}

// Close ends every watcher and writes the provenance that is still in memory,
// within ctx. The fault Unusable says that it could not be kept, and is lost.
func (e *Engine) Close(ctx context.Context) error {
	e.watchers.close()
	return e.prov.close(ctx)
}

// Graph returns the open file behind the engine.
func (e *Engine) Graph() *kg.Graph { return e.graph }

// ProvenanceQueue returns how many calls are not written down yet.
func (e *Engine) ProvenanceQueue() int { return e.prov.length() }

// QueriesAtOnce returns how many queries and exports keep a processor busy at the same
// time at most. With as many more of Go's processors than the machine has (see
// [runtime.GOMAXPROCS]) short calls do not wait for the end of a long one's time slice.
func (e *Engine) QueriesAtOnce() int { return e.turns.most }

// QueryQueue returns how many queries and exports wait for their turn.
func (e *Engine) QueryQueue() int { return e.turns.waiting() }

// Tools lists what p may see, in a fixed order: built-in capabilities, then those
// of each type in the order of declaration, then meta capabilities.
func (e *Engine) Tools(ctx context.Context, p policy.Principal) (_ Tools, err error) {
	defer e.survive(&err, "tools")
	snap, err := e.graph.Session(p).Snapshot(ctx)
	if err != nil {
		return Tools{}, e.fail(err, "", "tools")
	}
	defer snap.Close()
	c, err := e.catalogOf(snap)
	if err != nil {
		return Tools{}, e.fail(err, "", "tools")
	}
	return Tools{Version: c.version, Descriptors: c.visible(p, e.config.Env), Helpers: c.helpers(p, e.config.Env), Process: e.process()}, nil
}

func (e *Engine) process() project.Process { return project.Process{Remote: e.graph.ReachesOut()} }

// survive turns a panic of what is no call into an error of ours.
func (e *Engine) survive(err *error, what string) {
	if p := recover(); p != nil {
		*err = e.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "", what)
	}
}
