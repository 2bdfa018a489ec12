package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
	"trails/httpapi/folder"
	"trails/invoke"
	"trails/invoke/schedule"
	"trails/invoke/telemetry"
	"trails/kg"
	"trails/mcp"
)

// hosting is a process that serves the graphs of a folder.
type hosting struct {
	*program
	serving
	// callers are the settings of authentication for each graph, and process identifies who is known to all of them.
	callers   auth.Options
	process   *auth.Resolver
	admission *httpapi.Admission
	metrics   *telemetry.Metrics
	traces    *telemetry.Traces
	port      string
	base      string              // address of the process, "" if nobody else knows it
	turns     *schedule.Scheduler // of queries of all graphs
	memory    kg.Pool             // of open graphs
}

// serveGraphs serves the graphs of a folder on ln until ctx ends; it closes ln.
func (p *program) serveGraphs(ctx context.Context, ln net.Listener, certificates *httpapi.Certificates, s serving) (err error) {
	defer func() { _ = ln.Close() }() // the server has closed it, unless it never came so far
	callers, err := p.authOptions()
	if err != nil {
		return err
	}
	if _, err := p.mcpOptions(nil); err != nil {
		return err
	}
	traces, err := telemetry.StartTraces(ctx, version, p.log)
	if err != nil {
		return usageError{err.Error()}
	}
	defer func() { err = errors.Join(err, traces.Close(context.WithoutCancel(ctx))) }()
	at := p.addressed(&callers, &ln, certificates, s)
	audiences := s.audiences(ln, certificates, at.base)
	if callers.Provider, err = p.provider(audiences); err != nil {
		return err
	}
	if _, err := s.server(at.base, audiences); err != nil {
		return err
	}
	callers.Instance = at.port
	process := callers
	process.Provider = nil // its tokens are for single graphs
	if callers.Token == "" {
		callers.ID, process.ID, process.Operator = me().ID, me().ID, !callers.Closed
	}
	h := &hosting{
		program: p, serving: s, callers: callers, process: auth.New(process), port: at.port,
		admission: httpapi.NewAdmission(httpapi.Limits{}), metrics: telemetry.NewGraphs(version), traces: traces, turns: schedule.New(kg.Readers, p.queryWait),
	}
	h.callers.Process = h.process
	if audiences != nil {
		h.base = at.base
	}
	graphs, err := folder.New(s.graphs, folder.Options{New: h.newGraph, Open: s.openGraphs, Log: p.log})
	if err != nil {
		return err
	}
	if p.env["GOMAXPROCS"] == "" { // see withTracedEngine
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + h.turns.AtOnce()))
	}
	if p.env["GOGC"] == "" { // what each open graph keeps counts twice, while what calls leave behind is collected so late
		defer debug.SetGCPercent(debug.SetGCPercent(50))
	}
	ctx, end := context.WithCancel(ctx)
	reach(ctx, callers.Provider) // once: the graphs share its keys
	graphs.Begin(ctx)
	defer func() {
		end()
		err = errors.Join(err, graphs.Close())
	}()
	p.tellGraphs(graphs, s, at, process)
	pages := at.base + "/graphs"
	if h.process.HasOperator() {
		pages += "?key=" + h.process.OperatorKey()
		fmt.Fprintf(p.stderr, "sign in as the operator of all graphs, once, within an hour:\n  %s\n", pages)
	}
	fmt.Fprintln(p.stderr, "stop with Ctrl-C")
	if s.open {
		p.openPages(pages)
	}
	return httpapi.NewGraphs(httpapi.GraphsOptions{
		Options: httpapi.Options{Auth: h.process, Log: p.log, Metrics: h.metrics.Handler(), Admission: h.admission, Path: s.path(), Stop: graphs.Stop},
		Graphs:  graphs, Page: admin.Graphs, Static: admin.Static(),
	}).Serve(ctx, ln)
}

