package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/quote"
)

// supposed is a caller that a question about policies supposes.
type supposed struct {
	As     string   `json:"as" is:"brief" min:"1" max:"200" doc:"Who calls, as token:ci; anonymous is who shows nothing."`
	Groups []string `json:"groups,omitempty" is:"brief" doc:"In the place of those of the token."`
	Scopes []string `json:"scopes,omitempty" is:"brief" oneof:"builder,dev,runtime" doc:"In the place of those of the token."`
	Origin string   `json:"origin,omitempty" is:"brief" oneof:"person,agent,import,upstream,unknown" doc:"The class of source that the call is of; agent when left out, as over MCP."`
}

// principal is the supposed caller: with the scopes and groups of its token, unless others are given.
func (s supposed) principal(tokens []policy.Token) policy.Principal {
	p := policy.Principal{ID: s.As, Scopes: policy.NewScopes(policy.Runtime), Authenticated: s.As != policy.Anonymous("", policy.Scopes{}).ID}
	for _, t := range tokens {
		if t.Actor() == s.As {
			p = t.Principal()
		}
	}
	if s.Groups != nil {
		p.Groups = s.Groups
	}
	if s.Scopes != nil {
		p.Scopes = policy.Scopes{}
		for _, scope := range s.Scopes {
			p.Scopes = p.Scopes.With(policy.Scope(scope))
		}
	}
	p.Origin = policy.Agent
	if origin, given := policy.ParseOrigin(s.Origin); given {
		p.Origin = origin
	}
	return p
}

// supposedCall is what a supposed caller does: a call, or an action on something.
type supposedCall struct {
	Call   string `json:"call,omitempty" is:"brief" max:"200" doc:"The capability that is called, by id or tool name."`
	Action string `json:"action,omitempty" is:"brief" oneof:"administer,branch_create,branch_delete,branch_merge,bundle_apply,change,export,invoke_query,read,restore,schema_apply" doc:"In the place of call: what is done."`
	On     string `json:"on,omitempty" is:"brief" max:"200" doc:"What the action is done to, as Type::\"Note\", Branch::\"main\", Query::\"open_tasks\" or Graph; the branch when left out."`
	Branch string `json:"branch,omitempty" is:"brief" doc:"The branch; main when left out."`
}

// explained says why somebody may do something or not.
type explained struct {
	As       string   `json:"as"`
	Groups   []string `json:"groups,omitempty"`
	Scopes   []string `json:"scopes"`
	Origin   string   `json:"origin" doc:"The class of source that the call is supposed to be of."`
	Asked    string   `json:"asked,omitempty" doc:"The action, and what it is done to."`
	Allowed  *bool    `json:"allowed,omitempty"`
	Policies []string `json:"policies,omitempty" doc:"The names of the policies that decide, each with its line."`
	Why      string   `json:"why,omitempty"`
	Way      string   `json:"way,omitempty" doc:"What would change it."`
	table
}

var rightCells = capability.CellsOf("kind:string", "name:string", "read:boolean", "change:boolean null")

var policyExplain = invoke.Define(capability.Descriptor{
	ID: "trails.meta.policy.explain", Description: "Say whether policies let somebody do something, by which policy, and what would change it; or, without a call or an action, what somebody may do.",
	OutputShape:  rowsOf("What somebody may do, a list for each branch, type and stored query: what it is, its name, whether it may be read or called, and whether it may be changed.", rightCells),
	CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in struct {
	supposed
	supposedCall
}) (*explained, error) {
	tokens, err := r.Snapshot.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	text, policies, unread := r.Snapshot.Policies()
	if unread != nil {
		return nil, fault.New(fault.Unusable, "the policies cannot be read; set others with trails.meta.policy.apply").Because(unread)
	}
	who := in.principal(tokens)
	out := &explained{As: who.ID, Groups: who.Groups, Scopes: who.Scopes.List(), Origin: who.Origin.String(), table: tableOf(rightCells)}
	if text == "" {
		if warnOfNone(r); !r.Snapshot.SeesAll() {
			return out, nil
		}
		policies = cedar.None()
	}
	if why := policy.NoCaller(in.As); why != "" {
		r.Warn("%s: %s", quote.Line(in.As, maxProblem), why)
	}
	if !slices.ContainsFunc(tokens, func(t policy.Token) bool { return t.Actor() == in.As }) && strings.HasPrefix(in.As, policy.TokenActor) {
		r.Warn("this graph has issued no %s, which is taken for somebody with the scopes and groups above", in.As)
	}
	authority := r.Snapshot.As(who, policies)
	if in.Call == "" && in.Action == "" {
		return out, out.survey(ctx, r, authority)
	}
	q, err := in.question(r)
	if err != nil {
		return nil, err
	}
	branch, err := r.Snapshot.BranchNamed(ctx, q.branch)
	if err != nil {
		return nil, err
	}
	branch.Name = q.branch
	q.decide(authority, branch)
	out.Asked, out.Allowed, out.Why, out.Way = q.String(), &q.Allowed, q.why(), q.way(who, r.Snapshot.Graph().Name(), policies)
	out.Policies = q.lines(policies)
	if d := q.capability; d != nil && policy.Allow(who, d.PolicyRequired.Scope, d.ID) != nil {
		no := false
		out.Allowed = &no
		out.Why += fmt.Sprintf("; besides, it requires the scope %s, which %s has not", d.PolicyRequired.Scope, who.ID)
		way := fmt.Sprintf("a token with the scope %s", d.PolicyRequired.Scope)
		if !q.Allowed {
			way = out.Way + "; besides, it needs " + way
		}
		out.Way = way
	}
	return out, nil
}, invoke.On())

