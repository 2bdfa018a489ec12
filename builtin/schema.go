package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/capability/stored"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
	"trails/text/quote"
)

// schemaFormat is a form in which the schema can be had.
type schemaFormat string

const (
	formOutline schemaFormat = "outline"
	formYAML    schemaFormat = "yaml"
	formJSON    schemaFormat = "json"
	formTurtle  schemaFormat = "turtle"
)

// Bounds on descriptions of a schema.
const (
	toldNodes       = 5   // of a step
	toldStep        = 300 // characters of a step
	toldReason      = 200
	toldDescription = 80
	toldCount       = 10_000 // limit for counting the nodes of a type
)

// schemaAsked says what of the schema is wanted.
type schemaAsked struct {
	Type   string       `json:"type,omitempty"`
	Format schemaFormat `json:"format,omitempty" is:"rare" oneof:"outline,yaml,json,turtle" doc:"Without type outline, a line for each, unless all of it is asked for as yaml, json or turtle (SHACL); with type yaml or json."`
}

// schemaView is what schema_get answers.
type schemaView struct {
	Format        schemaFormat `json:"format"`
	SchemaVersion int64        `json:"schema_version"`
	Schema        any          `json:"schema,omitempty" type:"object" doc:"With format json."`
	Text          string       `json:"text,omitempty" doc:"With format yaml or turtle."`
	Columns       []string     `json:"columns,omitempty" doc:"With format outline."`
	Rows          [][]any      `json:"rows,omitempty" type:"any" cells:"type:string,nodes:integer string,label:string,extends:string,description:string" doc:"A list for each type: name, nodes, label property, supertypes, description."`
}