// tellGraphs says on stderr what is served, and what is not.
func (p *program) tellGraphs(graphs *folder.Folder, s serving, at addresses, process auth.Options) {
	served, left := graphs.IDs(), graphs.LeftOut()
	fmt.Fprintf(p.stderr, "serving %d graphs of %s at %s\n", len(served), s.graphs, at.base)
	if at.local != at.base {
		fmt.Fprintf(p.stderr, "  the proxy hands requests on to %s\n", at.local)
	}
	const shown = 20
	for _, id := range served[:min(len(served), shown)] {
		fmt.Fprintf(p.stderr, "  %s\n", at.base+httpapi.GraphPrefix(id))
	}
	if more := len(served) - shown; more > 0 {
		fmt.Fprintf(p.stderr, "  and %d more; GET %s/graphs lists them\n", more, at.base)
	}
	for _, f := range left[:min(len(left), shown)] {
		fmt.Fprintf(p.stderr, "trails: warning: %s is not served: %s\n", line(f.File), line(f.Reason))
	}
	if more := len(left) - shown; more > 0 {
		fmt.Fprintf(p.stderr, "trails: warning: %d more files are not served; GET %s/graphs says why\n", more, at.base)
	}
	fmt.Fprintf(p.stderr, "  %-44s %s\n", at.base+"/graphs", "their list; files that come and go are served and dropped without a restart")
	fmt.Fprintf(p.stderr, "  %-44s %s\n", at.base+"/graphs/{id}/mcp", "agents; /admin, /invoke and all others beside it")
	p.tellScopes(process, true)
}

// hosted is one graph of the process.
type hosted struct {
	of       *hosting
	id, path string
	callers  auth.Options
	who      *auth.Resolver
	metrics  *telemetry.Metrics
	tokens   knownTokens
}

func (h *hosting) newGraph(id, path string) folder.Graph {
	g := &hosted{of: h, id: id, path: path, metrics: h.metrics.Graph(id)}
	callers := h.callers
	callers.Path += httpapi.GraphPrefix(id)
	callers.Issued, callers.Instance, callers.Refused = &g.tokens, h.port+"-"+id, g.tokens.refused
	if h.oauth {
		callers.Server = h.base + httpapi.GraphPrefix(id)
	}
	if callers.Provider != nil && len(h.audiencesGiven()) == 0 {
		callers.Provider = callers.Provider.For(auth.Audiences(h.base + httpapi.GraphPrefix(id))) // a token for one graph is for no other
	}
	g.callers, g.who = callers, auth.New(callers)
	return g
}

// Admits reports whether the graph knows the sender of a request.
func (g *hosted) Admits(r *http.Request) bool {
	_, known, err := g.who.Request(r, true)
	return known && err == nil
}

// Gone ends the metrics of the graph.
func (g *hosted) Gone() { g.metrics.Remove() }

// Check opens the file and reads its tokens. The log says if they read only, which opening the graph later does not repeat.
func (g *hosted) Check(ctx context.Context) error {
	return g.survive(func() error {
		return g.of.withGraph(ctx, g.path, func(graph *kg.Graph) error {
			readOnly, err := g.mayServe(ctx, graph)
			if readOnly {
				g.of.log.Warn("there are no policies: "+kg.ReadOnly, "graph", g.id)
			}
			return err
		})
	})
}

// survive turns a panic of work on one file into its error, so that the other graphs stay.
func (g *hosted) survive(work func() error) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			g.of.log.Error("panic", "graph", g.id, "panic", bug, "stack", string(debug.Stack()))
			err = fault.New(fault.Unusable, "trails has a fault that this file brings out; the log has it, please report it")
		}
	}()
	return work()
}

// mayServe reads the tokens of the graph, and refuses a graph that everybody could write who finds it. readOnly reports that
// callers by a token read alone, since the graph has no policies.
func (g *hosted) mayServe(ctx context.Context, graph *kg.Graph) (readOnly bool, err error) {
	if err := g.tokens.read(ctx, graph); err != nil {
		return false, err
	}
	has, err := g.tokens.HasTokens(ctx)
	if err != nil {
		return false, err
	}
	governed, err := hasPolicies(ctx, graph)
	if err != nil {
		return false, err
	}
	return !governed && (has || g.callers.Token != "" || g.callers.Provider != nil), mayServe(g.callers, has, governed)
}