// question is a supposed call that was understood, with what policies decide of it.
type question struct {
	capability *capability.Descriptor // nil for an action on something
	action     policy.Action
	on         cedar.Resource
	branch     string
	cedar.Decision
}

// question reads what is done.
func (in supposedCall) question(r *invoke.Request) (q question, err error) {
	q.branch = in.Branch
	if q.branch == "" {
		q.branch = kg.Main
	}
	q.on = cedar.Resource{Kind: cedar.BranchKind, ID: q.branch}
	if in.Call != "" {
		found, err := r.Named(in.Call)
		if err != nil {
			return q, fault.Argument("call", fault.HasValue, in.Call, fmt.Sprintf("there is no capability %s%s", quote.Text(in.Call, maxProblem), fault.DidYouMean(in.Call, capabilityIDs(r))))
		}
		q.capability, q.action = &found.Descriptor, found.PolicyRequired.Action
		if t := found.InputShape.NodeType; t != "" {
			q.on = cedar.Resource{Kind: cedar.TypeKind, ID: t}
		}
	} else {
		q.action = policy.Action(in.Action)
	}
	if q.action == policy.Administer {
		q.on = cedar.Resource{Kind: cedar.GraphKind, ID: r.Snapshot.Graph().Name()}
	}
	if in.On == "" {
		return q, nil
	}
	kind, name, named := strings.Cut(in.On, "::")
	q.on = cedar.Resource{Kind: cedar.Kind(kind), ID: strings.Trim(name, `"`)}
	switch {
	case q.on.Kind == cedar.GraphKind:
		q.on.ID = r.Snapshot.Graph().Name()
	case !named || !slices.Contains([]cedar.Kind{cedar.TypeKind, cedar.BranchKind, cedar.QueryKind}, q.on.Kind):
		return q, fault.Argument("on", fault.Pattern, in.On, `give Type::"NAME", Branch::"NAME", Query::"NAME" or Graph`)
	case q.on.Kind == cedar.TypeKind && r.Snapshot.Schema().Type(q.on.ID) == nil:
		r.Warn("%s", r.Snapshot.Schema().NoType(q.on.ID, r.Snapshot.Schema().Types...))
	}
	return q, nil
}

func capabilityIDs(r *invoke.Request) (ids []string) {
	for _, d := range r.Registry().All() {
		ids = append(ids, d.ID)
	}
	return ids
}

func (q *question) decide(a *kg.Authority, on kg.Branch) {
	if q.capability != nil {
		q.Decision = a.Calls(*q.capability, on)
		return
	}
	q.Decision = a.Decides(q.action, q.on.Kind, q.on.ID, on)
}

// String is what was asked.
func (q *question) String() string {
	if !q.action.Governed() {
		return "call " + q.capability.ID
	}
	text := string(q.action) + " " + q.on.String()
	if q.on.Kind == cedar.TypeKind && q.action.Writes() { // what is written is written on a branch
		text += " on " + cedar.Resource{Kind: cedar.BranchKind, ID: q.branch}.String()
	}
	return text
}

// mostDeciding bounds how many deciding policies are told.
const mostDeciding = 20

// lines are the names of the policies that decide, each with its line.
func (q *question) lines(p *cedar.Policies) (named []string) {
	for i, id := range q.Policies {
		if i == mostDeciding {
			return append(named, fmt.Sprintf("%d more", len(q.Policies)-i))
		}
		where := fmt.Sprintf("line %d", p.Line(id))
		if p == cedar.None() {
			where = "built in"
		}
		named = append(named, fmt.Sprintf("%s (%s)", id, where))
	}
	return named
}

