package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/project"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/text/jsontext"
	"trails/text/quote"
)

// executes is what calls of tools of servers need.
var executes = capability.Requirement{Action: policy.Change, Upstream: true}

// executeTool is tool_execute. Its answer is that of a capability of the file, one of the two forms of resultFields,
// or a [gateway.DryRun]. If arguments may be repaired they may also be JSON text.
func (t *Tools) executeTool(tolerant bool) invoke.Capability {
	args := capability.Field{Name: "args", Type: capability.Object, Required: true}
	if tolerant {
		args.Type = capability.Any
	}
	return invoke.Capability{
		Descriptor: capability.Descriptor{
			ID: "tool_execute", Description: "Call a tool by the id of its card. Wrong args are answered with what is right; a large result is kept, and tool_view reads it. dry_run checks and calls nothing.",
			InputShape:  capability.Shape{Fields: []capability.Field{named("tool_id"), args, {Name: "dry_run", Type: capability.Boolean}}},
			SideEffects: capability.Destroys, CostEstimate: capability.CostGraph, PolicyRequired: executes,
		},
		Forward: t.forward,
	}
}

// forward returns the capability of the file for a call, or makes one for the tool of a server.
func (t *Tools) forward(ctx context.Context, r *invoke.Request) (*invoke.Capability, invoke.Arguments, error) {
	id := r.Args.Text("tool_id")
	own, err := r.Tools(ctx)
	if err != nil {
		return nil, nil, err
	}
	// Capabilities of the file are found without contacting a server, also by their own names.
	if meant, exactly := ownNamed(own, id); meant != nil {
		if !exactly {
			warnOfOwn(r, id, *meant)
		}
		return t.forwardOwn(ctx, r, *meant)
	}
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	d, err := t.directoryFor(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	entry, selected, err := d.resolve(s, gateway.Tool, id)
	if err != nil {
		return nil, nil, gateway.AsFault(err)
	}
	if own, is := d.own[entry.Item.ID]; is {
		warnOfOwn(r, id, own)
		if err := r.Latest(ctx); err != nil { // the snapshot was released while servers were contacted
			return nil, nil, err
		}
		return t.forwardOwn(ctx, r, own)
	}
	return &invoke.Capability{
		Descriptor: descriptorOf(entry, r.Capability.Descriptor),
		Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
			return (&execution{r: r, tools: t, session: s, directory: d, entry: entry, selected: selected, args: r.Args["args"]}).run(ctx)
		},
	}, r.Args, nil
}

// ownNamed returns the capability of the file that an id matches: its name or id, also without its hash, exactly or
// except for surrounding white space and case. It is nil for none or several.
func ownNamed(own []*capability.Descriptor, id string) (meant *capability.Descriptor, exactly bool) {
	bare := strings.TrimSpace(id)
	_, name, cut := strings.Cut(strings.ToLower(bare), gateway.OwnNamespace+":")
	name, _, _ = strings.Cut(name, "#")
	several := false
	for _, d := range own {
		if slices.Contains(names, d.ID) {
			continue
		}
		texts := []string{d.ID, capability.ToolName(d.ID)}
		if cut && strings.HasSuffix(d.ID, name) {
			whole := itemOf(*d).ID
			short, _, _ := strings.Cut(whole, "#")
			texts = append(texts, whole, short)
		}
		if slices.Contains(texts, id) {
			return d, true
		}
		if slices.ContainsFunc(texts, func(text string) bool { return strings.EqualFold(text, bare) }) {
			several = several || meant != nil
			meant = d
		}
	}
	if several {
		return nil, false
	}
	return meant, false
}

// warnOfOwn warns which capability was called if the id was not exact.
func warnOfOwn(r *invoke.Request, id string, d capability.Descriptor) {
	r.Warn("%s is no id; %s was called", quote.Text(id, 120), capability.ToolName(d.ID))
}

// forwardOwn forwards to a capability of the file, whose answer is unchanged.
func (t *Tools) forwardOwn(ctx context.Context, r *invoke.Request, d capability.Descriptor) (*invoke.Capability, invoke.Arguments, error) {
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	c, err := r.Named(d.ID)
	if err != nil {
		return nil, nil, err
	}
	args := maps.Clone(invoke.Arguments(r.Args.Object("args")))
	if args == nil {
		args = invoke.Arguments{}
	}
	if r.Args.Flag("dry_run") {
		if _, takes := d.InputShape.Field("dry_run"); !takes && d.SideEffects != capability.None {
			return nil, nil, gateway.AsFault(gateway.Fail(gateway.ArgsInvalid, d.ID, "%s has no dry run", d.ID))
		} else if takes {
			args["dry_run"] = true
		}
	}
	return s.counted(c, itemOf(d).ID), args, nil
}

