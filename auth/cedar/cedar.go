// Package cedar reads policies that are written in Cedar (https://docs.cedarpolicy.com), and decides by them. No other
// package knows the library. What policies may speak of is [Vocabulary].
//
// Start with [Parse], then [Policies.Decide].
package cedar

import (
	_ "embed"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
	"github.com/cedar-policy/cedar-go/x/exp/schema"
	"github.com/cedar-policy/cedar-go/x/exp/schema/validate"

	"trails/auth/policy"
	"trails/fault"
	"trails/text/quote"
)

// Vocabulary is the Cedar schema of policies: entities, their attributes, and actions.
//
//go:embed schema.cedarschema
var Vocabulary string

// Starter is a text of policies for a graph to begin with: callers may do what their scopes permit.
//
//go:embed starter.cedar
var Starter string

//go:embed none.cedar
var none string

// None returns the policies that hold while a graph has none: callers by a token read, and change nothing.
var None = sync.OnceValue(func() *Policies {
	p, err := parse(none)
	if err != nil {
		panic(err)
	}
	return p
})

// Bounds of a text of policies.
const (
	maxBytes    = 128 << 10
	maxPolicies = 2000
	maxDepth    = 64 // of brackets in each other
)

// Policies are the policies of a graph. They are immutable, and safe for concurrent use. The nil Policies permit nothing.
type Policies struct {
	index map[scope][]named
	ids   []string
	named map[Kind][]string
	lines map[string]int
	alone bool // there is one policy, and it permits everything
	// permits means that there is a policy that permits something.
	permits bool
	// words are the texts that conditions hold against an attribute that has few values.
	words  map[Attribute][]string
	doubts []string
}

// scope is what the scope of a policy names; what it does not name is zero.
type scope struct {
	action              policy.Action
	principal, resource types.EntityUID
}

// named is a policy with its name.
type named struct {
	id       cedar.PolicyID
	policy   *cedar.Policy
	requires []requirement
}

// candidates are the policies whose scopes and conditions may fit a request: it implements [cedar.PolicyIterator].
type candidates []named

// All implements [cedar.PolicyIterator].
func (c candidates) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, one := range c {
			if !yield(one.id, one.policy) {
				return
			}
		}
	}
}

// validator checks policies against the vocabulary.
var validator = func() *validate.Validator {
	var s schema.Schema
	s.SetFilename("vocabulary")
	if err := s.UnmarshalCedar([]byte(Vocabulary)); err != nil {
		panic(err)
	}
	resolved, err := s.Resolve()
	if err != nil {
		panic(err)
	}
	return validate.New(resolved, validate.WithStrict())
}

// Actions are the actions that policies may name.
var Actions = []policy.Action{
	policy.Read, policy.Export, policy.InvokeQuery, policy.Change, policy.SchemaApply, policy.Restore,
	policy.BranchCreate, policy.BranchDelete, policy.BranchMerge, policy.BundleApply, policy.Administer,
}

// latest are the policies that were read last. Who sets policies has the same text checked, written and compiled.
var latest struct {
	sync.Mutex
	text string
	*Policies
}

// Parse reads policies; the text "" has none, and gives nil. Each has the name that its annotation @id gives it, or policy0,
// policy1 and so on by its place. Texts that are no Cedar, or speak of what the vocabulary has not, are the fault InvalidData,
// with the line in each field error.
func Parse(text string) (*Policies, error) {
	if text == "" {
		return nil, nil
	}
	latest.Lock()
	defer latest.Unlock()
	if text == latest.text {
		return latest.Policies, nil
	}
	p, err := parse(text)
	if err == nil {
		latest.text, latest.Policies = text, p
	}
	return p, err
}

