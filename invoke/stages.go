package invoke

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/gateway/servers"
	"trails/kg"
	"trails/text/jsontext"
)

// stages are the stages of every call, in order.
var stages = []struct {
	name string
	run  func(*Request, context.Context) error
}{
	{"decode", (*Request).decode},       // first: the arguments name the view
	{"view", (*Request).look},           // before pin, which pins it
	{"pin", (*Request).pin},             // before find, so that descriptor and data belong to the same commit
	{"find", (*Request).find},           // before scope: the scope is the descriptor's
	{"scope", (*Request).allow},         // before arguments, whose errors callers without permission must not see
	{"policy", (*Request).permit},       // after scope, which is cheap
	{"budget", (*Request).spend},        // before everything that takes time
	{"arguments", (*Request).checkArgs}, // before the handler, which trusts them
	{"past", (*Request).goBack},         // after arguments, which say how far, and find: what can be called is of now
	{"consent", (*Request).consent},     // after arguments, because it asks about the current state
	{"handler", (*Request).handle},      // validates and commits inside the graph's transaction
	{"result", (*Request).encode},       // last: the result becomes one JSON object
}

// Call runs one call through all stages. Its error is always a *fault.Error; an Internal one has trace_id in its
// details, and its cause is only logged.
func (e *Engine) Call(ctx context.Context, c Call) (Result, error) {
	if c.TraceID == "" {
		c.TraceID = e.config.NewTraceID()
	}
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("{}")
	}
	clean := e.config.Secrets.Text
	c.Capability, c.Principal.Client, c.Principal.Version = clean(c.Capability), clean(c.Principal.Client), clean(c.Principal.Version)
	c.Principal = c.Principal.Through(c.Via)
	r := &Request{
		Principal: c.Principal, Format: c.Format, Inputs: c.Inputs, Output: c.Output, Progress: c.Progress, Ask: c.Ask, Elicit: c.Elicit,
		call: c, engine: e,
		activity: kg.Activity{
			ID:         uuid.Must(uuid.NewV7()).String(),
			Capability: c.Capability,
			Agent:      c.Principal.Author(),
			Via:        c.Via,
			Started:    e.config.Now(),
			Inputs:     digest(c.Capability, c.Args),
			TraceID:    c.TraceID,
			Used:       using(c.Principal),
		},
	}
	err := ended(ctx, r.run(ctx), c.Capability)
	r.Release()
	r.place.Leave()
	r.settle()
	for _, f := range r.atEnd {
		f()
	}
	r.record(ctx, err)
	r.observe(err)
	if err != nil {
		return Result{}, e.fail(err, c.TraceID, c.Capability)
	}
	return r.result, nil
}

// using is what a call uses before it does anything: the client in its version.
func using(p policy.Principal) []string {
	if client := p.ClientIRI(); client != "" {
		return []string{client}
	}
	return nil
}

// Door is the transport of the call, see [Call.Via]; "" for the command line and for Go programs.
func (r *Request) Door() string {
	switch r.call.Via {
	case "cli", "go", policy.Terminal:
		return ""
	}
	return r.call.Via
}

// Address is where callers find a path of the server, such as "/admin".
func (r *Request) Address(path string) string { return r.engine.config.Path + path }

// run runs the stages, and converts a panic to an error.
func (r *Request) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx = r.engine.graph.AsOne(ctx) // also for the calls that this one makes
	if ctx, err = r.enter(ctx); err != nil {
		return err
	}
	for _, stage := range stages {
		if err := stage.run(r, ctx); err != nil {
			return err
		}
	}
	return nil
}

// Stopped is why the context of a call ends that is still in flight when its server has been told to stop and has waited.
func Stopped() error {
	return fault.New(fault.TimedOut, "the server was stopped before this call had an answer; ask again once it is back")
}

// ended converts the error of a call that its context has ended to a fault: the context's own one, such as the limit that the
// door sets, or one that says so.
func ended(ctx context.Context, err error, what string) error {
	switch why := context.Cause(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.TimedOut, "%s took too long and was stopped", what)
	case errors.Is(err, context.Canceled) && fault.Is(why, fault.TimedOut):
		return why
	case errors.Is(err, context.Canceled):
		return fault.New(fault.TimedOut, "%s was cancelled", what)
	}
	return err
}

