package kg

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// law is what the policies of main say, with the schema and stored queries of main. It is immutable but for what it keeps.
type law struct {
	of       *compiled // of main
	policies *cedar.Policies
	none     bool   // the graph has no policies, and these are [cedar.None]
	unlawful error  // why they cannot be read
	digest   string // of their text
	graph    string // name of it

	mu    sync.Mutex
	sight map[string]*Rights // by caller and schema
	calls map[calling]cedar.Decision
}

// maxSights bounds the rights that a law keeps, and maxCalls the decisions about calls. When there are more, all are
// computed anew.
const (
	maxSights = 1024
	maxCalls  = 1 << 14
)

// calling is a call of a capability on a branch, as far as policies decide about it.
type calling struct {
	caller, capability, nodeType string
	action                       policy.Action
	branch                       string
	protected                    bool
}

// ReadOnly says what holds for callers by a token while a graph has no policies, and the way out.
const ReadOnly = "without policies whoever shows a token reads this graph and changes nothing; who has the file lets each do what the scopes of their token permit: trails policy set FILE --starter"

// Authority is what policies let one caller do, as of one state of main. The nil Authority lets everybody do everything:
// policies do not bind the caller.
type Authority struct {
	law    *law
	caller policy.Principal
}

// bound reports whether policies bind somebody: everybody but who opens the file on their own, and this program itself.
func bound(p policy.Principal) bool { return !p.Owns && p.ID != "" }

// binds reports whether the law binds somebody. Without policies it is open to who shows no token: [cedar.None] says so, too,
// and is not asked about each of their calls.
func (l *law) binds(p policy.Principal) bool { return bound(p) && (!l.none || p.Authenticated) }

// authority returns what the policies of main let the caller of the session do, as r has them; nil is everything. known is
// false if they are not read yet: see [Graph.readLaw].
func (s *Session) authority(r *db.Reader) (a *Authority, known bool) {
	if !bound(s.principal) {
		return nil, true
	}
	l := s.graph.lawAt(r.Epoch(), r.MainSchema())
	switch {
	case l == nil:
		return nil, false
	case !l.binds(s.principal):
		return nil, true
	}
	return &Authority{law: l, caller: s.principal}, true
}

// lawAt returns the law that a commit of main has made, nil if it is not known.
func (g *Graph) lawAt(epoch string, at Seq) *law {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.compiled; c != nil && c.epoch == epoch && c.seq == at && c.rights == "" && (g.law == nil || g.law.of != c) {
		g.law = newLaw(c, c.policies, c.unlawful, g.Name())
	}
	if g.law != nil && g.law.of.epoch == epoch && g.law.of.seq == at {
		return g.law
	}
	return nil
}