func parse(text string) (*Policies, error) {
	if err := bounded(text); err != nil {
		return nil, err
	}
	list, err := cedar.NewPolicyListFromBytes("", []byte(text))
	if err != nil {
		return nil, fault.Invalid([]fault.FieldError{unreadable(text, err)})
	}
	if len(list) > maxPolicies {
		return nil, wrong("", fmt.Sprintf("there are %d policies, and at most %d may be", len(list), maxPolicies))
	}
	p := &Policies{ids: []string{}, index: map[scope][]named{}, named: map[Kind][]string{}, lines: map[string]int{}, words: map[Attribute][]string{}}
	check := validator()
	var problems []fault.FieldError
	for i, one := range list {
		id := fmt.Sprintf("policy%d", i)
		if given, is := one.Annotations()["id"]; is {
			id = string(given)
		}
		line := one.Position().Line
		problem := func(message string) {
			problems = append(problems, fault.FieldError{Field: "policies", Code: fault.Shape, Value: id, Source: fmt.Sprintf("line %d", line), Message: message})
		}
		if first, taken := p.lines[id]; taken {
			problem(fmt.Sprintf("two policies have the name %s, also that of line %d: rename one in its @id", quote.Text(id, maxName), first))
			continue
		}
		if !nameFits(id) {
			problem(fmt.Sprintf("%s is no name of a policy: 1 to %d letters, digits, dashes, dots or underscores", quote.Text(id, maxName), maxName))
			continue
		}
		tree := (*ast.Policy)(one.AST())
		if err := check.Policy(id, tree); err != nil {
			said := strings.ReplaceAll(strings.ReplaceAll(err.Error(), fmt.Sprintf("for policy `%s`, ", id), ""), "\n", "; ")
			problem(fmt.Sprintf("policy %s does not fit the vocabulary of policies: %s", id, quote.Unmarked(said, maxSaid)))
			continue
		}
		p.ids, p.lines[id] = append(p.ids, id), line
		p.add(id, one, tree)
		if told := doubt(id, line, tree); told != "" {
			p.doubts = append(p.doubts, told)
		}
		p.alone = len(list) == 1 && permitsAll(tree)
	}
	if len(problems) > 0 {
		return nil, fault.Invalid(problems)
	}
	for of, words := range p.words {
		slices.Sort(words)
		p.words[of] = slices.Compact(words)
	}
	for kind := range p.named {
		slices.Sort(p.named[kind])
		p.named[kind] = slices.Compact(p.named[kind])
	}
	return p, nil
}

func permitsAll(p *ast.Policy) bool {
	all := ast.ScopeTypeAll{}
	return p.Effect == ast.EffectPermit && len(p.Conditions) == 0 && p.Principal == all && p.Action == all && p.Resource == all
}

const (
	maxName = 80
	maxSaid = 300
)

var names = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

func nameFits(id string) bool { return len(id) <= maxName && names.MatchString(id) }

// bounded refuses what is too large, or too deep for a parser that calls itself.
func bounded(text string) error {
	if len(text) > maxBytes {
		return fault.New(fault.TooLarge, "policies of %d bytes are larger than %d", len(text), maxBytes)
	}
	depth, line, inText := 0, 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line++
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			i += len(strings.SplitN(text[i:], "\n", 2)[0]) - 1
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if depth > maxDepth {
			return wrong(fmt.Sprintf("line %d", line), fmt.Sprintf("brackets stand in each other more than %d deep", maxDepth))
		}
	}
	return nil
}

func wrong(source, message string) error {
	return fault.Invalid([]fault.FieldError{{Field: "policies", Code: fault.Shape, Source: source, Message: message}})
}

// add keeps a policy by what its scope names, and what it names anywhere.
func (p *Policies) add(id string, one *cedar.Policy, tree *ast.Policy) {
	of := scope{principal: entityOf(tree.Principal), resource: entityOf(tree.Resource)}
	kept := named{cedar.PolicyID(id), one, requirementsOf(tree)}
	for _, of.action = range Actions {
		if concerns(tree.Action, of.action) {
			p.index[of] = append(p.index[of], kept)
		}
	}
	for _, uid := range []types.EntityUID{of.principal, of.resource} {
		if uid.Type != "" {
			p.name(uid)
		}
	}
	p.permits = p.permits || tree.Effect == ast.EffectPermit
	for _, c := range tree.Conditions {
		ast.Inspect(ast.NewNode(c.Body), func(n ast.IsNode) bool {
			if value, is := n.(ast.NodeValue); is {
				p.nameIn(value.Value)
			}
			p.compare(n)
			return true
		})
	}
}

// compare keeps what an attribute is compared with, if a node of a condition is a comparison.
func (p *Policies) compare(n ast.IsNode) {
	var both ast.BinaryNode
	switch n := n.(type) {
	case ast.NodeTypeEquals:
		both = n.BinaryNode
	case ast.NodeTypeNotEquals:
		both = n.BinaryNode
	case ast.NodeTypeContains:
		both = n.BinaryNode
	case ast.NodeTypeContainsAll:
		both = n.BinaryNode
	case ast.NodeTypeContainsAny:
		both = n.BinaryNode
	}
	for _, sides := range [][2]ast.IsNode{{both.Left, both.Right}, {both.Right, both.Left}} {
		of, is := sides[0].(ast.NodeTypeAccess)
		if attribute := Attribute(of.Value); is && (attribute == OriginAttribute || attribute == ScopesAttribute) {
			ast.Inspect(ast.NewNode(sides[1]), func(n ast.IsNode) bool {
				if value, is := n.(ast.NodeValue); is {
					p.words[attribute] = append(p.words[attribute], textsIn(value.Value)...)
				}
				return true
			})
		}
	}
}