// fail converts any error to a fault that may be shown, and logs what is hidden from callers.
func (e *Engine) fail(err error, traceID, what string) error {
	f := fault.Of(ended(context.Background(), err, what))
	if f.Kind != fault.Internal {
		if f.Whole() != f.Message {
			e.config.Log.Warn("call refused", "capability", what, "trace_id", traceID, "error", fault.Whole(err))
		}
		return e.hidden(f)
	}
	if traceID == "" {
		traceID = e.config.NewTraceID()
	}
	e.config.Log.Error("call failed", "capability", what, "trace_id", traceID, "error", fault.Whole(err))
	return fault.New(fault.Internal, "internal error").With("trace_id", traceID)
}

// Explain returns the text of an error that does not end the call, with as much as the error of a call would show.
// The log has everything; the command line shows everything.
func (r *Request) Explain(err error) string {
	f := fault.Of(r.engine.fail(err, r.call.TraceID, r.call.Capability))
	if r.Door() == "" {
		return fault.Whole(err)
	}
	return f.Message
}

// digest identifies a request without storing it.
func digest(name string, args []byte) []byte {
	h := sha256.New()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(args)
	return h.Sum(nil)
}

func (r *Request) pin(ctx context.Context) (err error) {
	if bare := r.engine.catalogs.bareNamed(r.call.Capability); bare != nil {
		r.Capability = bare
		return nil
	}
	r.Snapshot, err = r.Session().Snapshot(ctx)
	if r.Ref.Branch != "" && fault.Is(err, fault.Missing) {
		r.badRef, r.Ref.Branch = err, "" // told by the stage arguments, after the caller's permission has been checked
		r.Snapshot, err = r.Session().Snapshot(ctx)
	}
	if err != nil {
		return err
	}
	if head := r.Snapshot.Head(); head.ID != (kg.CommitID{}) {
		r.Head = head.ID.String()
	}
	if r.authority = r.Snapshot.Authority(); r.authority != nil {
		if r.on, err = r.Snapshot.BranchNamed(ctx, r.Ref.Name()); err != nil {
			return err
		}
		r.on.Name = r.Ref.Name()
		if r.badRef != nil && r.authority.Decides(policy.Read, cedar.BranchKind, r.Args.Text("branch"), kg.Branch{}).Allowed {
			r.on = kg.Branch{Name: r.Args.Text("branch")} // which the call may make; one that is hidden is only not there
		}
	}
	if r.at != "" {
		return r.toCommit(ctx)
	}
	return nil
}

// goBack pins the commit that the argument at of a read names, in the place of the newest one. What a stored query was
// given as texts may name a branch that the stage view has not seen.
func (r *Request) goBack(ctx context.Context) error {
	if err := r.ToBranch(ctx, r.Args.Text("branch")); err != nil {
		return err
	}
	at, _ := r.Args["at"].(string)
	if _, reads := r.Capability.InputShape.Field("at"); !reads || at == "" || r.Snapshot == nil {
		return nil
	}
	return r.readAt(ctx, at)
}

// readAt pins the commit that a text names, in turn with other work that may take long. The snapshot outlives the turn.
func (r *Request) readAt(ctx context.Context, at string) error {
	r.at = at
	_, err := r.InTurn(ctx, func(context.Context) (any, error) { return nil, r.toCommit(ctx) })
	return err
}

// toCommit replaces the snapshot by one of the commit that is read, which is the same one from then on.
func (r *Request) toCommit(ctx context.Context) error {
	find := r.Snapshot.FindState
	if r.Ref.Branch != "" || r.Args.Has("branch") {
		find = r.Snapshot.FindCommit // of this branch
	}
	c, err := find(ctx, r.at)
	if err != nil {
		return err
	}
	r.at = c.ID.String()
	if c.ID == r.Snapshot.Head().ID {
		return nil
	}
	now := r.Snapshot
	r.Snapshot = nil
	then, err := now.At(ctx, c)
	if err == nil {
		r.Snapshot, r.Head = then, r.at
	}
	return err
}

