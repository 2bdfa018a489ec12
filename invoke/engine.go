// Package invoke is the one call path. Every entry, be it MCP, HTTP, the command
// line, a page or a Go program, makes a [Call] and hands it to [Engine.Call],
// which runs the same stages in the same order (see stages.go) and records what
// happened. A transport decodes, calls, encodes, and decides nothing.
//
// What can be called is offered by providers. Read [Engine] first, then the list of
// stages, then [Request] and [Provider].
package invoke

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"trails/capability"
	"trails/capability/project"
	"trails/kg"
	"trails/policy"
)

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
	// Providers offer what can be called, in this order; see [Engine.Register], too.
	Providers []Provider
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
	// catalogs are what the providers offer; watchers are those of Watch.
	catalogs *catalogs
	watchers *follower
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
		c.NewTraceID = NewTraceID
	}
	return &Engine{
		graph: g, config: c, prov: newRecorder(g, c.Log), turns: newTurns(g.Readers(), c.QueryWait),
		catalogs: newCatalogs(c.Providers), watchers: newFollower(g, c.Log),
	}
}

// NewTraceID returns a new trace id: 32 hex digits, the form of a W3C trace-id. Later ones
// are greater.
func NewTraceID() string {
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

// Version returns the version of the program.
func (e *Engine) Version() string { return e.config.Version }

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

// Tools lists what p may see, in the order of the providers.
func (e *Engine) Tools(ctx context.Context, p policy.Principal) (_ Tools, err error) {
	defer e.survive(&err, "tools")
	snap, err := e.graph.Session(p).Snapshot(ctx)
	if err != nil {
		return Tools{}, e.fail(err, "", "tools")
	}
	defer snap.Close()
	c, err := e.catalogs.of(snap)
	if err != nil {
		return Tools{}, e.fail(err, "", "tools")
	}
	return Tools{Version: c.registry.Version(), Descriptors: c.tools(p, e.config.Env), Helpers: c.helpers(p, e.config.Env), Process: e.Process()}, nil
}

// Process returns what views of descriptors show of this process.
func (e *Engine) Process() project.Process { return project.Process{Remote: e.graph.ReachesOut()} }

// survive turns a panic of what is no call into an error of ours.
func (e *Engine) survive(err *error, what string) {
	if p := recover(); p != nil {
		*err = e.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "", what)
	}
}
