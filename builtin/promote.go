package builtin

import (
	"context"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/outline"
	"trails/policy"
)

// promotions are what brings the definitions of one file to another. They are no tools: what
// they take is made by one file and read by the other.
var promotions = []invoke.Capability{promotePlan, promoteApply, promoteUndo}

// textFields are those of a text with a name.
func textFields(name string) []capability.Field {
	return []capability.Field{
		{Name: "name", Type: capability.String, Required: true, Description: name},
		{Name: "text", Type: capability.String, Required: true},
	}
}

// definitionFields are what a file says of its data.
var definitionFields = []capability.Field{
	{Name: "schema", Type: capability.String, Required: true, Description: "YAML, without a base."},
	{Name: "queries", Type: capability.Object, Many: true, MaxCount: new(2000), Fields: textFields("The id of the stored query.")},
	{Name: "migrations", Type: capability.Object, Many: true, MaxCount: new(9999), Fields: textFields("NNNN_name.yaml")},
}

// definitionsField is the definitions of another file, as definitions_get answers them.
var definitionsField = capability.Field{Name: "definitions", Type: capability.Object, Required: true, Description: "What definitions_get of the other file answers.", Fields: definitionFields}

// namedText is a text with a name.
type namedText struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// foundOnly are the surfaces of the tools that no list has and tool_browse finds.
var foundOnly = []string{}

var found = []invoke.Capability{definitionsGet, definitionsDiff, capabilityHistory}

var definitionsGet = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "definitions_get", Description: "The schema, the stored queries and the applied migrations of the file, and none of its data.",
		InputShape:  capability.Shape{Fields: []capability.Field{capability.ReadBranch()}},
		OutputShape: capability.Shape{Fields: definitionFields},

		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	},
	Surfaces: foundOnly,
	Handle: func(_ context.Context, r *invoke.Request) (any, error) {
		d, err := r.Snapshot.Definitions()
		out := struct {
			Schema     string      `json:"schema"`
			Queries    []namedText `json:"queries,omitempty"`
			Migrations []namedText `json:"migrations,omitempty"`
		}{Schema: string(d.Schema)}
		for _, q := range d.Queries {
			out.Queries = append(out.Queries, namedText(q))
		}
		for _, m := range d.Migrations {
			out.Migrations = append(out.Migrations, namedText{m.File(), m.Text})
		}
		return out, err
	},
}

// definitionsOf reads the definitions of a call.
func definitionsOf(r *invoke.Request) (d kg.Definitions, err error) {
	given := invoke.Arguments(r.Args.Object(definitionsField.Name))
	d.Schema, d.Queries = []byte(given.Text("schema")), givenQueries(given)
	d.Migrations, err = givenMigrations(given)
	return d, err
}

var definitionsDiff = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "definitions_diff", Description: "Compare definitions: what leads from those of the file (schema, stored queries, migrations) to other ones, renames as renames.",
		InputShape: capability.Shape{Fields: []capability.Field{definitionsField, capability.ReadBranch()}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "columns", Type: capability.String, Many: true, Required: true},
			{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each difference: what, and of a stored query the unified diff of its text."},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
	},
	Surfaces: foundOnly,
	Handle: func(_ context.Context, r *invoke.Request) (any, error) {
		other, err := definitionsOf(r)
		if err != nil {
			return nil, err
		}
		d, err := r.Snapshot.Against(other)
		if err != nil {
			return nil, err
		}
		out := struct {
			Columns []string    `json:"columns"`
			Rows    [][2]string `json:"rows"`
		}{Columns: []string{"what", "diff"}, Rows: [][2]string{}}
		for _, file := range d.Missing {
			out.Rows = append(out.Rows, [2]string{"migration " + file + " is applied in the first alone", ""})
		}
		for _, file := range d.Applied {
			out.Rows = append(out.Rows, [2]string{"apply migration " + file, ""})
		}
		for _, s := range d.Steps {
			out.Rows = append(out.Rows, [2]string{outline.Shorten(s.String(), toldStep), ""})
		}
		for _, q := range d.Queries {
			out.Rows = append(out.Rows, [2]string{queryStep(q), string(diff.Diff("a/"+q.ID+".rq", []byte(q.Was), "b/"+q.ID+".rq", []byte(q.Text)))})
		}
		return out, nil
	},
}

// queryStep says what becomes of a stored query.
func queryStep(q kg.QueryStep) string {
	switch {
	case q.Was == "":
		return "add stored query " + q.ID
	case q.Text == "":
		return "remove stored query " + q.ID
	}
	return "change stored query " + q.ID
}