// why is what decides, and which policies could not be evaluated.
func (q *question) why() string {
	why := q.decided()
	for i, failed := range q.Failed {
		if i == mostDeciding {
			return why + fmt.Sprintf("; and %d more could not be evaluated", len(q.Failed)-i)
		}
		then := "is passed over"
		if failed.Forbids {
			then = "forbids"
		}
		why += fmt.Sprintf("; the condition of %s cannot be evaluated here (%s), so that it %s", failed.Policy, failed.Why, then)
	}
	return why
}

func (q *question) decided() string {
	switch {
	case q.action == "":
		return "it reads and changes nothing of the graph, and policies do not decide about it"
	case q.action == policy.Own:
		return "it ends what the caller gave, and policies do not decide about it"
	case q.Allowed:
		return "permitted by " + enumerated(q.Policies)
	case q.Forbidden:
		return "forbidden by " + enumerated(q.Policies)
	}
	return "no policy permits it"
}

// way is what would change the decision.
func (q *question) way(who policy.Principal, graph string, p *cedar.Policies) string {
	on := q.on.String()
	if !q.Allowed && (q.action == policy.BranchCreate || !q.action.Writes() && q.on.Kind == cedar.TypeKind) {
		on = cedar.Resource{Kind: cedar.GraphKind, ID: graph}.String() // a new branch has its own name, and who may read types alone reads nothing
	}
	scope := fmt.Sprintf("principal == Actor::%q, action == Action::%q, resource in %s", who.ID, string(q.action), on)
	switch {
	case !q.action.Governed() || p == cedar.None() && q.Allowed:
		return ""
	case p == cedar.None():
		return kg.ReadOnly
	case q.Allowed:
		return fmt.Sprintf("forbid (%s); would forbid it", scope)
	case q.Forbidden && slices.ContainsFunc(q.Failed, func(f cedar.Failure) bool { return f.Forbids }):
		return "write conditions that can be evaluated: policy set --dry-run says what is in the way"
	case q.Forbidden:
		return fmt.Sprintf("make an exception of %s: unless { principal == Actor::%q }", strings.Join(q.lines(p), " and "), who.ID)
	}
	return fmt.Sprintf("permit (%s); would permit it", scope)
}

// survey lists what a caller may read, call and change.
func (e *explained) survey(ctx context.Context, r *invoke.Request, a *kg.Authority) error {
	branches, err := r.Snapshot.Branches(ctx)
	if err != nil {
		return err
	}
	room := r.RoomBeside(e)
	add := func(kind cedar.Kind, name string, read, change any) error {
		fits, err := e.add(&room, []any{string(kind), name, read, change})
		if err == nil && !fits {
			r.Parts.Cut = "not everything is shown; more fits with max_chars"
		}
		return err
	}
	main := kg.Branch{Name: kg.Main}
	for _, b := range branches {
		if b.Name == kg.Main {
			main = b
		}
		if err := add(cedar.BranchKind, b.Name, a.Decides(policy.Read, cedar.BranchKind, b.Name, b).Allowed, a.Decides(policy.Change, cedar.BranchKind, b.Name, b).Allowed); err != nil {
			return err
		}
	}
	for _, t := range r.Snapshot.Schema().Types {
		if err := add(cedar.TypeKind, t.Name, a.Decides(policy.Read, cedar.TypeKind, t.Name, main).Allowed, a.Decides(policy.Change, cedar.TypeKind, t.Name, main).Allowed); err != nil {
			return err
		}
	}
	for _, k := range r.Snapshot.Stored() {
		if err := add(cedar.QueryKind, k.ID, a.Decides(policy.InvokeQuery, cedar.QueryKind, k.ID, main).Allowed, nil); err != nil {
			return err
		}
	}
	return nil
}

// policyCase is one case of a test of policies.
type policyCase struct {
	As, Call, Action, On, Branch, Origin, Expect, By string
	Groups, Scopes                                   []string
	line                                             int
}

// caseWords are the fields of a [policyCase].
var caseWords = []string{"as", "groups", "scopes", "call", "action", "on", "branch", "origin", "expect", "by"}

// mostCases bounds the cases of one test.
const mostCases = 5000