// textsIn are the texts of a value.
func textsIn(v types.Value) (texts []string) {
	switch v := v.(type) {
	case types.String:
		texts = append(texts, string(v))
	case types.Set:
		for one := range v.All() {
			texts = append(texts, textsIn(one)...)
		}
	}
	return texts
}

func (p *Policies) name(uid types.EntityUID) {
	kind := Kind(uid.Type)
	p.named[kind] = append(p.named[kind], string(uid.ID))
}

func (p *Policies) nameIn(v types.Value) {
	switch v := v.(type) {
	case types.EntityUID:
		p.name(v)
	case types.Set:
		for one := range v.All() {
			p.nameIn(one)
		}
	case types.Record:
		for _, one := range v.All() {
			p.nameIn(one)
		}
	}
}

// groupOf is the group of an action.
func groupOf(a policy.Action) types.String {
	if a.Writes() {
		return "writes"
	}
	return "reads"
}

func concerns(scope ast.IsActionScopeNode, action policy.Action) bool {
	is := func(uid types.EntityUID) bool {
		return string(uid.ID) == string(action) || uid.ID == groupOf(action)
	}
	switch scope := scope.(type) {
	case ast.ScopeTypeEq:
		return string(scope.Entity.ID) == string(action)
	case ast.ScopeTypeIn:
		return is(scope.Entity)
	case ast.ScopeTypeInSet:
		return slices.ContainsFunc(scope.Entities, is)
	}
	return true
}

// entityOf is the entity that the scope of a principal or resource names; the zero one for none.
func entityOf(scope any) types.EntityUID {
	switch scope := scope.(type) {
	case ast.ScopeTypeEq:
		return scope.Entity
	case ast.ScopeTypeIn:
		return scope.Entity
	case ast.ScopeTypeIsIn:
		return scope.Entity
	}
	return types.EntityUID{}
}

// IDs are the names of the policies, in their order.
func (p *Policies) IDs() []string {
	if p == nil {
		return []string{}
	}
	return p.ids
}

// Line is the line of the text at which a policy begins; 0 if there is none of that name.
func (p *Policies) Line(id string) int { return p.lines[id] }

// Named are the things of a kind that the policies name, sorted.
func (p *Policies) Named(kind Kind) []string {
	if p == nil {
		return nil
	}
	return p.named[kind]
}

// Permit reports whether there is a policy that permits something.
func (p *Policies) Permit() bool { return p != nil && p.permits }

// Attribute is an attribute that has few values.
type Attribute string

// The attributes that have few values.
const (
	OriginAttribute Attribute = "origin" // of the context
	ScopesAttribute Attribute = "scopes" // of the principal
)

// Compared are the texts with which conditions compare an attribute, sorted.
func (p *Policies) Compared(a Attribute) []string {
	if p == nil {
		return nil
	}
	return p.words[a]
}

// Kind is a type of entity.
type Kind string

// The kinds of what policies decide about, and of whom.
const (
	ActorKind      Kind = "Actor"
	GroupKind      Kind = "Group"
	GraphKind      Kind = "Graph"
	BranchKind     Kind = "Branch"
	TypeKind       Kind = "Type"
	QueryKind      Kind = "Query"
	CapabilityKind Kind = "Capability"
)

// Resource is what an action is done to. In are those that it is part of. The zero Resource is nothing.
type Resource struct {
	Kind Kind
	ID   string
	In   []Resource
	// Protected is of a branch.
	Protected bool
}

func (r Resource) uid() types.EntityUID {
	return types.NewEntityUID(types.EntityType(r.Kind), types.String(r.ID))
}

// String names it as policies do: Type::"Note".
func (r Resource) String() string { return string(r.Kind) + "::" + strconv.Quote(r.ID) }

// Request asks whether somebody may do something.
type Request struct {
	Caller   policy.Principal
	Action   policy.Action
	Resource Resource
	// Branch is the one that a write is on.
	Branch Resource
}

// Decision says whether a request is permitted. The zero Decision is that no policy permits it.
type Decision struct {
	Allowed bool
	// Forbidden means that a policy forbids it.
	Forbidden bool
	// Policies are the names of those that permit it or, if it is not allowed, of those that forbid it, sorted.
	Policies []string
	// Failed are those whose conditions could not be evaluated, sorted.
	Failed []Failure
}