var schemaGetBuiltin = invoke.Define(capability.Descriptor{
	ID: "schema_get", Description: "List types, or one as YAML, as schema_apply takes it.",
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, schemaGet)

// schemaGet answers the outline of the schema, or all of it in one form; for one type its declaration, in YAML by
// default.
func schemaGet(ctx context.Context, r *invoke.Request, in schemaAsked) (schemaView, error) {
	s, form := r.Snapshot.Schema(), in.Format
	if in.Type == "" {
		r.Source("trails://schema", "schema", false)
		if form == "" || form == formOutline {
			return schemaOutline(ctx, r)
		}
		return schemaWhole(s, r.Snapshot.SchemaVersion(), form)
	}
	t, err := view.KnownType(r, in.Type)
	if err != nil {
		return schemaView{}, err
	}
	out := schemaView{Format: form, SchemaVersion: r.Snapshot.SchemaVersion()}
	switch form {
	case "", formYAML:
		out.Format, out.Text = formYAML, string(s.TypeYAML(t))
	case formJSON:
		out.Schema = s.JSON(t)
	case formOutline, formTurtle:
		return out, fault.Argument("format", fault.OneOf, string(form), "one type can be had as yaml or json")
	}
	return out, nil
}

func schemaWhole(s *schema.Schema, version int64, form schemaFormat) (schemaView, error) {
	out := schemaView{Format: form, SchemaVersion: version}
	switch form {
	case formYAML:
		out.Text = string(s.YAML())
	case formTurtle:
		var text bytes.Buffer
		if err := s.WriteTurtle(&text); err != nil {
			return out, fmt.Errorf("write schema: %w", err)
		}
		out.Text = text.String()
	case formOutline, formJSON:
		out.Format, out.Schema = formJSON, s.JSON()
	}
	return out, nil
}

// schemaResource returns the whole schema, for programs.
func schemaResource(_ context.Context, r *invoke.Request) (any, error) {
	return schemaWhole(r.Snapshot.Schema(), r.Snapshot.SchemaVersion(), formJSON)
}

// schemaOutline is a line for each type.
func schemaOutline(ctx context.Context, r *invoke.Request) (schemaView, error) {
	s := r.Snapshot.Schema()
	out := schemaView{
		Format: formOutline, SchemaVersion: r.Snapshot.SchemaVersion(),
		Columns: []string{"type", "nodes", "label", "extends", "description"}, Rows: [][]any{},
	}
	counts, err := r.Snapshot.TypeCountsUpTo(ctx, toldCount)
	if err != nil {
		return out, err
	}
	for _, c := range counts {
		var nodes any = c.Count
		switch {
		case c.Type.Abstract:
			nodes = "abstract"
		case c.Count >= toldCount:
			nodes = "10,000+"
		}
		out.Rows = append(out.Rows, []any{c.Type.Name, nodes, s.LabelOf(c.Type), strings.Join(c.Type.Extends, ", "), outline.Shorten(c.Type.Description, toldDescription)})
	}
	return out, nil
}

// newSchema is a new schema in the arguments.
type newSchema struct {
	Patch  *string `json:"patch,omitempty" doc:"YAML list of steps: add_type: {Task: {properties: {title: string}}}; add_property: {Task.due: date}; alter_, drop_, rename_ likewise (null drops a word)." example:"- add_property: {Task.due: date}"`
	Schema *string `json:"schema,omitempty" doc:"Or the whole new one." example:"types: {Task: {properties: {title: string}}}"`
}

// mayLose is what a change of the schema may take away.
type mayLose struct {
	Data bool `json:"allow_data_loss" default:"false" scope:"builder" doc:"Remove data."`
}

// mayBreak says whether stored queries may break.
type mayBreak struct {
	Queries bool `json:"allow_broken_queries" is:"rare" default:"false" scope:"builder" doc:"Leave stored queries that it breaks."`
}

// change reads the new schema from the arguments: either complete or as a patch.
func (n newSchema) change(b mayBreak) (kg.SchemaChange, error) {
	change := kg.SchemaChange{AllowBrokenQueries: b.Queries}
	switch {
	case n.Schema != nil && n.Patch != nil:
		return change, fault.Argument("patch", fault.Closed, nil, "give patch, the steps from the schema that is there, or schema, the whole new one, not both")
	case n.Patch != nil:
		change.Patch = []byte(*n.Patch)
	case n.Schema != nil:
		change.Source = []byte(*n.Schema)
	default:
		return change, fault.Argument("patch", fault.Required, nil, "give patch, such as - add_property: {Task.due: date}, or schema, the whole new one")
	}
	return change, nil
}

// planView is a plan as a table with a row for each step, and for each changed stored query.
type planView struct {
	Columns []string       `json:"columns"`
	Rows    []view.PlanRow `json:"rows" type:"any" cells:"step:string,effect:string,nodes:array" doc:"A list for each step, in order: what it does, whether it is safe, breaks nodes or loses statements, and the first nodes that it is so for, each with the reason."`
	Blocked bool           `json:"blocked" doc:"Whether data contradicts the new schema."`
	Loses   int64          `json:"loses" doc:"How many statements would be removed."`
}

// planAsked is a schema to come that is only planned.
type planAsked struct {
	newSchema
	mayBreak
}

// patchToldBefore says that an earlier tool in the same list describes the patch.
var patchToldBefore = details(capability.Field{Name: "patch", Brief: true})

var schemaPlanMeta = invoke.Define(capability.Descriptor{
	ID: "trails.meta.schema.plan", Description: "List the steps from the current schema to a new one, and what each breaks or loses.",
	InputShape:   patchToldBefore,
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, schemaPlan, invoke.Newest)

func schemaPlan(ctx context.Context, r *invoke.Request, in planAsked) (v planView, err error) {
	change, err := in.change(in.mayBreak)
	if err != nil {
		return v, err
	}
	r.Release() // planning opens its own snapshot
	p, err := r.Session().PlanSchema(ctx, change)
	if err == nil && len(p.Loosening) > 0 && mayLoosen(r)(p.Loosening) != nil {
		r.Warn("these steps loosen, rename or drop, and to apply them you need the scope %s: %s", policy.Builder, enumerated(stepTexts(p.Loosening)))
	}
	r.WarnMass("applying it", p.Loses)
	for _, text := range p.Idle {
		r.Warn("%s", text)
	}
	return planOf(p), err
}

// mayLoosen refuses callers without the scope builder to loosen the schema, because others may rely on it.
func mayLoosen(r *invoke.Request) kg.Guard {
	return func(loosening []schema.Step) error {
		err := r.MayGive(capability.Field{Scope: policy.Builder})
		if err == nil || r.Asks() {
			return nil
		}
		return fault.Of(err).With("needs_builder", stepTexts(loosening))
	}
}

func stepTexts(steps []schema.Step) []string {
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = outline.Shorten(s.String(), toldStep)
	}
	return texts[:min(len(texts), 100)]
}

// schemaChanging is what applying a schema takes; it may also only be planned.
type schemaChanging struct {
	newSchema
	Plan bool `json:"plan" default:"false" doc:"Only say what breaks."`
	mayLose
	mayBreak
	capability.AskArgument
	capability.ChangeArguments
}

// schemaChanged is what it answers, without a commit where it is planned.
type schemaChanged struct {
	Plan *planView `json:"plan,omitempty" doc:"The steps and what they mean for the data."`
	*invoke.Written
}

var schemaApplyMeta = invoke.Define(capability.Descriptor{
	ID: "trails.meta.schema.apply", Description: "Change the schema by patch or schema, as one commit.",
	InputShape: patchToldBefore, Preconditions: schemaFits,
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply}, Idempotent: true,
}, schemaApply, invoke.Asks(schemaLoses))