// readLaw reads the policies of main as they are now.
func (g *Graph) readLaw(ctx context.Context) error {
	snap, err := g.Session(policy.Principal{}).Snapshot(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.law = newLaw(snap.compiled, snap.compiled.policies, snap.compiled.unlawful, g.Name())
	g.mu.Unlock()
	return snap.Close()
}

// newLaw returns the law of policies, nil for none, of a graph with a name.
func newLaw(of *compiled, policies *cedar.Policies, unlawful error, graph string) *law {
	digest := sha256.Sum256([]byte(of.policyText))
	l := &law{
		of: of, policies: policies, unlawful: unlawful, digest: string(digest[:]), graph: graph,
		sight: map[string]*Rights{}, calls: map[calling]cedar.Decision{},
	}
	if l.none = policies == nil && unlawful == nil; l.none {
		l.policies = cedar.None()
	}
	return l
}

// As returns what policies, nil for none, let somebody do under the schema and stored queries of the snapshot, as if it were
// main with them. It is never nil.
func (s *Snapshot) As(p policy.Principal, policies *cedar.Policies) *Authority {
	return &Authority{law: newLaw(s.compiled, policies, nil, s.graph.Name()), caller: p}
}

// expected is what the session could see when the policies were last asked for.
func (s *Session) expected() *Rights {
	s.graph.mu.Lock()
	l := s.graph.law
	s.graph.mu.Unlock()
	if s.rights != nil || l == nil || !l.binds(s.principal) {
		return s.rights
	}
	return (&Authority{law: l, caller: s.principal}).rights(l.of)
}

// graphOf is the resource of the whole graph, branchOf that of a branch of it.
func (l *law) graphOf() cedar.Resource { return cedar.Resource{Kind: cedar.GraphKind, ID: l.graph} }

func (l *law) branchOf(b Branch) cedar.Resource {
	return cedar.Resource{Kind: cedar.BranchKind, ID: b.Name, Protected: b.Protected, In: []cedar.Resource{l.graphOf()}}
}

// typeOf is the resource of a type, which is part of the types above it.
func typeOf(s *schema.Schema, name string, in cedar.Resource) cedar.Resource {
	r := cedar.Resource{Kind: cedar.TypeKind, ID: name, In: []cedar.Resource{in}}
	for _, above := range s.Supertypes(s.Type(name)) {
		r.In = append(r.In, cedar.Resource{Kind: cedar.TypeKind, ID: above.Name, In: []cedar.Resource{in}})
	}
	return r
}

// classOf is the class of a type; for one that a schema does not have the one that it would have there.
func classOf(s *schema.Schema, name string) rdf.IRI {
	if t := s.Type(name); t != nil {
		return t.IRI
	}
	return rdf.IRI(s.Base + name)
}

func (a *Authority) decide(action policy.Action, on, branch cedar.Resource) cedar.Decision {
	return a.law.policies.Decide(cedar.Request{Caller: a.caller, Action: action, Resource: on, Branch: branch})
}

// reads reports whether the caller may read a type or a branch, or call a stored query.
func (a *Authority) reads(action policy.Action, on cedar.Resource) bool {
	return a.decide(action, on, cedar.Resource{}).Allowed
}

// rights are what the caller may not see under a schema, with its stored queries: types that it may not read, with what is
// left of them where only the policies name them, stored queries that it may not call, and branches that it may not read.
func (a *Authority) rights(under *compiled) *Rights {
	if a == nil {
		return nil
	}
	key := a.key() + "\x00" + under.key()
	return kept(a.law, a.law.sight, maxSights, key, func() *Rights { return a.newRights(under) })
}

// kept returns what a law keeps by a key, and decides it if it is not known. Beyond a number of entries all are dropped.
func kept[K comparable, V any](l *law, known map[K]V, most int, key K, decide func() V) V {
	l.mu.Lock()
	v, is := known[key]
	l.mu.Unlock()
	if is {
		return v
	}
	v = decide()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(known) >= most {
		clear(known)
	}
	known[key] = v
	return v
}

func (a *Authority) newRights(under *compiled) *Rights {
	r, l := &Rights{}, a.law
	types := map[string]*schema.Schema{}
	for _, s := range []*schema.Schema{under.schema, l.of.schema} {
		for _, t := range s.Types {
			types[t.Name] = s
		}
	}
	for _, name := range l.policies.Named(cedar.TypeKind) {
		if types[name] == nil {
			types[name] = l.of.schema
		}
	}
	for name, s := range types {
		if !a.reads(policy.Read, typeOf(s, name, l.graphOf())) {
			r.Types = append(r.Types, classOf(s, name))
		}
	}
	queries := map[string]bool{}
	for _, c := range []*compiled{under, l.of} {
		for _, k := range c.stored {
			queries[k.ID] = true
		}
	}
	for id := range queries {
		if !a.reads(policy.InvokeQuery, cedar.Resource{Kind: cedar.QueryKind, ID: id, In: []cedar.Resource{l.graphOf()}}) {
			r.Nodes = append(r.Nodes, schema.QueryRecord.Node(id))
		}
	}
	r.OnlyBranches = !a.reads(policy.Read, l.branchOf(Branch{})) // one that no policy names
	for _, name := range l.policies.Named(cedar.BranchKind) {
		if a.reads(policy.Read, l.branchOf(Branch{Name: name})) == r.OnlyBranches {
			r.Branches = append(r.Branches, name)
		}
	}
	if len(r.Types)+len(r.Nodes)+len(r.Branches) == 0 && !r.OnlyBranches {
		return nil
	}
	r.Nodes = append(r.Nodes, schema.PolicyRecord.Node("")) // they name what is hidden
	return r
}

// key identifies the caller and the policies.
func (a *Authority) key() string {
	parts := append([]string{a.caller.ID, a.caller.Scopes.String(), a.caller.Origin.String()}, a.caller.Groups...)
	if a.caller.Authenticated {
		parts = append(parts, "authenticated")
	}
	return strings.Join(parts, "\x00")
}

// Key identifies what the caller may do: "" where no policies bind it.
func (a *Authority) Key() string {
	if a == nil {
		return ""
	}
	return a.law.of.key() + "\x00" + a.key()
}

// Calls decides whether the caller may call a capability on a branch. It may if no policy forbids its action on the
// capability, and one permits it on the branch; if it is of one type, on that; and if it changes data of any, on one of
// them.
func (a *Authority) Calls(d capability.Descriptor, on Branch) cedar.Decision {
	action := d.PolicyRequired.Action
	if a == nil || !action.Governed() {
		return cedar.Decision{Allowed: true}
	}
	a = &Authority{law: a.law, caller: a.caller.Calling(d.ID)}
	if a.law.unlawful != nil {
		return cedar.Decision{}
	}
	of := calling{a.key(), nameOf(d), d.InputShape.NodeType, action, on.Name, on.Protected}
	return kept(a.law, a.law.calls, maxCalls, of, func() cedar.Decision { return a.decideCall(d, action, on) })
}

// decideCall is Calls for an action that policies decide about.
func (a *Authority) decideCall(d capability.Descriptor, action policy.Action, on Branch) cedar.Decision {
	branch, context := a.law.branchOf(on), a.law.contextOf(action, on)
	place, concerns := a.law.placeOf(action, on), d.InputShape.NodeType
	if concerns != "" {
		place = typeOf(a.law.of.schema, concerns, branch)
	}
	tool := cedar.Resource{Kind: cedar.CapabilityKind, ID: nameOf(d), In: []cedar.Resource{place}}
	if of := a.decide(action, tool, context); of.Forbidden {
		return of
	}
	verdict := a.decide(action, place, context)
	if verdict.Allowed || action != policy.Change || concerns != "" {
		return verdict
	}
	for _, t := range a.law.of.schema.Types {
		if of := a.decide(action, typeOf(a.law.of.schema, t.Name, branch), branch); of.Allowed {
			return of
		}
	}
	return verdict
}

// nameOf is the id of a capability for policies; that of a tool of a server is without the hash of its definition.
func nameOf(d capability.Descriptor) string {
	id, _, _ := strings.Cut(d.ID, "#")
	return id
}

// Lists decides whether the caller sees a capability in lists: whether it may call it on some branch, main, one that
// policies name, or any other. Without policies nothing is to be hidden: all are listed, and a refusal says why and how that
// is changed.
func (a *Authority) Lists(d capability.Descriptor) bool {
	if a == nil || a.law.none {
		return true
	}
	on := []Branch{{Name: Main, Protected: true}, {Name: Main}, {}}
	for _, name := range a.law.policies.Named(cedar.BranchKind) {
		on = append(on, Branch{Name: name})
	}
	return slices.ContainsFunc(on, func(b Branch) bool { return a.Calls(d, b).Allowed })
}

// refuseForbidden refuses a change of a node that policies do not permit its author: of data, on one of the types that the
// node has before or after, or on the branch if it has none; of the policies, who may not administer.
func (t *transaction) refuseForbidden(ctx context.Context, n node, changes []change.Delta) error {
	if t.authority == nil || len(changes) == 0 {
		return nil
	}
	action, data := t.job.action, false
	for _, d := range changes {
		switch kind, _ := schema.RecordOf(d.Quad); {
		case kind == schema.PolicyRecord:
			if err := t.refusalOf(policy.Administer, t.authority.law.graphOf(), cedar.Resource{}); err != nil {
				return err
			}
		case d.Quad.Label != rdf.SchemaGraph:
			data = true
		}
	}
	if !data || action != policy.Change && !t.job.changes {
		return nil
	}
	action = policy.Change
	classes, err := t.classesOf(ctx, n, changes)
	if err != nil {
		return err
	}
	branch := t.authority.law.branchOf(Branch{Name: t.w.Branch(), Protected: t.w.Protected()})
	typed := false
	for _, class := range classes {
		declared := t.schema.schema.TypeByIRI(class)
		if declared == nil {
			continue
		}
		typed = true
		if err := t.refusalOf(action, typeOf(t.schema.schema, declared.Name, branch), branch); err != nil {
			return err
		}
	}
	if typed {
		return nil
	}
	return t.refusalOf(action, branch, branch)
}

// keepNamed refuses a change that takes a type away which the policies name: with another name it would be another type for
// them.
func keepNamed(before, after *compiled) error {
	for _, name := range after.policies.Named(cedar.TypeKind) {
		if before.schema.Type(name) != nil && after.schema.Type(name) == nil {
			return fault.New(fault.Conflict, "policies name the type %s, which this renames or drops, and they would not hold for it any more; set policies first that name the new one too, or this one no more (trails policy set)", name).With("type", name)
		}
	}
	return nil
}

// refusalOf is [Authority.refusal], decided once for each resource. What the decisions used is recorded with the commit.
func (t *transaction) refusalOf(action policy.Action, on, branch cedar.Resource) error {
	err, known := t.refusals[on.String()]
	if !known {
		var used []string
		used, err = t.authority.refusal(action, on, branch)
		for _, iri := range used {
			if !slices.Contains(t.policies, iri) {
				t.policies = append(t.policies, iri)
			}
		}
		if t.refusals == nil {
			t.refusals = map[string]error{}
		}
		t.refusals[on.String()] = err
	}
	return err
}

// classesOf are the classes of a node before and after a change.
func (t *transaction) classesOf(ctx context.Context, n node, changes []change.Delta) (classes []rdf.IRI, err error) {
	before := n.before
	if !n.whole {
		if before, err = collect(n.statements(ctx, t.w.Seen(), rdf.Type)); err != nil {
			return nil, err
		}
	}
	statements := slices.Clone(before)
	for _, d := range changes {
		statements = append(statements, d.Quad)
	}
	for _, q := range statements {
		if class, is := q.Object.(rdf.IRI); is && q.Predicate == rdf.Type {
			classes = append(classes, class)
		}
	}
	return classes, nil
}

// refusal is the fault Denied for what policies do not permit the caller, or nil, with what the decision used.
func (a *Authority) refusal(action policy.Action, on, branch cedar.Resource) (used []string, err error) {
	if a == nil {
		return nil, nil
	}
	if a.law.unlawful != nil {
		return nil, a.unlawful()
	}
	d := a.decide(action, on, branch)
	return a.law.usedBy(d), a.denied(action, on, d)
}

// usedBy is what a decision used, for provenance. That of a graph without policies used nothing.
func (l *law) usedBy(d cedar.Decision) (used []string) {
	if l.none {
		return nil
	}
	for _, name := range d.Policies {
		used = append(used, PolicyIRI(name))
	}
	for _, failed := range d.Failed {
		used = append(used, passedOver+failed.Policy)
	}
	return used
}

// MayCall returns what the decision used by which policies permit a capability on a branch, see [Authority.Calls], or the
// refusal.
func (a *Authority) MayCall(d capability.Descriptor, on Branch) (used []string, err error) {
	if a == nil || !d.PolicyRequired.Action.Governed() {
		return nil, nil
	}
	if a.law.unlawful != nil {
		return nil, a.unlawful()
	}
	action, verdict := d.PolicyRequired.Action, a.Calls(d, on)
	if !verdict.Allowed {
		return nil, a.denied(action, a.law.placeOf(action, on), verdict)
	}
	return a.law.usedBy(verdict), nil
}

// MayDo is nil, or the refusal of an action on a branch.
func (a *Authority) MayDo(action policy.Action, on Branch) error {
	if a == nil {
		return nil
	}
	_, err := a.refusal(action, a.law.placeOf(action, on), a.law.contextOf(action, on))
	return err
}

// placeOf is what an action on a branch is done to.
func (l *law) placeOf(action policy.Action, on Branch) cedar.Resource {
	if action == policy.Administer {
		return l.graphOf()
	}
	return l.branchOf(on)
}

// contextOf is the branch that a write is on.
func (l *law) contextOf(action policy.Action, on Branch) cedar.Resource {
	if !action.Writes() || action == policy.Administer {
		return cedar.Resource{}
	}
	return l.branchOf(on)
}

func (a *Authority) unlawful() error {
	return fault.New(fault.Denied, "the policies of this graph cannot be read by this program, so nobody whom they bind may do anything; somebody who has the file sets others with trails policy set").Because(a.law.unlawful)
}

// mostFailed bounds how many policies a refusal names whose conditions could not be evaluated.
const mostFailed = 3

// denied is the fault of a decision, nil if it allows.
func (a *Authority) denied(action policy.Action, on cedar.Resource, d cedar.Decision) error {
	if d.Allowed {
		return nil
	}
	const explained = "%s; whoever administers this graph can change that (trails policy explain FILE --as %s says how)"
	why, policies := fmt.Sprintf(explained, "no policy permits it", a.caller.ID), d.Policies
	if policies == nil {
		policies = []string{}
	}
	switch {
	case a.law.none:
		why = ReadOnly
	case d.Forbidden:
		why = fmt.Sprintf(explained, "it is forbidden by "+strings.Join(d.Policies, " and "), a.caller.ID)
	}
	var failed []string
	for _, f := range d.Failed[:min(len(d.Failed), mostFailed)] {
		failed = append(failed, f.Policy)
	}
	if failed != nil {
		why = "the condition of " + strings.Join(failed, " and of ") + " cannot be evaluated, and " + why
	}
	refusal := fault.New(fault.Denied, "%s may not %s %s: %s", a.caller.ID, action, on, why).
		With("action", string(action)).With("resource", on.String()).With("policies", policies)
	if failed != nil {
		refusal = refusal.With("failed", failed)
	}
	return refusal
}

// Decides decides an action of the caller on a type, a stored query, a branch or the graph, on a branch.
func (a *Authority) Decides(action policy.Action, kind cedar.Kind, name string, on Branch) cedar.Decision {
	if a == nil {
		return cedar.Decision{Allowed: true}
	}
	branch := a.law.branchOf(on)
	if !action.Writes() {
		branch = a.law.graphOf() // what of the graph is read does not depend on the branch
	}
	place := branch
	switch kind {
	case cedar.TypeKind:
		place = typeOf(a.law.of.schema, name, branch)
	case cedar.QueryKind, cedar.CapabilityKind:
		place = cedar.Resource{Kind: kind, ID: name, In: []cedar.Resource{branch}}
	case cedar.BranchKind:
		on.Name = name
		place = a.law.branchOf(on)
	case cedar.GraphKind:
		place = a.law.graphOf()
	case cedar.ActorKind, cedar.GroupKind: // nothing is done to them
	}
	return a.decide(action, place, a.law.contextOf(action, on))
}