// running is an open graph.
type running struct {
	*httpapi.Server
	agents *mcp.Server
	end    chan struct{} // closed to end it
	ended  chan error    // has one, when it has ended
}

// Busy reports whether there are MCP sessions.
func (r *running) Busy() bool {
	for _, open := range r.agents.Sessions() {
		if open > 0 {
			return true
		}
	}
	return false
}

// Stop ends sessions and streams.
func (r *running) Stop() {
	r.EndStreams()
	r.agents.Close()
}

// Close closes the file, and waits for that.
func (r *running) Close() error {
	close(r.end)
	return <-r.ended
}

// Open opens the graph.
func (g *hosted) Open(ctx context.Context) (folder.Opened, error) {
	out := &running{end: make(chan struct{}), ended: make(chan error, 1)}
	ready := make(chan struct{})
	one := *g.of.program // with the gateway of this graph
	one.memory, one.turns, one.path = &g.of.memory, g.of.turns, g.callers.Path
	go func() {
		observe := func(o invoke.Observation) {
			g.of.traces.Observe(o)
			g.metrics.Observe(o)
		}
		serve := func(e *invoke.Engine) error {
			if _, err := g.mayServe(ctx, e.Graph()); err != nil {
				return err
			}
			web, agents, removeMetrics, err := one.web(e, g.who, g.metrics, g.of.serving)
			if err != nil {
				return err
			}
			defer removeMetrics()
			defer agents.Close()
			defer one.makeVectors(ctx, e.Graph())()
			g.tokens.open(one.refused(e), e.Graph())
			defer func() { g.tokens.close(context.WithoutCancel(ctx), e.Graph()) }()
			web.Admission = g.of.admission
			out.Server, out.agents = httpapi.New(e, web), agents
			close(ready)
			<-out.end
			return nil
		}
		out.ended <- g.survive(func() error { return one.withEngine(ctx, g.path, observe, serve) })
	}()
	select {
	case <-ready:
		return out, nil
	case err := <-out.ended:
		return nil, err
	}
}

// knownTokens are the tokens of a graph: those of the file while it is open, and what it had last while it is closed.
type knownTokens struct {
	mu      sync.RWMutex
	graph   *kg.Graph // nil while it is closed
	tell    func(context.Context, auth.Refusal)
	kept    map[string]policy.Token
	problem error // why kept could not be read
}

// Token returns a token, see [auth.Issuer].
func (k *knownTokens) Token(ctx context.Context, name string) (t policy.Token, ok bool, err error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.graph != nil {
		return k.graph.Token(ctx, name)
	}
	t, ok = k.kept[name]
	return t, ok, k.problem
}

// HasTokens reports whether there is any, see [auth.Issuer].
func (k *knownTokens) HasTokens(ctx context.Context) (bool, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.graph != nil {
		return k.graph.HasTokens(ctx)
	}
	return len(k.kept) > 0, k.problem
}

// refused tells the graph of a refusal, if it is open; only then there is a request for it.
func (k *knownTokens) refused(ctx context.Context, r auth.Refusal) {
	k.mu.RLock()
	tell := k.tell
	k.mu.RUnlock()
	if tell != nil {
		tell(ctx, r)
	}
}

// read keeps the tokens that a graph has now.
func (k *knownTokens) read(ctx context.Context, graph *kg.Graph) error {
	var all []policy.Token
	err := graph.Session(policy.Principal{}).View(ctx, func(s *kg.Snapshot) (err error) {
		all, err = s.Tokens(ctx)
		return err
	})
	kept := make(map[string]policy.Token, len(all))
	for _, t := range all {
		kept[t.Name] = t
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept, k.problem = kept, err
	return err
}

func (k *knownTokens) open(tell func(context.Context, auth.Refusal), graph *kg.Graph) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.graph, k.tell = graph, tell
}

// close keeps what the graph has. If that cannot be read, nobody is known until it is opened again.
func (k *knownTokens) close(ctx context.Context, graph *kg.Graph) {
	_ = k.read(ctx, graph) // the problem is kept
	k.mu.Lock()
	defer k.mu.Unlock()
	k.graph, k.tell = nil, nil
}