var schemaApplyBuiltin = invoke.Define(capability.Descriptor{
	ID: "schema_apply", Description: "Change the schema. Refused where data or stored queries contradict it or data is lost.",
	Preconditions: schemaFits,
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.SchemaApply}, Idempotent: true,
}, schemaApply, invoke.Asks(schemaLoses))

var schemaFits = []string{"The data and the stored queries that are there fit the new schema."}

func schemaApply(ctx context.Context, r *invoke.Request, in schemaChanging) (out schemaChanged, err error) {
	if in.Plan {
		p, err := schemaPlan(ctx, r, planAsked{in.newSchema, in.mayBreak})
		return schemaChanged{Plan: &p}, err
	}
	change, err := in.change(in.mayBreak)
	if err != nil {
		return out, err
	}
	if change.Set, err = r.ChangeSet(ctx); err != nil {
		return out, err
	}
	r.Release()
	change.Guard = mayLoosen(r)
	change.AllowDataLoss, change.Progress = in.Data || r.Agreed(), r.Progress
	p, result, err := r.Session().ApplySchema(ctx, change)
	if err != nil {
		return out, err
	}
	return schemaChanged{new(planOf(p)), new(r.Committed(result, change.Set.DryRun))}, nil
}

func planOf(p kg.Plan) planView {
	v := planView{Columns: []string{"step", "effect", "nodes"}, Rows: []view.PlanRow{}, Blocked: p.Blocked, Loses: p.Loses}
	for _, s := range p.Steps {
		v.Rows = append(v.Rows, view.PlanRow{Step: outline.Shorten(s.String(), toldStep), Effect: effectOf(s, p.More), Nodes: nodesOf(s)})
	}
	for _, q := range p.Queries {
		v.Rows = append(v.Rows, queryRow(q, ", or pass allow_broken_queries"))
	}
	return v
}

// queryRow describes the effect of a schema change on a stored query, with the first places that break; otherwise
// says what can be done besides changing the query.
func queryRow(q stored.Carried, otherwise string) view.PlanRow {
	row := view.PlanRow{Step: "stored query " + q.ID, Nodes: planNodes(q.Broken)}
	var effects []string
	if len(q.Broken) > 0 {
		effects = append(effects, "breaks; correct or remove it first"+otherwise)
	} else {
		effects = append(effects, view.SafeEffect)
	}
	if q.Renamed > 0 {
		effects = append(effects, fmt.Sprintf("renames %d in it", q.Renamed))
	}
	row.Effect = strings.Join(effects, ", ")
	return row
}

// effectOf describes the effect of a step on the current data; more is set if the search for broken data stopped
// early.
func effectOf(s kg.PlannedStep, more bool) string {
	var effects []string
	if s.Broken > 0 {
		atLeast := ""
		if more {
			atLeast = "at least "
		}
		effects = append(effects, "breaks "+atLeast+fault.Counted(s.Broken, "node"))
	}
	if s.Removes > 0 {
		effects = append(effects, "loses "+statements(s.Removes)+inGraphs(s.RemovesIn))
	}
	if s.Crosses != "" {
		effects = append(effects, fmt.Sprintf("names cross: what is under %s stays there; apply the patches that rename one by one instead", s.Crosses))
	}
	if len(effects) == 0 {
		effects = append(effects, view.SafeEffect)
	}
	if s.Moves > 0 {
		effects = append(effects, "moves "+statements(s.Moves)+inGraphs(s.MovesIn))
	}
	if s.Backfill {
		effects = append(effects, "fills in the default")
	}
	return strings.Join(effects, ", ")
}

// inGraphs says how many of the statements are in named graphs, and names the first of these.
func inGraphs(counts map[rdf.Term]int64) string {
	const named = 3
	var graphs []string
	for _, g := range slices.SortedFunc(maps.Keys(counts), func(a, b rdf.Term) int { return cmp.Compare(a.String(), b.String()) }) {
		if len(graphs) == named {
			graphs = append(graphs, fmt.Sprintf("%d more graphs", len(counts)-named))
			break
		}
		graphs = append(graphs, fmt.Sprintf("%d in %s", counts[g], quote.Line(rdf.Lexical(g), toldReason)))
	}
	if len(graphs) == 0 {
		return ""
	}
	return " (" + strings.Join(graphs, ", ") + ")"
}

// nodesOf names the first nodes that a step breaks, with the reason, and the first that lose something.
func nodesOf(s kg.PlannedStep) []view.PlanNode {
	nodes := planNodes(s.Breaks)
	for _, name := range s.Losing {
		nodes = append(nodes, view.PlanNode{name})
	}
	return nodes
}

// planNodes are the nodes that the first mistakes are about.
func planNodes(mistakes []fault.FieldError) (nodes []view.PlanNode) {
	for _, f := range mistakes[:min(len(mistakes), toldNodes)] {
		nodes = append(nodes, view.PlanNodeOf(f))
	}
	return nodes
}
