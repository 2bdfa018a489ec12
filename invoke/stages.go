package invoke

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"trails/capability"
	"trails/fault"
	"trails/jsontext"
	"trails/kg"
	"trails/policy"
)

// stages are what every call goes through, in this order. Policies and budgets
// will stand between scope and arguments.
var stages = []struct {
	name string
	run  func(*running, context.Context) error
}{
	{"snapshot", (*running).pin},       // first: descriptor and data must be of one moment
	{"capability", (*running).find},    // before scope: the scope is the descriptor's
	{"scope", (*running).allow},        // before arguments: a stranger learns nothing from them
	{"arguments", (*running).readArgs}, // before the handler, which trusts them
	{"rights", (*running).allowArgs},   // after arguments: some of them need a scope of their own
	{"branch", (*running).onBranch},    // before the handler: it works on that branch
	{"consent", (*running).consent},    // last before the handler: it asks about what would happen now
	{"handler", (*running).handle},     // validates and commits inside the graph's transaction
	{"result", (*running).encode},      // last: what goes out is one JSON object
}

// running is one call on its way through the stages.
type running struct {
	Call
	engine     *Engine
	snapshot   *kg.Snapshot
	catalog    *catalog
	capability *entry
	args       arguments
	agreedAt   *kg.CommitID  // the head at which a person agreed to the call
	reading    *kg.ReadyLoad // inputs that are read already; nil before
	activity   kg.Activity
	recorded   bool   // the activity went into a commit
	head       string // of the snapshot
	commit     string // that the call made
	value      any
	result     Result
}

// Call runs one call through every stage. Its error is always a *fault.Error; an
// Internal one carries trace_id in its details and its cause only goes to the log.
func (e *Engine) Call(ctx context.Context, c Call) (Result, error) {
	if c.TraceID == "" {
		c.TraceID = e.config.NewTraceID()
	}
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("{}")
	}
	r := &running{Call: c, engine: e, activity: kg.Activity{
		ID:         uuid.Must(uuid.NewV7()).String(),
		Capability: c.Capability,
		Agent:      c.Principal.Author(),
		Via:        c.Via,
		Started:    e.config.Now(),
		Inputs:     digest(c.Capability, c.Args),
		TraceID:    c.TraceID,
	}}
	err := r.run(ctx)
	r.release()
	r.closeLoad()
	r.record(ctx, err)
	r.observe(err)
	if err != nil {
		return Result{}, e.fail(err, c.TraceID, c.Capability)
	}
	return r.result, nil
}

// run goes through the stages; a panic in one becomes an error here, at the edge.
func (r *running) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	for _, stage := range stages {
		if err := stage.run(r, ctx); err != nil {
			return err
		}
	}
	return nil
}

// fail makes any error a fault that may be shown, and logs the cause of ours.
func (e *Engine) fail(err error, traceID, what string) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.TimedOut, "%s took too long and was stopped", what)
	case errors.Is(err, context.Canceled):
		return fault.New(fault.TimedOut, "%s was cancelled", what)
	}
	f := fault.Of(err)
	if f.Kind != fault.Internal {
		return f
	}
	if traceID == "" {
		traceID = e.config.NewTraceID()
	}
	e.config.Log.Error("call failed", "capability", what, "trace_id", traceID, "error", err)
	return fault.New(fault.Internal, "internal error").With("trace_id", traceID)
}

// digest identifies what was asked, without keeping it.
func digest(name string, args []byte) []byte {
	h := sha256.New()
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(args)
	return h.Sum(nil)
}

// session is the graph for the caller and, once it is known, for the capability's
// action alone.
func (r *running) session() *kg.Session {
	s := r.engine.graph.Session(r.Principal)
	if r.capability == nil {
		return s
	}
	return s.For(cmp.Or(r.capability.PolicyRequired.Action, policy.Read))
}

func (r *running) pin(ctx context.Context) (err error) {
	if bare := r.engine.bare[r.Capability]; bare != nil {
		r.capability = bare
		return nil
	}
	if r.snapshot, err = r.session().Snapshot(ctx); err != nil {
		return err
	}
	if id := headID(r.snapshot.Head()); id != nil {
		r.head = *id
	}
	return nil
}

// release gives the snapshot back; long writes do it before they begin.
func (r *running) release() {
	if r.snapshot != nil {
		r.snapshot.Close()
		r.snapshot = nil
	}
}

func (r *running) find(context.Context) (err error) {
	if r.capability == nil {
		if r.catalog, err = r.engine.catalogOf(r.snapshot); err != nil {
			return err
		}
		r.capability = r.catalog.lookup(r.Capability)
	}
	if r.capability == nil || !policy.Visible(r.engine.config.Env, r.capability.PolicyRequired.Scope) {
		return fault.New(fault.UnknownTool, "unknown tool: %s", r.Capability)
	}
	r.activity.Capability, r.activity.Version = r.capability.ID, r.capability.Version
	return nil
}

func (r *running) allow(context.Context) error {
	return policy.Allow(r.Principal, r.capability.PolicyRequired.Scope, capability.ToolName(r.capability.ID))
}

// allowArgs refuses arguments that the caller may not give.
func (r *running) allowArgs(context.Context) error {
	for _, f := range r.capability.InputShape.Fields {
		v, given := r.args.values[f.Name]
		if f.Scope == "" || !given || v == f.Default {
			continue
		}
		if err := r.mayGive(f); err != nil {
			return err
		}
	}
	return nil
}

