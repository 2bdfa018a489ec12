package builtin

import (
	"context"
	"strings"

	lines "github.com/rogpeppe/go-internal/diff"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/text/outline"
)

// promotions are the capabilities for copying definitions from one file to another. They are not tools: their input
// is made from one file and read by another.
var promotions = []invoke.Capability{promotePlan, promoteApply, promoteUndo}

type queryFile struct {
	Name string `json:"name" doc:"The id of the stored query."`
	Text string `json:"text"`
}

type migrationFile struct {
	Name string `json:"name" doc:"NNNN_name.yaml"`
	Text string `json:"text"`
}

// definitions are what a file says of its data.
type definitions struct {
	Schema     string          `json:"schema" doc:"YAML, without a base."`
	Queries    []queryFile     `json:"queries,omitempty" max:"2000"`
	Migrations []migrationFile `json:"migrations,omitempty" max:"9999"`
	Policies   string          `json:"policies,omitempty" max:"131072" doc:"In Cedar; those of a file stay where it is left out."`
}

// foreign are the definitions of another file.
type foreign struct {
	Definitions definitions `json:"definitions" doc:"What definitions_get of the other file answers."`
}

// found are tools in no list, which only tool_browse finds.
var found = []invoke.Capability{definitionsGet, definitionsDiff, capabilityHistory}

var definitionsGet = invoke.Define(capability.Descriptor{
	ID: "definitions_get", Description: "The schema, the stored queries and the applied migrations of the file, and none of its data.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(_ context.Context, r *invoke.Request, _ struct{}) (definitions, error) {
	d, err := r.Snapshot.Definitions()
	out := definitions{Schema: string(d.Schema), Policies: d.Policies}
	for _, q := range d.Queries {
		out.Queries = append(out.Queries, queryFile(q))
	}
	for _, m := range d.Migrations {
		out.Migrations = append(out.Migrations, migrationFile{m.File(), m.Text})
	}
	return out, err
}, invoke.On())

// read reads what another file defines.
func (f foreign) read() (d kg.Definitions, err error) {
	d.Schema, d.Policies = []byte(f.Definitions.Schema), f.Definitions.Policies
	for _, q := range f.Definitions.Queries {
		d.Queries = append(d.Queries, kg.QueryText(q))
	}
	d.Migrations, err = migrationsOf(f.Definitions.Migrations)
	return d, err
}

// differing lists the differences of definitions.
type differing struct {
	Columns []string    `json:"columns"`
	Rows    [][2]string `json:"rows" type:"any" cells:"what:string,diff:string" doc:"A list for each difference: what, and of a stored query the unified diff of its text."`
}

var definitionsDiff = invoke.Define(capability.Descriptor{
	ID: "definitions_diff", Description: "Compare definitions: what leads from those of the file (schema, stored queries, migrations) to other ones, renames as renames.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(_ context.Context, r *invoke.Request, in foreign) (out differing, err error) {
	other, err := in.read()
	if err != nil {
		return out, err
	}
	d, err := r.Snapshot.Against(other)
	if err != nil {
		return out, err
	}
	return differing{Columns: []string{"what", "diff"}, Rows: stepsOfDefinitions(d)}, nil
}, invoke.On())

// stepsOfDefinitions describes a difference of definitions: each step, and of a stored query the unified diff of its text.
func stepsOfDefinitions(d kg.DefinitionsDiff) [][2]string {
	rows := [][2]string{}
	for _, file := range d.Missing {
		rows = append(rows, [2]string{"migration " + file + " is applied in the first alone", ""})
	}
	for _, file := range d.Applied {
		rows = append(rows, [2]string{"apply migration " + file, ""})
	}
	for _, s := range d.Steps {
		rows = append(rows, [2]string{outline.Shorten(s.String(), toldStep), ""})
	}
	for _, q := range d.Queries {
		rows = append(rows, [2]string{queryStep(q), string(lines.Diff("a/"+q.ID+".rq", []byte(q.Was), "b/"+q.ID+".rq", []byte(q.Text)))})
	}
	if p := d.Policies; p != (kg.PolicyStep{}) {
		rows = append(rows, [2]string{verbOf(p.Was, p.Text) + " policies", string(lines.Diff("a/policies.cedar", []byte(p.Was), "b/policies.cedar", []byte(p.Text)))})
	}
	return rows
}

// queryStep describes the change of a stored query.
func queryStep(q kg.QueryStep) string { return verbOf(q.Was, q.Text) + " stored query " + q.ID }

// verbOf says what becomes of a text.
func verbOf(was, text string) string {
	switch "" {
	case was:
		return "add"
	case text:
		return "remove"
	}
	return "change"
}

