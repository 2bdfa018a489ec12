package invoke

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke/budget"
	"trails/invoke/schedule"
	"trails/kg"
)

// Ref names the state of the graph that a call is about. The zero Ref is the head of main.
type Ref struct {
	// Branch is a line of history; "" is main.
	Branch string
}

// Name is the name of its branch.
func (v Ref) Name() string { return cmp.Or(v.Branch, kg.Main) }

// Request is a call as its handler sees it. It must be used by one goroutine at a time.
type Request struct {
	// Principal is who asks.
	Principal policy.Principal
	// Ref is the state of the graph that the call is about.
	Ref Ref
	// Capability is the called capability.
	Capability *Capability
	// Args are the arguments, which fit the shape of the capability.
	Args Arguments
	// Snapshot is a snapshot in this view; nil for a Bare capability, and after Release. It ends with the call.
	Snapshot *kg.Snapshot
	// Head is the id of the commit that Snapshot is at; "" before the first one.
	Head string
	// Format, Inputs, Output, Progress, Ask and Elicit are those of the [Call]. The last three may be nil.
	Format   string
	Inputs   []Input
	Output   io.Writer
	Progress func(Progress)
	Ask      func(context.Context, Question) (bool, error)
	Elicit   Elicit
	// Parts go into the result as the handler leaves them.
	Parts Parts
	// Document is what a read of an address answers.
	Document Document
	// Prepared is what Loses has read, for the handler.
	Prepared any

	call     Call
	engine   *Engine
	catalog  *catalog
	agreedAt *kg.CommitID // head at which a person agreed to the call
	asked    Arguments    // those that are kept as a request, nil if the call is made
	settles  int64        // number of the request that the call was approved of, for a reason
	reason   string
	badText  error // error in the text of the arguments
	badRef   error // error of the Ref that the arguments name
	// authority is what policies let the caller do, nil for everything; on is the branch that they are asked about.
	authority *kg.Authority
	on        kg.Branch
	forked    *kg.Commit // commit from which the branch is made by this call; nil if it is there
	at        string     // commit that is read, "" for the newest
	atEnd     []func()
	hold      *budget.Hold  // what budgets have reserved for it
	streamed  int64         // bytes of the output, if a budget counts the call
	waited    time.Duration // how long it waited for turns
	place     *schedule.Place
	activity  kg.Activity
	recorded  bool // the activity is part of a commit
	written   *Written
	value     any
	result    Result
}

// Arguments are the decoded JSON object of a call; numbers are [json.Number].
type Arguments map[string]any

// Text returns a string argument, "" when it is absent.
func (a Arguments) Text(name string) string {
	s, _ := a[name].(string)
	return s
}

// Flag returns a boolean argument, false when it is absent.
func (a Arguments) Flag(name string) bool {
	b, _ := a[name].(bool)
	return b
}

// Integer returns an integer argument, or otherwise when it is absent.
func (a Arguments) Integer(name string, otherwise int) int {
	n, _ := a[name].(json.Number)
	if i, err := n.Int64(); err == nil {
		return int(i)
	}
	return otherwise
}

// List returns an argument that is an array, nil when it is absent.
func (a Arguments) List(name string) []any {
	list, _ := a[name].([]any)
	return list
}

// Object returns an argument that is an object, nil when it is absent.
func (a Arguments) Object(name string) map[string]any {
	object, _ := a[name].(map[string]any)
	return object
}

// Has reports that the argument is given.
func (a Arguments) Has(name string) bool {
	_, given := a[name]
	return given
}

// Session returns the caller's session, restricted to the action of the capability.
func (r *Request) Session() *kg.Session {
	s := r.engine.session(r.Principal).On(r.Ref.Branch)
	if r.forked != nil {
		s = s.From(*r.forked)
	}
	if r.Capability == nil {
		return s
	}
	return s.For(cmp.Or(r.Capability.PolicyRequired.Action, policy.Read))
}

// Engine returns the engine that runs the call.
func (r *Request) Engine() *Engine { return r.engine }

// Release closes the snapshot before the call ends. Do this before long writes and before waiting: while a snapshot
// is open the file's log cannot start over.
func (r *Request) Release() {
	if r.Snapshot != nil {
		r.Snapshot.Close()
		r.Snapshot = nil
	}
}

// Authority returns what policies let the caller do; nil is everything. It stays when the snapshot is released.
func (r *Request) Authority() *kg.Authority { return r.authority }

// At returns the commit that is read, "" for the newest one.
func (r *Request) At() string { return r.at }

// Latest writes waiting provenance, if possible, and takes a new snapshot.
func (r *Request) Latest(ctx context.Context) error {
	if err := r.engine.prov.flush(ctx); err != nil && r.Snapshot != nil {
		return nil //nolint:nilerr // what waits is told of later
	}
	r.Release()
	return r.pin(ctx)
}