// casesOf reads the cases of a test: a list in YAML.
func casesOf(text string) (cases []policyCase, err error) {
	refused := func(line int, format string, args ...any) error {
		return fault.Arguments(fault.FieldError{Field: "cases", Code: fault.Shape, Source: fmt.Sprintf("line %d", line), Message: fmt.Sprintf(format, args...)})
	}
	var document yaml.Node
	if err := yaml.NewDecoder(strings.NewReader(text)).Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fault.Argument("cases", fault.Shape, nil, "the cases are no YAML: "+quote.Text(strings.TrimPrefix(err.Error(), "yaml: "), maxProblem))
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.SequenceNode {
		return nil, refused(1, "the cases must be a list in YAML, each with as, call or action, and expect: allowed or denied")
	}
	list := document.Content[0].Content
	if len(list) == 0 || len(list) > mostCases {
		return nil, refused(1, "there are %d cases; give 1 to %d", len(list), mostCases)
	}
	for _, node := range list {
		c := policyCase{line: node.Line}
		for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
			if word := node.Content[i]; !slices.Contains(caseWords, word.Value) {
				return nil, refused(word.Line, "a case has %s, and no %s%s", strings.Join(caseWords, ", "), quote.Text(word.Value, maxProblem), fault.DidYouMean(word.Value, caseWords))
			}
		}
		if node.Decode(&c) != nil {
			return nil, refused(node.Line, "a case is a map in which groups and scopes are lists, and all else is text")
		}
		if c.As == "" || (c.Call == "") == (c.Action == "") || c.Expect != "allowed" && c.Expect != "denied" {
			return nil, refused(node.Line, "a case needs as, one of call and action, and expect: allowed or denied")
		}
		if c.Action != "" && !slices.Contains(cedar.Actions, policy.Action(c.Action)) {
			return nil, refused(node.Line, "there is no action %s%s", quote.Text(c.Action, maxProblem), fault.DidYouMean(c.Action, actionNames()))
		}
		if _, known := policy.ParseOrigin(c.Origin); !known && c.Origin != "" {
			return nil, refused(node.Line, "there is no origin %s%s", quote.Text(c.Origin, maxProblem), fault.OrOf(c.Origin, "is one of", policy.OriginNames()))
		}
		if why := policy.NoCaller(c.As); why != "" {
			return nil, refused(node.Line, "as: %s: %s", quote.Text(c.As, maxProblem), why)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func actionNames() (names []string) {
	for _, a := range cedar.Actions {
		names = append(names, string(a))
	}
	return names
}

// policyTested says how a test of policies went.
type policyTested struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	table
}

var caseCells = capability.CellsOf("line:integer", "asked:string", "expected:string", "found:string")

var policyTest = invoke.Define(capability.Descriptor{
	ID: "trails.meta.policy.test", Description: "Try cases against policies: who may do what, and by which policy. Nothing is changed.",
	OutputShape:  rowsOf("A list for each case that failed: its line, what was asked, what was expected, and what is so.", caseCells),
	CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Cases    string  `json:"cases" is:"brief" min:"1" max:"1048576" doc:"A list in YAML; each has as, groups, scopes, call or action with on, branch, origin, expect (allowed or denied) and by (a policy)."`
	Policies *string `json:"policies,omitempty" max:"131072" doc:"Policies to try; those of the graph when left out."`
}) (*policyTested, error) {
	cases, err := casesOf(in.Cases)
	if err != nil {
		return nil, err
	}
	tokens, err := r.Snapshot.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	out := &policyTested{table: tableOf(caseCells)}
	text, policies, err := r.Snapshot.Policies()
	if in.Policies != nil {
		policies, err = cedar.Parse(*in.Policies)
	} else if text == "" {
		if warnOfNone(r); !r.Snapshot.SeesAll() {
			return out, nil
		}
	}
	if err != nil {
		return nil, err
	}
	room := r.RoomBeside(out)
	for _, c := range cases {
		q, err := supposedCall{Call: c.Call, Action: c.Action, On: c.On, Branch: c.Branch}.question(r)
		if err != nil {
			refused := fault.Of(err).Fields[0]
			return nil, fault.Arguments(fault.FieldError{Field: "cases", Code: fault.Shape, Source: fmt.Sprintf("line %d", c.line), Message: refused.Field + ": " + refused.Message})
		}
		branch, err := r.Snapshot.BranchNamed(ctx, q.branch)
		if err != nil {
			return nil, err
		}
		branch.Name = q.branch
		who := supposed{c.As, c.Groups, c.Scopes, c.Origin}.principal(tokens)
		q.decide(r.Snapshot.As(who, policies), branch)
		wanted := c.Expect
		if c.By != "" {
			wanted += " by " + c.By
		}
		if q.Allowed == (c.Expect == "allowed") && (c.By == "" || slices.Contains(q.Policies, c.By)) {
			out.Passed++
			continue
		}
		out.Failed++
		if fits, err := out.add(&room, []any{c.line, who.ID + ": " + q.String(), wanted, q.why()}); err != nil {
			return nil, err
		} else if !fits {
			r.Parts.Cut = "not all failed cases are shown; more fit with max_chars"
		}
	}
	return out, nil
}, invoke.On())