// Decide decides a request by the rules of Cedar (https://docs.cedarpolicy.com/auth/authorization.html): it is permitted if
// a policy permits it and none forbids it. A policy that forbids and cannot be evaluated forbids.
func (p *Policies) Decide(r Request) Decision {
	switch {
	case p == nil:
		return Decision{}
	case p.alone:
		return Decision{Allowed: true, Policies: p.ids[:1:1]}
	}
	entities := make(types.EntityMap, 8)
	callers := []types.EntityUID{types.NewEntityUID(types.EntityType(ActorKind), types.String(r.Caller.ID))}
	for _, g := range r.Caller.Groups {
		callers = append(callers, types.NewEntityUID(types.EntityType(GroupKind), types.String(g)))
	}
	r.Resource.into(entities)
	action, group := types.NewEntityUID("Action", types.String(r.Action)), types.NewEntityUID("Action", groupOf(r.Action))
	of := entitiesOf{principal: callers, action: []types.EntityUID{action, group}, resource: keysOf(entities)}
	if r.Branch.Kind != "" {
		in := types.EntityMap{}
		r.Branch.into(in)
		of.branch = keysOf(in)
	}
	set := p.candidates(r.Action, &of)
	if len(set) == 0 {
		return Decision{}
	}
	var scopes []types.Value
	for _, s := range r.Caller.Scopes.List() {
		scopes = append(scopes, types.String(s))
	}
	entities[callers[0]] = types.Entity{UID: callers[0], Parents: types.NewEntityUIDSet(callers[1:]...), Attributes: types.NewRecord(types.RecordMap{
		"authenticated": types.Boolean(r.Caller.Authenticated), "scopes": types.NewSet(scopes...),
	})}
	entities[action] = types.Entity{UID: action, Parents: types.NewEntityUIDSet(group)}
	facts := types.RecordMap{"origin": types.String(r.Caller.Origin.String())}
	if r.Branch.Kind != "" {
		r.Branch.into(entities)
		facts[branch] = r.Branch.uid()
	}
	verdict, why := cedar.Authorize(set, entities, cedar.Request{Principal: callers[0], Action: action, Resource: r.Resource.uid(), Context: types.NewRecord(facts)})
	return set.decision(verdict, why)
}

func keysOf(entities types.EntityMap) (list []types.EntityUID) {
	for uid := range entities {
		list = append(list, uid)
	}
	return list
}

// candidates are the policies that name one of the callers or none, and one of the resources or none, in their scopes, and
// whose conditions may be true.
func (p *Policies) candidates(action policy.Action, of *entitiesOf) (set candidates) {
	anything := types.EntityUID{}
	for _, who := range append(of.principal, anything) {
		for _, what := range append(of.resource, anything) {
			list := p.index[scope{action, who, what}]
			for i := range list {
				if of.meet(list[i].requires) {
					set = append(set, list[i])
				}
			}
		}
	}
	return set
}

// decision is that of Cedar, except that what forbids and cannot be evaluated forbids.
func (c candidates) decision(verdict cedar.Decision, why cedar.Diagnostic) Decision {
	d := Decision{Allowed: bool(verdict)}
	for _, reason := range why.Reasons {
		d.Policies = append(d.Policies, string(reason.PolicyID))
	}
	d.Forbidden = !d.Allowed && len(d.Policies) > 0
	for _, failed := range why.Errors {
		at := slices.IndexFunc(c, func(one named) bool { return one.id == failed.PolicyID })
		forbids := c[at].policy.Effect() == cedar.Forbid
		d.Failed = append(d.Failed, Failure{string(failed.PolicyID), forbids, quote.Unmarked(failed.Message, maxSaid)})
		if !forbids {
			continue
		}
		if d.Allowed {
			d.Allowed, d.Policies = false, nil
		}
		d.Forbidden, d.Policies = true, append(d.Policies, string(failed.PolicyID))
	}
	slices.Sort(d.Policies)
	slices.SortFunc(d.Failed, func(a, b Failure) int { return strings.Compare(a.Policy, b.Policy) })
	return d
}

func (r Resource) into(entities types.EntityMap) {
	uid := r.uid()
	if _, there := entities[uid]; there {
		return
	}
	parents := make([]types.EntityUID, len(r.In))
	for i, parent := range r.In {
		parents[i] = parent.uid()
		parent.into(entities)
	}
	e := types.Entity{UID: uid, Parents: types.NewEntityUIDSet(parents...)}
	if r.Kind == BranchKind {
		e.Attributes = types.NewRecord(types.RecordMap{"protected": types.Boolean(r.Protected)})
	}
	entities[uid] = e
}