// Warn adds a warning about a probable mistake in the call.
// Not inlined, for the size of the binary.
//
//go:noinline
func (r *Request) Warn(format string, args ...any) {
	r.Parts.Warnings = append(r.Parts.Warnings, fmt.Sprintf(format, args...))
}

// Recorded says that the graph has the activity of the call already.
func (r *Request) Recorded() { r.recorded = true }

// Began returns when the call began.
func (r *Request) Began() time.Time { return r.activity.Started }

// Uses records in provenance that the call has read a node.
func (r *Request) Uses(iri string) { r.activity.Used = append(r.activity.Used, iri) }

// TakesFrom records that the answer of another server, named as in provenance, is part of what the call knows: all that it
// writes from then on is of the class upstream.
func (r *Request) TakesFrom(server string) {
	r.Principal.Origin = min(r.Principal.Origin, policy.Upstream)
	if iri := policy.Upstream.IRI(); !slices.Contains(r.activity.Used, iri) {
		r.Uses(iri)
	}
	r.Uses(policy.SourceIRI(server))
}

// AtEnd registers f to be called at the end of the call, whatever its outcome.
func (r *Request) AtEnd(f func()) { r.atEnd = append(r.atEnd, f) }

// Agreed reports that a person was asked what the call removes, and agreed.
func (r *Request) Agreed() bool { return r.agreedAt != nil }

// MayGive returns the refusal of an argument for which the caller lacks a scope, or nil.
func (r *Request) MayGive(f capability.Field) error {
	return policy.Allow(r.Principal, f.Scope, capability.ToolName(r.Capability.ID))
}

// Registry returns all capabilities that there are under the call's snapshot.
func (r *Request) Registry() *capability.Registry { return r.catalog.registry }

// Tools lists the capabilities that the caller may see, in the order of the providers. All requests share the
// descriptors: do not change them.
func (r *Request) Tools(ctx context.Context) ([]*capability.Descriptor, error) {
	list, err := r.engine.list(ctx, r.catalog, r.authority, r.Principal, isTool)
	out := make([]*capability.Descriptor, len(list))
	for i, c := range list {
		out[i] = &c.Descriptor
	}
	return out, err
}

// Prompts lists the prompts in the order of the providers.
func (r *Request) Prompts() []Prompt { return r.catalog.prompts }

// ReadAddress reads the resource that has an address.
func (r *Request) ReadAddress(ctx context.Context, uri string) (Document, error) {
	uri, commit, err := cutOne(uri, "at", "at is one commit; "+kg.HowToNameCommits)
	if err != nil {
		return Document{}, err
	}
	uri, branch, err := CutBranch(uri)
	if err != nil {
		return Document{}, err
	}
	found, at := r.catalog.resource(uri)
	switch {
	case found == nil:
		return Document{}, ErrNoResource
	case found.Newest && commit != "":
		return Document{}, fault.New(fault.InvalidArguments, "%s is not of one commit; leave at out", found.URI).With("field", "at").With("reason", "unknown_parameter")
	case found.Newest && branch != "":
		return Document{}, fault.New(fault.InvalidArguments, "%s is not of one branch; leave branch out", found.URI).With("field", "branch").With("reason", "unknown_parameter")
	}
	for _, name := range found.Parameters {
		_, value, err := cutOne(uri, name, name+" is given once, with a value")
		if err != nil {
			return Document{}, err
		}
		r.Args[name] = value
	}
	if err := r.ToBranch(ctx, branch); err != nil {
		return Document{}, err
	}
	if commit != "" {
		if err := r.readAt(ctx, commit); err != nil {
			return Document{}, err
		}
	}
	return found.Read(ctx, r, at)
}

// CutBranch takes the branch out of an address; "" is main. More than one, or one without a name, is the fault
// InvalidArguments.
func CutBranch(uri string) (rest, branch string, err error) {
	rest, branch, err = cutOne(uri, "branch", "branch is the name of one branch")
	return rest, refOf(branch), err
}

// cutOne takes a parameter that may be given once out of an address; what says what it is.
func cutOne(uri, name, what string) (rest, value string, err error) {
	rest, values := CutParameter(uri, name)
	switch {
	case values == nil:
		return rest, "", nil
	case len(values) > 1 || values[0] == "":
		return "", "", fault.New(fault.InvalidArguments, "%s", what).With("field", name).With("reason", "repeated")
	}
	return rest, values[0], nil
}

// CutParameter takes a parameter out of an address. values is nil where it has none, or has a malformed query, which
// whoever reads the address reports.
func CutParameter(uri, name string) (rest string, values []string) {
	path, raw, _ := strings.Cut(uri, "?")
	params, err := url.ParseQuery(raw)
	if err != nil || !params.Has(name) {
		return uri, nil
	}
	values = params[name]
	params.Del(name)
	if len(params) > 0 {
		path += "?" + params.Encode()
	}
	return path, values
}