func (r *Request) find(ctx context.Context) (err error) {
	if r.Capability == nil {
		if r.catalog, err = r.engine.catalogs.of(ctx, r.Snapshot); err != nil {
			return err
		}
		if r.Capability, err = r.Named(r.call.Capability); err != nil {
			return r.unknown(ctx, r.call.Capability)
		}
	}
	for {
		r.activity.Capability, r.activity.Version = r.Capability.ID, r.Capability.Version
		r.Principal = r.Principal.Calling(r.Capability.ID)
		args, guessed := r.Capability.InputShape.Lenient(r.Args)
		r.Args, r.Parts.Warnings = args, append(r.Parts.Warnings, guessed...)
		if r.Capability.Forward == nil || r.badText != nil {
			return nil
		}
		if err := cmp.Or(r.allow(ctx), r.hide(ctx)); err != nil {
			return err
		}
		next, args, err := r.forward(ctx)
		if err != nil {
			return cmp.Or(r.permit(ctx), err) // callers without permission must not see what is wrong with the arguments
		}
		if next == nil {
			return nil
		}
		r.Capability, r.Args = next, args
	}
}

// forward returns the capability that handles the call in the place of this one, nil if it is this one, and its arguments.
func (r *Request) forward(ctx context.Context) (*Capability, Arguments, error) {
	if err := r.fitsShape(); err != nil {
		return nil, nil, err
	}
	return r.Capability.Forward(ctx, r)
}

// Named returns a capability by its id or tool name. One that does not exist, or is hidden by the process, is
// fault.UnknownTool.
func (r *Request) Named(name string) (*Capability, error) {
	if c := r.catalog.lookup(name); c != nil && policy.Visible(r.engine.config.Env, c.PolicyRequired.Scope) {
		return c, nil
	}
	return nil, unknown(name)
}

// unknown is [unknown] with the most similar name that the caller may see, or the tool through which the tools of
// servers are called: lists and answers name these by ids with a colon.
func (r *Request) unknown(ctx context.Context, name string) error {
	list, err := r.engine.list(ctx, r.catalog, r.authority, r.Principal, func(c *Capability) bool { return !c.Streams })
	if err != nil {
		return err
	}
	names, through := make([]string, len(list)), ""
	for i, c := range list {
		if names[i] = capability.ToolName(c.ID); strings.Contains(name, ".") {
			names[i] = c.ID
		}
		if c.Forward != nil && c.PolicyRequired.Upstream {
			through = capability.ToolName(c.ID)
		}
	}
	switch {
	case through != "" && strings.Contains(name, ":"):
		return fault.New(fault.UnknownTool, "%v; what has an id with a colon is called through %s", unknown(name), through)
	case through != "" && r.Snapshot != nil && len(servers.Of(r.Snapshot)) > 0: // nil: the name is of a tool that exists
		return fault.New(fault.UnknownTool, "%v; tools of servers are called through %s%s", unknown(name), through, fault.DidYouMean(name, names))
	}
	return fault.New(fault.UnknownTool, "%v%s", unknown(name), fault.DidYouMean(name, names))
}

// unknown is the fault for capabilities that do not exist or that the caller may not see.
func unknown(name string) error { return fault.New(fault.UnknownTool, "unknown tool: %s", name) }

func (r *Request) allow(context.Context) error {
	return policy.Allow(r.Principal, r.Capability.PolicyRequired.Scope, capability.ToolName(r.Capability.ID))
}

// hide refuses a capability that the caller may nowhere call as one that does not exist. Only the log says that policies hide
// it, since callers may read what is recorded.
func (r *Request) hide(ctx context.Context) error {
	if r.Capability.listedBy(r.authority) {
		return nil
	}
	r.engine.config.Log.Info("policies hide what was called", "capability", r.Capability.ID, "caller", r.Principal.ID, "trace_id", r.call.TraceID)
	return r.unknown(ctx, r.call.Capability)
}

// asked is what policies are asked about. One through which tools of servers are called needs no more than to read: what is
// called is asked about by itself.
func (c *Capability) asked() capability.Descriptor {
	d := c.Descriptor
	if c.Forward != nil && d.PolicyRequired.Upstream {
		d.PolicyRequired.Action = policy.Read
	}
	return d
}

// listedBy reports whether policies let a caller call it anywhere.
func (c *Capability) listedBy(a *kg.Authority) bool { return a.Lists(c.asked()) }

// permit asks the policies of the graph, and records which of them permit the call, and which could not be evaluated.
func (r *Request) permit(ctx context.Context) error {
	if err := r.hide(ctx); err != nil {
		return err
	}
	used, err := r.authority.MayCall(r.Capability.asked(), r.on)
	r.activity.Used = append(r.activity.Used, used...)
	return err
}

// look resolves the branch that the arguments name.
func (r *Request) look(context.Context) error {
	r.Ref.Branch = refOf(r.Args.Text("branch"))
	return nil
}