// descriptorOf describes the tool of a server for policy, budget and provenance. Read-only is a claim of its server.
func descriptorOf(entry gateway.Entry, execute capability.Descriptor) capability.Descriptor {
	d := capability.Descriptor{
		ID: entry.Item.ID, Description: entry.Item.Description, InputShape: execute.InputShape, OutputShape: execute.OutputShape,
		SideEffects: execute.SideEffects, CostEstimate: execute.CostEstimate, PolicyRequired: execute.PolicyRequired, Assurance: capability.AssuranceNone,
	}
	if id, err := gateway.ParseID(d.ID); err == nil {
		d.Version = id.Version + id.Hash
	}
	if !entry.Item.SideEffects {
		d.SideEffects, d.PolicyRequired.Action = capability.None, policy.Read
	}
	return d
}

// execution is one call of a server's tool.
type execution struct {
	r         *invoke.Request
	tools     *Tools
	session   *session
	directory directory
	entry     gateway.Entry
	server    gateway.Server
	schema    *gateway.Schema
	selected  *gateway.Selection // how the id was corrected, nil if it was exact
	args      any
	repairs   []gateway.Repair
	key       string // cache key of the answer, "" for none
	answer    upstream.Answer
	differs   string // how the answer violates the output schema, "" if it does not
	outcome   outcome
	kept      []artifact.Artifact
	done      bool // no further steps are needed
}

// outcome is the answer of a call.
type outcome struct {
	value  any
	text   string
	shown  []invoke.Content // images for clients that can show them
	failed bool
}

// steps are the steps of every call of a server's tool, in order. Permission has been checked before, as for every
// capability.
var steps = []func(*execution, context.Context) error{
	(*execution).hydrate,  // first, because it has the schema
	(*execution).repair,   // before validate, because it corrects arguments
	(*execution).validate, // before quota, because invalid calls are not counted
	(*execution).spend,    // before anything is sent to the server
	(*execution).rehearse, // after everything that may refuse the call
	(*execution).recall,   // after quota, because cached answers count, too
	(*execution).dispatch, // calls the server, with retries
	(*execution).compare,  // before firewall, which writes the warning
	(*execution).wrap,     // before anything of the answer is stored or shown
	(*execution).store,    // last: if storing artifacts fails, there is no answer
}

func (e *execution) run(ctx context.Context) (any, error) {
	e.r.Release()
	for _, step := range steps {
		if err := step(e, ctx); err != nil {
			return nil, gateway.AsFault(err)
		}
		if e.done {
			break
		}
	}
	if len(e.repairs) > 0 { // of this call, not of the cached one
		e.outcome.value = withProvenance(e.outcome.value, "arg_repairs", e.repairs)
	}
	if e.selected != nil {
		e.outcome.value = withProvenance(e.outcome.value, "selection", e.selected)
	}
	e.r.Parts.Text, e.r.Parts.Content, e.r.Parts.Failed = e.outcome.text, e.outcome.shown, e.outcome.failed
	return e.outcome.value, nil
}

func (e *execution) hydrate(context.Context) (err error) {
	e.server = e.directory.servers[e.entry.Server]
	e.schema, err = e.directory.Schema(gateway.Tool, e.entry.Item.ID)
	return err
}

func (e *execution) repair(context.Context) error {
	if e.session.settings.TolerantArgs {
		e.args, e.repairs = e.schema.Tolerate(e.args)
	}
	return nil
}

func (e *execution) validate(context.Context) error { return e.schema.Check(e.args) }

func (e *execution) spend(context.Context) error {
	if e.r.Args.Flag("dry_run") {
		return nil // dry runs are not counted
	}
	return e.session.meter.Spend(time.Now(), "tool_execute", e.entry.Item.ID)
}

func (e *execution) rehearse(context.Context) error {
	if !e.r.Args.Flag("dry_run") {
		return nil
	}
	hints := map[string]any{"readOnlyHint": e.entry.Offered.Annotations.ReadOnly, "destructiveHint": e.entry.Offered.Annotations.Destructive}
	e.outcome.value = gateway.NewDryRun(e.entry.Item, hints, e.session.meter.Look(time.Now(), "tool_execute", e.entry.Item.ID))
	e.done = true
	return nil
}