// promotionFields are what a promotion does.
var promotionFields = append([]capability.Field{
	{Name: "columns", Type: capability.String, Many: true, Required: true},
	{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each thing that it does: step, effect, the first nodes."},
	{Name: "blocked", Type: capability.Boolean, Required: true, Description: "Whether data contradicts it."},
	{Name: "loses", Type: capability.Integer, Required: true, Description: "How many statements it removes."},
	{Name: "own", Type: capability.String, Many: true, Description: "What this file defines itself and would lose."},
	{Name: "head", Type: capability.String, Nullable: true, Required: true, Description: "The commit that it was planned at."},
}, capability.Changes())

// promotionView is a promotion as a table with a row for each thing that it does.
type promotionView struct {
	planView
	Own     []string     `json:"own,omitempty"`
	Head    *string      `json:"head"`
	Changes *changeTable `json:"changes,omitempty"`
}

func promotionOf(p kg.Promoted) promotionView {
	v := promotionView{planView: planOf(kg.Plan{Loses: p.Loses, Blocked: p.Broken > 0}), Own: p.Own}
	if !p.Head.ID.IsZero() {
		id := p.Head.ID.String()
		v.Head = &id
	}
	add := func(before string, steps [][]string) {
		for _, row := range steps {
			v.Rows = append(v.Rows, []string{before + row[1], row[2], row[3]})
		}
	}
	for _, m := range p.Migrations {
		name := strings.TrimSuffix(m.Migration.File(), ".yaml") + ": "
		add(name, stepsOf(m))
	}
	add("", stepsOf(p.Schema))
	for _, q := range p.Queries {
		v.Rows = append(v.Rows, []string{queryStep(q), "safe", ""})
	}
	for _, name := range p.Own {
		v.Rows = append(v.Rows, []string{name, "is of this file alone, or was changed here: needs replace", ""})
	}
	if p.Broken > 0 {
		add("", stepsOf(kg.Migrated{Breaks: p.Breaks, Broken: p.Broken}))
	}
	return v
}

var promotePlan = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "trails.meta.promote.plan", Description: "Say what it would do to make the definitions of another file those of this one, by trying it. Nothing is changed.",
		InputShape:   capability.Shape{Fields: []capability.Field{definitionsField, capability.ReadBranch()}},
		OutputShape:  capability.Shape{Fields: promotionFields},
		CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
	},
	Hidden: true,
	Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
		p, err := promotionIn(r)
		if err != nil {
			return nil, err
		}
		s := r.Snapshot.Schema()
		r.Release()
		plan, result, err := r.Session().PlanPromotion(ctx, p)
		if err != nil {
			return nil, err
		}
		v := promotionOf(plan)
		v.Changes = dataChanges(s, result)
		r.WarnMass("the promotion", max(result.Loses, plan.Loses))
		return v, nil
	},
}

func promotionIn(r *invoke.Request) (kg.Promotion, error) {
	d, err := definitionsOf(r)
	return kg.Promotion{
		Definitions: d, Replace: r.Args.Flag("replace"), AllowDataLoss: r.Args.Flag(allowLoss.Name), Progress: r.Progress, Check: namesFree(r),
	}, err
}

var promoteApply = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "trails.meta.promote.apply", Description: "Make the definitions of another file those of this one, as one commit: its migrations that are not applied here, its schema, its stored queries. Plan first.",
		InputShape: capability.Shape{Fields: append([]capability.Field{
			definitionsField,
			{Name: "replace", Type: capability.Boolean, Default: false, Description: "Let go what this file defines itself."},
			{Name: allowLoss.Name, Type: capability.Boolean, Default: false, Description: "Remove statements that have no place any more."},
		}, capability.MassArguments()...)},
		OutputShape:   capability.Shape{Fields: append(optional(promotionFields), capability.CommitResult()...)},
		Preconditions: []string{"All migrations that are applied here are among the definitions.", "The data that is there fits the new schema."},
		SideEffects:   capability.Destroys, CostEstimate: capability.CostGraph,
		PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply},
	},
	Hidden: true,
	Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
		p, err := promotionIn(r)
		if err != nil {
			return nil, err
		}
		if p.Set, err = r.ChangeSet(ctx); err != nil {
			return nil, err
		}
		r.Release()
		done, result, err := r.Session().Promote(ctx, p)
		if err != nil {
			return nil, err
		}
		return struct {
			promotionView
			invoke.Written
		}{promotionOf(done), r.Committed(result, p.Set.DryRun)}, nil
	},
}

var promoteUndo = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "trails.meta.promote.undo", Description: "Take back what the commit of a promotion changed, as one commit. Refused, naming the nodes, where later data stands against it.",
		InputShape: undoBuiltin.InputShape, OutputShape: undoBuiltin.OutputShape,
		Preconditions: []string{"No later commit changed definitions, or the values that it changed."},
		SideEffects:   capability.Destroys, CostEstimate: capability.CostChange,
		PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply},
	},
	Hidden: true,
	Handle: undoing((*kg.Session).UndoPromotion),
}