// promotionView is a promotion as a table with one row for each step.
type promotionView struct {
	planView
	Own  []string `json:"own,omitempty" doc:"What this file defines itself and would lose."`
	Head *string  `json:"head" doc:"The commit that it was planned at."`
	capability.Changed
}

// promotionRows says what the rows of a promotion are.
var promotionRows = rowsOf("A list for each thing that it does: step, effect, the first nodes, each with the reason.", nil,
	capability.Field{Name: "blocked", Description: "Whether data contradicts it."}, capability.Field{Name: "loses", Description: "How many statements it removes."})

func promotionOf(p kg.Promoted) *promotionView {
	v := &promotionView{planView: planOf(kg.Plan{Loses: p.Loses, Blocked: p.Broken > 0}), Own: p.Own}
	if !p.Head.ID.IsZero() {
		id := p.Head.ID.String()
		v.Head = &id
	}
	add := func(before string, steps []view.PlanRow) {
		for _, row := range steps {
			row.Of, row.Step = nil, before+row.Step
			v.Rows = append(v.Rows, row)
		}
	}
	for _, m := range p.Migrations {
		name := strings.TrimSuffix(m.Migration.File(), ".yaml") + ": "
		add(name, stepsOf(m))
	}
	add("", stepsOf(p.Schema))
	for _, q := range p.Queries {
		effect := view.SafeEffect
		if q.Text == "" {
			effect = "loses the stored query"
		}
		v.Rows = append(v.Rows, view.PlanRow{Step: queryStep(q), Effect: effect})
	}
	if p.Policies != (kg.PolicyStep{}) {
		v.Rows = append(v.Rows, view.PlanRow{Step: verbOf(p.Policies.Was, p.Policies.Text) + " policies", Effect: view.SafeEffect})
	}
	for _, name := range p.Own {
		v.Rows = append(v.Rows, view.PlanRow{Step: name, Effect: "is of this file alone, or was changed here: needs replace"})
	}
	if p.Broken > 0 {
		add("", stepsOf(kg.Migrated{Breaks: p.Breaks, Broken: p.Broken}))
	}
	return v
}

var promotePlan = invoke.Define(capability.Descriptor{
	ID: "trails.meta.promote.plan", Description: "Say what it would do to make the definitions of another file those of this one, by trying it. Nothing is changed.",
	OutputShape:  promotionRows,
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in foreign) (*promotionView, error) {
	p, err := promotionIn(ctx, r, promoting{foreign: in})
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
	v.Changed = dataChanges(s, result)
	r.WarnMass("the promotion", max(result.Loses, plan.Loses))
	return v, nil
}, invoke.Hidden, invoke.Newest)

// promoting is what a promotion takes.
type promoting struct {
	foreign
	Replace   bool `json:"replace" default:"false" doc:"Let go what this file defines itself."`
	AllowLoss bool `json:"allow_data_loss" default:"false" doc:"Remove statements that have no place any more."`
	capability.AskArgument
	capability.ChangeArguments
}

func promotionIn(ctx context.Context, r *invoke.Request, in promoting) (kg.Promotion, error) {
	d, err := in.read()
	if err == nil && d.Policies != "" {
		_, err = checkedPolicies(ctx, r, d.Policies)
	}
	return kg.Promotion{Definitions: d, Replace: in.Replace, AllowDataLoss: in.AllowLoss || r.Agreed(), Progress: r.Progress, Check: namesFree(r)}, err
}

// promoted is what a promotion did.
type promoted struct {
	*promotionView
	invoke.Written
}

var promoteApply = invoke.Define(capability.Descriptor{
	ID: "trails.meta.promote.apply", Description: "Make the definitions of another file those of this one, as one commit: its migrations that are not applied here, its schema, its stored queries. Plan first.",
	OutputShape:   promotionRows,
	Preconditions: []string{"All migrations that are applied here are among the definitions.", "The data that is there fits the new schema."},
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply},
}, func(ctx context.Context, r *invoke.Request, in promoting) (*promoted, error) {
	p, err := promotionIn(ctx, r, in)
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
	return &promoted{promotionOf(done), r.Committed(result, p.Set.DryRun)}, nil
}, invoke.Hidden)

var promoteUndo = invoke.Define(capability.Descriptor{
	ID: "trails.meta.promote.undo", Description: "Take back what the commit of a promotion changed, as one commit. Refused, naming the nodes, where later data stands against it.",
	Preconditions: []string{"No later commit changed definitions, or the values that it changed."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply},
}, func(ctx context.Context, r *invoke.Request, in undoingPromotion) (*undone, error) {
	commit, err := commitOf(ctx, r, "commit", in.Commit)
	if err != nil {
		return nil, err
	}
	return undoDefinitions(ctx, r, kg.Commit{}, commit, (*kg.Session).UndoPromotion)
}, invoke.Hidden)