// mayGive is what the caller is refused with who gives an argument that needs a scope.
func (r *running) mayGive(f capability.Field) error {
	return policy.Allow(r.Principal, f.Scope, capability.ToolName(r.capability.ID))
}

// onBranch finds the branch that the call names. There is one so far.
func (r *running) onBranch(context.Context) error {
	name, given := r.args.values["branch"].(string)
	if !given || name == mainBranch {
		return nil
	}
	return fault.New(fault.Missing, "no branch %q; there is %s", name, mainBranch).With("branch", name)
}

const mainBranch = "main"

func (r *running) handle(ctx context.Context) (err error) {
	r.value, err = r.capability.handle(ctx, r)
	return err
}

func (r *running) encode(context.Context) error {
	text, err := encodeJSON(r.value)
	r.result = Result{Structured: text, TraceID: r.TraceID, Head: r.head}
	return err
}

// encodeJSON writes v without HTML escapes and without a final newline.
func encodeJSON(v any) ([]byte, error) {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return text, nil
}

// outcomes name in provenance how a call ended; what is not listed failed.
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

func (r *running) finish(err error) {
	r.activity.Ended = r.engine.config.Now()
	r.activity.CostMicros = r.activity.Ended.Sub(r.activity.Started).Microseconds()
	r.activity.DryRun = r.args.flag("dry_run") || r.args.flag("plan")
	r.activity.Outcome = "ok"
	if err == nil {
		return
	}
	r.activity.Outcome = "failed"
	if name, ok := outcomes[fault.Of(err).Kind]; ok {
		r.activity.Outcome = name
	}
	r.activity.Error = fault.Of(err).Kind.String()
}

// maxMessage is how many characters the message of a commit may have.
const maxMessage = 10_000

// changeSet returns the part of a change that every write takes from its arguments.
func (r *running) changeSet(ctx context.Context) (kg.ChangeSet, error) {
	c := kg.ChangeSet{Message: r.args.text("message"), DryRun: r.args.flag("dry_run")}
	if _, given := r.args.values["if_commit"]; given {
		id := r.args.text("if_commit")
		if id == "" {
			return c, wrongArguments("if_commit", fault.MinLength, id, "if_commit names a commit; leave it out to write on any")
		}
		commit, err := r.commitID(ctx, id)
		if err != nil {
			return c, wrongArguments("if_commit", fault.Pattern, id, "if_commit: "+err.Error())
		}
		c.IfCommit = &commit
	}
	if utf8.RuneCountInString(c.Message) > maxMessage {
		return c, wrongArguments("message", fault.MaxLength, nil, fmt.Sprintf("message has at most %d characters", maxMessage))
	}
	if r.agreedAt != nil {
		c.IfCommit = r.agreedAt
	}
	if r.IdempotencyKey != "" {
		if len(r.IdempotencyKey) > 255 {
			return c, wrongArguments("idempotency_key", fault.MaxLength, nil, "an idempotency key has at most 255 bytes")
		}
		asked, err := r.identity()
		if err != nil {
			return c, err
		}
		c.Key = kg.IdempotencyKey{Key: r.IdempotencyKey, Digest: asked}
	}
	r.finish(nil)
	c.Activity = r.activity
	return c, nil
}

// commitID reads a commit's id, or looks up its first digits.
func (r *running) commitID(ctx context.Context, text string) (kg.CommitID, error) {
	if id, err := kg.ParseCommitID(text); err == nil {
		return id, nil
	}
	c, err := r.snapshot.FindCommit(ctx, text)
	return c.ID, err
}

// committed notes that the activity is in the commit, and says what the write did.
func (r *running) committed(res kg.Result, dryRun bool) written {
	r.recorded = res.Changed && !dryRun && !res.Replayed
	w := written{Added: res.AddedCount, Removed: res.RemovedCount, DryRun: dryRun, Branch: mainBranch, Replayed: res.Replayed}
	if res.Changed && !dryRun {
		w.Commit = headID(res.After)
		r.commit = *w.Commit
	}
	return w
}

// written is what every write answers.
type written struct {
	Commit   *string `json:"commit"`
	Branch   string  `json:"branch"`
	Added    int64   `json:"added"`
	Removed  int64   `json:"removed"`
	DryRun   bool    `json:"dry_run"`
	Replayed bool    `json:"replayed,omitempty"`
}

// commitView is a commit as every door shows it.
type commitView struct {
	ID            string `json:"id"`
	Parent        string `json:"parent,omitempty"`
	Author        string `json:"author"`
	Time          string `json:"time"`
	Message       string `json:"message"`
	SchemaVersion int64  `json:"schema_version"`
	Added         int64  `json:"added"`
	Removed       int64  `json:"removed"`
}

func commitJSON(c kg.Commit) *commitView {
	if c.ID == (kg.CommitID{}) {
		return nil
	}
	v := &commitView{
		ID: c.ID.String(), Author: c.Author, Time: c.Time.UTC().Format(time.RFC3339Nano), Message: c.Message,
		SchemaVersion: c.SchemaVersion, Added: c.Added, Removed: c.Removed,
	}
	if c.Parent != (kg.CommitID{}) {
		v.Parent = c.Parent.String()
	}
	return v
}