func (e *execution) recall(context.Context) error {
	cache := e.session.answers(e.directory.key)
	e.key = cache.Key(e.entry.Item, e.args)
	if e.key == "" {
		return nil
	}
	if e.outcome, e.done = cache.Get(time.Now(), e.key); e.done {
		e.outcome.value = withProvenance(e.outcome.value, "cache_hit", true)
	}
	return nil
}

func (e *execution) dispatch(ctx context.Context) error {
	args, err := jsontext.Marshal(e.args)
	if err != nil {
		return gateway.Fail(gateway.ArgsInvalid, e.entry.Item.ID, "the arguments are no JSON")
	}
	with := hooks(e.r, e.server.Name)
	with.Reads = e.entry.Offered.Annotations.ReadOnly
	for attempt := 1; ; attempt++ {
		e.answer, err = e.tools.pool.Call(ctx, e.server, e.entry.Offered.Name, args, with)
		if err == nil {
			e.r.TakesFrom(e.server.Name)
			return nil
		}
		retry := e.session.settings.Retrying()
		pause, again := retry.Again(attempt, codeOf(err), rand.Float64())
		if after := gateway.RetryAfter(err); after > pause {
			pause = after // the server knows best
			again = again && pause <= cmp.Or(retry.MaxDelay, longestPause)
		}
		if !again {
			return err
		}
		e.r.Tried(gateway.AsFault(err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// longestPause is the maximum delay requested by a server, if the settings have none. A longer one is an error for
// the caller.
const longestPause = 30 * time.Second

// compare checks the answer against the tool's output schema. A violation adds a warning, because the tool has
// already run, and the answer is not cached.
func (e *execution) compare(context.Context) error {
	if e.answer.IsError {
		return nil // an error need not match
	}
	schema, err := e.directory.Output(e.entry.Item.ID)
	if err != nil {
		e.differs = fmt.Sprintf("%s, and nothing that it answers is held against it", err)
	} else if wrong := gateway.OutputProblem(schema, e.answer.Structured); wrong != "" {
		e.differs = fmt.Sprintf("the answer of %s does not fit the output schema that its server gives: %s", e.entry.Item.ID, wrong)
	}
	if e.differs != "" {
		e.r.Warn("%s", e.differs)
	}
	return nil
}

func (e *execution) wrap(context.Context) error {
	source := artifact.Source{ToolID: e.entry.Item.ID, Tool: e.entry.Offered.Name, Failed: e.answer.IsError}
	e.outcome, e.kept = wrapped(e.r, e.session, e.directory, e.server.Name, source, e.answer.Parts, e.answer.Structured)
	return nil
}

func (e *execution) store(ctx context.Context) error {
	if err := keep(ctx, e.r, e.server, e.entry.Item.ID, e.kept); err != nil {
		return err
	}
	if !e.outcome.failed && e.differs == "" {
		e.session.answers(e.directory.key).Put(time.Now(), e.key, e.outcome)
	}
	return nil
}

// hydrateTool is tool_hydrate: the schema of a tool, for lists without schemas.
func (t *Tools) hydrateTool() invoke.Capability {
	return invoke.Define(reads("tool_hydrate", "Show what arguments a tool takes, by the id that the list has as its name. tool_execute calls it."), t.showSchema)
}

// hydrating names a tool.
type hydrating struct {
	ID string `json:"tool_id" is:"brief" max:"4000"`
	capability.NoView
}

func (t *Tools) showSchema(ctx context.Context, r *invoke.Request, in hydrating) (*hydration, error) {
	s, err := t.sessionOf(ctx, r)
	if err != nil {
		return nil, err
	}
	d, err := t.directoryFor(ctx, r)
	if err != nil {
		return nil, err
	}
	entry, selected, err := d.resolve(s, gateway.Tool, in.ID)
	if err != nil {
		return nil, gateway.AsFault(err)
	}
	if selected != nil {
		r.Warn("%s is no id; this is %s", quote.Text(in.ID, 120), entry.Item.ID)
	}
	id := entry.Item.ID
	s.hydrated(d.key, id)
	if own, is := d.own[id]; is {
		return &hydration{id, own.ID, own.Description, project.Lower(own.InputShape), nil}, nil
	}
	o := entry.Offered
	if len(o.InputSchema) == 0 {
		o.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	return &hydration{id, o.Name, o.Description, o.InputSchema, o.Output}, nil
}

// hydration is a tool with its schemas.
type hydration struct {
	ID          string          `json:"tool_id"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema" type:"object"`
	Output      json.RawMessage `json:"outputSchema,omitempty" type:"object"`
}
