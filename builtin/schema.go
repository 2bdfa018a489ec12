package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/outline"
	"trails/policy"
	"trails/quote"
	"trails/rdf"
	"trails/schema"
	"trails/stored"
	"trails/view"
)

// schemaFormat is a form in which the schema can be had.
type schemaFormat string

const (
	formOutline schemaFormat = "outline"
	formYAML    schemaFormat = "yaml"
	formJSON    schemaFormat = "json"
	formTurtle  schemaFormat = "turtle"
)

var schemaFormats = []schemaFormat{formOutline, formYAML, formJSON, formTurtle}

// Bounds on what is told of a schema.
const (
	toldNodes       = 5   // of a step
	toldStep        = 300 // characters
	toldReason      = 200
	toldDescription = 80
	toldCount       = 10_000 // how far the nodes of a type are counted
)

// schemaView is what schema_get answers.
type schemaView struct {
	Format        schemaFormat `json:"format"`
	SchemaVersion int64        `json:"schema_version"`
	Schema        any          `json:"schema,omitempty"`
	Text          string       `json:"text,omitempty"`
	Columns       []string     `json:"columns,omitempty"`
	Rows          [][]any      `json:"rows,omitempty"`
}

// schemaGet answers the outline of the schema, or all of it in one form; of one type its
// declaration, which is YAML when no form is asked for.
func schemaGet(ctx context.Context, r *invoke.Request) (any, error) {
	s, form := r.Snapshot.Schema(), schemaFormat(r.Args.Text("format"))
	if r.Args.Text("type") == "" {
		if form == "" || form == formOutline {
			return schemaOutline(ctx, r)
		}
		return schemaWhole(s, r.Snapshot.SchemaVersion(), form)
	}
	t, err := view.KnownType(r, "type")
	if err != nil {
		return nil, err
	}
	out := schemaView{Format: form, SchemaVersion: r.Snapshot.SchemaVersion()}
	switch form {
	case "", formYAML:
		out.Format, out.Text = formYAML, string(s.TypeYAML(t))
	case formJSON:
		out.Schema = s.JSON(t)
	case formOutline, formTurtle:
		return nil, fault.Argument("format", fault.OneOf, string(form), "one type can be had as yaml or json")
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

// schemaResource answers the whole schema to programs.
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

// schemaChange reads what a call asks of the schema: a whole one or a patch, exactly one.
func schemaChange(r *invoke.Request) (kg.SchemaChange, error) {
	whole, isWhole := r.Args[schemaText.Name]
	patch, isPatch := r.Args[patchText.Name]
	switch {
	case isWhole && isPatch:
		return kg.SchemaChange{}, fault.Argument(patchText.Name, fault.Closed, nil, "give patch, the steps from the schema that is there, or schema, the whole new one, not both")
	case !isWhole && !isPatch:
		return kg.SchemaChange{}, fault.Argument(patchText.Name, fault.Required, nil, "give patch, such as - add_property: {Task.due: date}, or schema, the whole new one")
	}
	change := kg.SchemaChange{AllowBrokenQueries: r.Args.Flag(allowBroken.Name)}
	if text, _ := patch.(string); isPatch {
		change.Patch = []byte(text)
	} else {
		text, _ := whole.(string)
		change.Source = []byte(text)
	}
	return change, nil
}

func schemaPlan(ctx context.Context, r *invoke.Request) (any, error) {
	change, err := schemaChange(r)
	if err != nil {
		return nil, err
	}
	r.Release() // planning pins its own
	p, err := r.Session().PlanSchema(ctx, change)
	if err == nil && len(p.Loosening) > 0 && mayLoosen(r)(p.Loosening) != nil {
		r.Warn("these steps loosen, rename or drop, and to apply them you need the scope %s: %s", policy.Builder, enumerated(stepTexts(p.Loosening)))
	}
	r.WarnMass("applying it", p.Loses)
	return planOf(p), err
}

// mayLoosen refuses to loosen the schema for whoever lacks the scope builder: what others rely
// on is taken away by it.
func mayLoosen(r *invoke.Request) kg.Guard {
	return func(loosening []schema.Step) error {
		err := r.MayGive(capability.Field{Scope: policy.Builder})
		if err == nil {
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

// schemaApplied is what an applied schema answers.
type schemaApplied struct {
	Plan planView `json:"plan"`
	invoke.Written
}

func schemaApply(ctx context.Context, r *invoke.Request) (any, error) {
	if r.Args.Flag("plan") {
		p, err := schemaPlan(ctx, r)
		return map[string]any{"plan": p}, err
	}
	change, err := schemaChange(r)
	if err != nil {
		return nil, err
	}
	if change.Set, err = r.ChangeSet(ctx); err != nil {
		return nil, err
	}
	r.Release()
	change.Guard = mayLoosen(r)
	change.AllowDataLoss, change.Progress = r.Args.Flag(allowLoss.Name) || r.Agreed(), r.Progress
	p, result, err := r.Session().ApplySchema(ctx, change)
	if err != nil {
		return nil, err
	}
	return schemaApplied{Plan: planOf(p), Written: r.Committed(result, change.Set.DryRun)}, nil
}

// planView is a plan as a table with a row for each step, and for each stored query that it
// changes.
type planView struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Blocked bool       `json:"blocked"`
	Loses   int64      `json:"loses"`
}

func planOf(p kg.Plan) planView {
	v := planView{Columns: []string{"step", "effect", "nodes"}, Rows: [][]string{}, Blocked: p.Blocked, Loses: p.Loses}
	for _, s := range p.Steps {
		v.Rows = append(v.Rows, []string{outline.Shorten(s.String(), toldStep), effectOf(s, p.More), nodesOf(s)})
	}
	for _, q := range p.Queries {
		v.Rows = append(v.Rows, queryRow(q, ", or pass "+allowBroken.Name))
	}
	return v
}

// queryRow says what a change of the schema does to a stored query, with the first places
// that it breaks; otherwise is what can be done then beside changing the query.
func queryRow(q stored.Carried, otherwise string) []string {
	var effects, places []string
	for _, f := range q.Broken[:min(len(q.Broken), toldNodes)] {
		places = append(places, outline.Shorten(f.String(), toldReason))
	}
	if len(q.Broken) > 0 {
		effects = append(effects, "breaks; correct or remove it first"+otherwise)
	} else {
		effects = append(effects, "safe")
	}
	if q.Renamed > 0 {
		effects = append(effects, fmt.Sprintf("renames %d in it", q.Renamed))
	}
	return []string{"stored query " + q.ID, strings.Join(effects, ", "), strings.Join(places, "; ")}
}

// effectOf says what a step means for the data that is there; more is set when not all that
// it breaks was looked for.
func effectOf(s kg.PlannedStep, more bool) string {
	var effects []string
	if s.Broken > 0 {
		atLeast := ""
		if more {
			atLeast = "at least "
		}
		nodes := "nodes"
		if s.Broken == 1 {
			nodes = "node"
		}
		effects = append(effects, fmt.Sprintf("breaks %s%d %s", atLeast, s.Broken, nodes))
	}
	if s.Removes > 0 {
		effects = append(effects, "loses "+statements(s.Removes))
	}
	if len(effects) == 0 {
		effects = append(effects, "safe")
	}
	if s.Moves > 0 {
		effects = append(effects, "moves "+statements(s.Moves)+movesIn(s.MovesIn))
	}
	if s.Backfill {
		effects = append(effects, "fills in the default")
	}
	return strings.Join(effects, ", ")
}

// movesIn says how many of the statements that move are in named graphs, the first of which
// it names.
func movesIn(moves map[rdf.Term]int64) string {
	const named = 3
	var graphs []string
	for _, g := range slices.SortedFunc(maps.Keys(moves), func(a, b rdf.Term) int { return cmp.Compare(a.String(), b.String()) }) {
		if len(graphs) == named {
			graphs = append(graphs, fmt.Sprintf("%d more graphs", len(moves)-named))
			break
		}
		graphs = append(graphs, fmt.Sprintf("%d in %s", moves[g], quote.Line(rdf.Lexical(g), toldReason)))
	}
	if len(graphs) == 0 {
		return ""
	}
	return " (" + strings.Join(graphs, ", ") + ")"
}

// nodesOf names the first nodes that a step breaks, with the reason, and the first that lose
// something.
func nodesOf(s kg.PlannedStep) string {
	var nodes []string
	for _, f := range s.Breaks[:min(len(s.Breaks), toldNodes)] {
		nodes = append(nodes, outline.Shorten(f.String(), toldReason))
	}
	if len(s.Losing) > 0 {
		nodes = append(nodes, strings.Join(s.Losing, ", "))
	}
	return strings.Join(nodes, "; ")
}
