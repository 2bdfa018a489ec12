// Package invoke is the one call path. Every entry, be it MCP, HTTP, the command
// line, a page or a Go program, makes a [Call] and hands it to [Engine.Call],
// which runs the same stages in the same order (see stages.go) and records what
// happened. A transport decodes, calls, encodes, and decides nothing.
//
// What can be called is offered by providers. Read [Engine] first, then the list of
// stages, then [Request] and [Provider].
package invoke

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/project"
	"trails/invoke/budget"
	"trails/invoke/schedule"
	"trails/invoke/versioning"
	"trails/kg"
	"trails/text/redact"
)

// Tools is the list of capabilities that one principal may see, from one snapshot.
type Tools struct {
	// Version changes whenever any descriptor does.
	Version     string
	Descriptors []capability.Descriptor
	// Listed are the tools in lists of tools, see [Config.Surface].
	Listed []capability.Descriptor
	// Audience identifies which of them p may see: the list depends only on version, audience and choice.
	Audience string
	// Choice changes if Listed may have changed for reasons outside the file. It is only comparable within one
	// engine.
	Choice string
	// Helpers can be called by name but are not tools: pages and prompts use them, while agents read the same through
	// resources.
	Helpers []capability.Descriptor
	// Process is what projections of the descriptors show about this process.
	Process project.Process
}

// Config is how a process runs its engine. The zero Config is good.
type Config struct {
	// Version is the program's, shown by health.
	Version string
	// Path is where the addresses of the server begin, such as "/graphs/notes"; "" for /.
	Path string
	// Env is "dev" or "production"; production hides and refuses dev tools. Empty means dev.
	Env string
	// Log is the log for internal faults; nil means slog.Default().
	Log *slog.Logger
	// Secrets are taken out of the names of callers and of what they call, before these are recorded; besides, what has
	// the form of a token always is.
	Secrets redact.Redactor
	// Rights, when set, returns what a caller may see of the graph. Nil, also as its result, is what policies say.
	Rights func(policy.Principal) *kg.Rights
	// QueryWait bounds how long a query or an export waits while others run, before it is
	// refused with fault.Busy; 0 means 15 seconds.
	QueryWait time.Duration
	// Turns are the turns of calls, which several engines of a process share; nil means that this is the only one. They are
	// of [schedule.New], and QueryWait has no effect then.
	Turns *schedule.Scheduler
	// MassChange is how many statements a call that changes data may remove unless it says
	// allow_mass_change or a person agrees; 0 means 1,000.
	MassChange int64
	// Providers offer what can be called, in this order; see [Engine.Register], too.
	Providers []Provider
	// Surface, when set, selects the tools for lists of tools, such as MCP's; the others can be called by name. It
	// must be a pure function. Nil lists all without Surfaces.
	Surface func([]Capability) []Capability
	// Observe, when set, is called for every finished call. It must not wait.
	Observe func(Observation)
	// Now and NewTraceID are for tests; nil means the real ones.
	Now        func() time.Time
	NewTraceID func() string
}

// Engine runs calls against one graph. It is safe for concurrent use. Close it
// before the graph.
type Engine struct {
	graph     *kg.Graph
	config    Config
	prov      *recorder
	scheduler *schedule.Scheduler
	budgets   *budget.Ledger
	// catalogs are what the providers offer.
	catalogs *catalogs
	// followers tell watchers of changes. That of all of main is always there.
	following sync.Mutex
	followers map[watched]*follower
	closed    bool
}

// New returns an engine on g. The caller closes g.
func New(g *kg.Graph, c Config) *Engine {
	c.Env, c.Log, c.MassChange = cmp.Or(c.Env, "dev"), cmp.Or(c.Log, slog.Default()), cmp.Or(c.MassChange, 1000)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Surface == nil {
		c.Surface = func(all []Capability) []Capability {
			return slices.DeleteFunc(slices.Clone(all), func(c Capability) bool { return c.Surfaces != nil })
		}
	}
	if c.NewTraceID == nil {
		c.NewTraceID = NewTraceID
	}
	if c.Turns == nil {
		c.Turns = schedule.New(g.Readers(), c.QueryWait)
	}
	catalogs := newCatalogs(c.Providers)
	catalogs.versioning = versioning.New(g, c.Log, c.Version, catalogs.forget)
	budgets := budget.New(g, c.Log, c.Now)
	settle := func(ctx context.Context) { budgets.Settle(ctx, false) }
	return &Engine{
		graph: g, config: c, prov: newRecorder(g, c.Log, settle), scheduler: c.Turns, budgets: budgets,
		followers: map[watched]*follower{{}: newFollower(g.Session(policy.Principal{}), catalogs, c.Log)}, catalogs: catalogs,
	}
}