// refOf is the branch of a Ref with this name.
func refOf(name string) string {
	if name == kg.Main {
		return ""
	}
	return name
}

// ToBranch pins the head of a branch, "" for the one that is pinned.
func (r *Request) ToBranch(ctx context.Context, name string) error {
	if name == "" || r.Snapshot == nil || refOf(name) == r.Ref.Branch {
		return nil
	}
	r.Release()
	r.Ref.Branch = refOf(name)
	if err := r.pin(ctx); err != nil {
		return err
	}
	return r.badRef
}

func (r *Request) handle(ctx context.Context) (err error) {
	warnings, used := slices.Clone(r.Parts.Warnings), slices.Clone(r.activity.Used) // of the stages before
	r.value, err = r.Capability.Handle(ctx, r)
	var mass *kg.MassChange
	switch {
	case r.asked != nil:
		return r.keep(ctx, err)
	case !errors.As(err, &mass):
		return r.orAsk(err)
	}
	asked, refused := r.agreeMass(ctx, mass)
	switch {
	case refused != nil:
		return refused
	case !asked:
		return r.orAsk(err)
	}
	r.activity.Used, r.Parts = used, Parts{Warnings: warnings} // drops the parts of the first try
	r.value, err = r.Capability.Handle(ctx, r)
	return err
}

func (r *Request) encode(ctx context.Context) error {
	if r.catalog != nil {
		if now, old := r.catalog.registry.Replaced(r.call.Capability); old {
			r.Warn("%s is replaced by %s; call that", r.call.Capability, now.ID)
		}
	}
	var text []byte
	if r.Room() < math.MaxInt || !put(r.call.Into, r.value) {
		var err error
		if text, err = jsontext.Marshal(r.value); err != nil {
			return err
		}
		room := r.Room()
		if max(utf8.RuneCount(text), utf8.RuneCountInString(r.Parts.Text)) > room {
			r.Parts.Text = "" // a text of the handler's own says all; the outline is of what is left
		}
		if text, err = r.Shorten(text, room, r.wayToAll); err != nil {
			return err
		}
	}
	r.Parts.Content = append(r.Parts.Content, r.links(ctx)...)
	r.result = Result{Parts: r.Parts, Written: r.written, TraceID: r.call.TraceID, Head: r.Head, bare: text, document: r.Document}
	if text != nil {
		r.result.Structured = r.Parts.noted(text)
	}
	return nil
}

// put stores a value, or what it points to, in the variable that into points to, if the types fit.
func put(into, value any) bool {
	to, from := reflect.Indirect(reflect.ValueOf(into)), reflect.Indirect(reflect.ValueOf(value))
	if !to.CanSet() || !from.IsValid() || from.Type() != to.Type() {
		return false
	}
	to.Set(from)
	return true
}

// outcomes maps faults to outcomes in provenance; others are failed.
var outcomes = map[fault.Kind]string{
	fault.InvalidData:      "invalid",
	fault.InvalidArguments: "invalid",
	fault.Malformed:        "invalid",
	fault.TooLarge:         "invalid",
	fault.UnknownTool:      "denied",
	fault.Unauthenticated:  "denied",
	fault.ScopeDenied:      "denied",
	fault.Denied:           "denied",
	fault.Exhausted:        "denied",
	fault.Busy:             "denied",
}

// Tried records a failed attempt that will be repeated, as an activity with the trace of the call.
func (r *Request) Tried(err error) {
	tried := *r
	tried.activity.ID = uuid.Must(uuid.NewV7()).String()
	tried.finish(err)
	r.engine.prov.add(tried.activity)
}

func (r *Request) finish(err error) {
	r.activity.Ended = r.engine.config.Now()
	r.activity.CostMicros = r.activity.Ended.Sub(r.activity.Started).Microseconds()
	r.activity.DryRun = r.Args.Flag("dry_run") || r.Args.Flag("plan")
	r.activity.Outcome = "ok"
	if err == nil && r.Parts.Failed {
		r.activity.Outcome, r.activity.Error = "failed", fault.Unusable.String()
	}
	if err == nil {
		return
	}
	f := fault.Of(err)
	r.activity.Outcome, r.activity.Error = cmp.Or(outcomes[f.Kind], "failed"), f.Kind.String()
	if by := refusalOf(f).IRI(); by != "" {
		r.activity.Used = append(slices.Clone(r.activity.Used), by)
	}
}