// session returns the session of a caller, with its rights.
func (e *Engine) session(p policy.Principal) *kg.Session {
	s := e.graph.Session(p)
	if e.config.Rights != nil {
		s = s.Seeing(e.config.Rights(p))
	}
	return s
}

// NewTraceID returns a new trace id: 32 hex digits, the form of a W3C trace-id. Later ones
// are greater.
func NewTraceID() string { return strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "") }

// Close ends every watcher, writes the provenance in memory to the file, and gives back what it has reserved of budgets,
// within ctx. If that fails, the
// provenance is lost, and the fault is Unusable.
func (e *Engine) Close(ctx context.Context) error {
	e.following.Lock()
	e.closed = true
	e.following.Unlock()
	for _, f := range e.allFollowers() {
		f.close()
	}
	e.catalogs.versioning.Close(ctx)
	err := e.prov.close(ctx)
	e.budgets.Settle(ctx, true)
	return err
}

// Register adds a provider after the existing ones. A provider whose capabilities are invalid or conflict with theirs
// is refused, and nothing changes. Watchers are notified.
func (e *Engine) Register(ctx context.Context, p Provider) error {
	err := e.graph.Session(policy.Principal{}).View(ctx, func(s *kg.Snapshot) error { return e.catalogs.add(ctx, p, s) })
	if err != nil {
		return e.fail(err, "", "register")
	}
	return e.Refresh(ctx)
}

// Refresh notifies watchers if a provider offers something else than before. After a commit that is done
// automatically; a provider that depends on something outside the graph calls it when that changes.
func (e *Engine) Refresh(ctx context.Context) error {
	for _, f := range e.allFollowers() {
		if f.branch != "" {
			continue
		}
		c, err := f.offered(ctx)
		if err != nil {
			return e.fail(err, "", "refresh")
		}
		if c.Offer {
			f.tell(c)
		}
	}
	return nil
}

// Version returns the version of the program.
func (e *Engine) Version() string { return e.config.Version }

// Graph returns the open file behind the engine.
func (e *Engine) Graph() *kg.Graph { return e.graph }

// ProvenanceQueue returns how many calls have not been written to provenance yet.
func (e *Engine) ProvenanceQueue() int { return e.prov.length() }

// QueriesAtOnce returns how many queries and exports keep a processor busy at the same
// time at most. With as many more of Go's processors than the machine has (see
// [runtime.GOMAXPROCS]) short calls do not wait for the end of a long one's time slice.
func (e *Engine) QueriesAtOnce() int { return e.scheduler.AtOnce() }

// QueryQueue returns how many queries and exports wait for their turn.
func (e *Engine) QueryQueue() int { return e.scheduler.Waiting() }

// Tools lists what p may see, in the order of the providers.
func (e *Engine) Tools(ctx context.Context, p policy.Principal) (Tools, error) {
	return e.ToolsOn(ctx, p, kg.Main)
}

// ToolsOn is [Engine.Tools] on a branch, whose schema and stored queries may be others.
func (e *Engine) ToolsOn(ctx context.Context, p policy.Principal, branch string) (t Tools, err error) {
	defer e.survive(&err, "tools")
	var c *catalog
	var tools, helpers []*Capability
	err = e.withCatalog(ctx, p, branch, func(now *catalog, a *kg.Authority) (err error) {
		c = now
		if tools, err = e.list(ctx, c, a, p, isTool); err == nil {
			helpers, err = e.list(ctx, c, a, p, isHelper)
		}
		return err
	})
	if err != nil {
		return Tools{}, e.fail(err, "", "tools")
	}
	t.Version, t.Process = c.registry.Version(), e.Process()
	t.Descriptors, t.Helpers = descriptors(tools), descriptors(helpers)
	seen := sha256.New()
	for _, d := range t.Descriptors {
		seen.Write([]byte(d.ID + "\n"))
	}
	t.Audience = hex.EncodeToString(seen.Sum(nil)[:16])
	t.Choice = c.key
	t.Listed = c.listed(t.Audience, func() []capability.Descriptor { return e.surface(tools) })
	return t, nil
}

// surface returns the tools that lists have.
func (e *Engine) surface(tools []*Capability) (listed []capability.Descriptor) {
	all := make([]Capability, len(tools))
	for i, c := range tools {
		all[i] = *c
	}
	for _, c := range e.config.Surface(all) {
		listed = append(listed, c.Descriptor)
	}
	return listed
}

// Process returns what views of descriptors show of this process.
func (e *Engine) Process() project.Process {
	return project.Process{Graph: e.graph.Name(), Remote: e.graph.ReachesOut()}
}

// survive converts a panic outside of a call to an internal error.
func (e *Engine) survive(err *error, what string) {
	if p := recover(); p != nil {
		*err = e.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "", what)
	}
}
