package builtin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
	"trails/schema/migration"
	"trails/text/outline"
)

// migrateMetas are listed behind the other metas.
var migrateMetas = []invoke.Capability{migrateStatus, migratePlan, migrateApply, migrateRollback}

// fileOfMigration is what the tools for migrations take of each.
type fileOfMigration struct {
	Name string `json:"name" doc:"NNNN_name.yaml"`
	Text string `json:"text" doc:"YAML: description, and steps: those of schema_apply's patch, split_property, merge_property, convert_property, update: {forward, reverse}." example:"steps: [{add_property: {Task.due: date}}]"`
}

// migrationsGiven are the migrations of a call.
type migrationsGiven struct {
	Migrations []fileOfMigration `json:"migrations" max:"9999"`
}

// migrationView is the effect of a migration.
type migrationView struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Reverse     string         `json:"reverse" doc:"steps, or history with the reason: the inverse of its commit."`
	Columns     []string       `json:"columns"`
	Rows        []view.PlanRow `json:"rows" type:"any" cells:"step:string,what:string,effect:string,nodes:array" doc:"A list for each thing that it does: step, what, effect, the first nodes, each with the reason."`
	Blocked     bool           `json:"blocked" doc:"Whether data contradicts it."`
}

func migrationOf(m kg.Migrated) *migrationView {
	if m.Migration == nil {
		return nil
	}
	v := &migrationView{
		Name: m.Migration.File(), Description: m.Migration.Description, Reverse: "steps", Blocked: m.Broken > 0,
		Columns: []string{"step", "what", "effect", "nodes"}, Rows: stepsOf(m),
	}
	if m.ByHistory != "" {
		v.Reverse = "history, as there is no other way back of: " + outline.Shorten(m.ByHistory, toldStep)
	}
	return v
}

// stepsOf are the rows of what a migration does.
func stepsOf(m kg.Migrated) []view.PlanRow {
	rows := []view.PlanRow{}
	add := func(number string, row view.PlanRow) {
		row.Of = &number
		rows = append(rows, row)
	}
	for _, s := range m.Steps {
		step := kg.PlannedStep{Step: schema.Step{Backfill: s.Fills, Crosses: s.Crosses}, Moves: s.Moves, MovesIn: s.MovesIn, Removes: s.Removes, RemovesIn: s.RemovesIn, Losing: s.Losing}
		number := ""
		switch {
		case s.First < s.Last:
			number = fmt.Sprintf("%d-%d", s.First, s.Last)
		case s.First > 0:
			number = strconv.Itoa(s.First)
		}
		add(number, view.PlanRow{Step: outline.Shorten(s.What, toldStep), Effect: effectOf(step, false) + byType(s.RemovesOf), Nodes: nodesOf(step)})
	}
	if m.Migration != nil && len(m.Steps) == 0 && m.Broken == 0 {
		add("", view.PlanRow{Step: "no steps, its record alone", Effect: view.SafeEffect})
	}
	breaksQuery := false // then only what breaks is shown, without reading data
	for _, q := range m.Queries {
		add("", queryRow(q, ""))
		breaksQuery = breaksQuery || len(q.Broken) > 0
	}
	if m.Broken > 0 && !breaksQuery {
		broken := kg.PlannedStep{Breaks: m.Breaks}
		nodes := map[string]bool{}
		for _, f := range m.Breaks {
			nodes[f.Node] = true
		}
		broken.Broken = len(nodes)
		add("", view.PlanRow{Step: "all of it", Effect: effectOf(broken, m.Broken > len(m.Breaks)), Nodes: nodesOf(broken)})
	}
	return rows
}

// byType counts the statements that an update removes by type.
func byType(counts map[string]int64) string {
	var parts []string
	for _, name := range slices.SortedStableFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}) {
		if len(parts) == toldTypes {
			parts = append(parts, fmt.Sprintf("%d more types", len(counts)-toldTypes))
			break
		}
		parts = append(parts, fmt.Sprintf("%d of %s", counts[name], cmp.Or(name, "no type")))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// toldTypes is how many types are named.
const toldTypes = 5

// migrationsKnown lists migrations.
type migrationsKnown struct {
	Columns  []string   `json:"columns"`
	Rows     [][]string `json:"rows" type:"any" cells:"migration:string,state:string,time:string,actor:string,commit:string,sha256:string" doc:"A list for each: migration, state (applied, pending), time, actor, commit, SHA-256."`
	Pending  int        `json:"pending"`
	Problems []string   `json:"problems,omitempty" doc:"Why those given cannot be applied."`
}

var migrateStatus = invoke.Define(capability.Descriptor{
	ID: "trails.meta.migrate.status", Description: "List the migrations that are applied, and of those given the ones that are not.",
	PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, statusOfMigrations, invoke.Newest)

func statusOfMigrations(ctx context.Context, r *invoke.Request, in struct {
	Migrations []fileOfMigration `json:"migrations,omitempty" max:"9999"`
}) (*migrationsKnown, error) {
	out := &migrationsKnown{Columns: []string{"migration", "state", "time", "actor", "commit", "sha256"}, Rows: [][]string{}}
	by, err := r.Snapshot.AppliedBy(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range r.Snapshot.Applied() {
		out.Rows = append(out.Rows, []string{m.File(), "applied", m.Time.Format(time.RFC3339), m.Actor, by[m.Number].ID.String(), m.Checksum})
	}
	given, err := migrationsOf(in.Migrations)
	if err == nil {
		var pending []*migration.Migration
		pending, err = migration.Pending(r.Snapshot.Applied(), given)
		for _, m := range pending {
			out.Rows = append(out.Rows, []string{m.File(), "pending", "", "", "", m.Checksum()})
		}
		out.Pending = len(pending)
		err = cmp.Or(err, migration.Filled(pending))
		if in.Migrations != nil {
			warnGone(r, given)
		}
	}
	if err != nil {
		for _, f := range fault.Of(err).Fields {
			out.Problems = append(out.Problems, f.String())
		}
		if len(out.Problems) == 0 {
			out.Problems = []string{fault.Of(err).Message}
		}
	}
	return out, nil
}

// migrationsOf parses the texts of a call, and reports all errors together where possible.
func migrationsOf[T fileOfMigration | migrationFile](given []T) (all []*migration.Migration, err error) {
	var names, problems []fault.FieldError
	for _, one := range given {
		file := fileOfMigration(one)
		m, err := migration.Parse(file.Name, file.Text)
		if err == nil {
			all = append(all, m)
			continue
		}
		fields := fault.Of(err).Fields
		switch {
		case len(fields) == 0:
			return nil, err
		case fault.Is(err, fault.InvalidArguments):
			names = append(names, fields...)
		default:
			problems = append(problems, fields...)
		}
	}
	switch {
	case len(names) > 0:
		return nil, fault.Arguments(append(names, problems...)...)
	case len(problems) > 0:
		return nil, fault.Invalid(problems)
	}
	return all, nil
}

// migrationsPlanned is what migrations would do.
type migrationsPlanned struct {
	Migrations []*migrationView `json:"migrations"`
	capability.Changed
	Blocked bool `json:"blocked" doc:"Whether data contradicts one; those after it were not tried."`
}

var migratePlan = invoke.Define(capability.Descriptor{
	ID: "trails.meta.migrate.plan", Description: "Say what the migrations that are not applied would do, by trying them: what changes, and the nodes that would break. Nothing is changed.",
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, planMigrations, invoke.Newest)

func planMigrations(ctx context.Context, r *invoke.Request, in migrationsGiven) (*migrationsPlanned, error) {
	given, err := migrationsOf(in.Migrations)
	if err != nil {
		return nil, err
	}
	s := r.Snapshot.Schema()
	warnGone(r, given)
	r.Release()
	plan, result, err := r.Session().PlanMigrations(ctx, kg.MigrationChange{Given: given, Progress: r.Progress})
	if err != nil {
		return nil, err
	}
	out := &migrationsPlanned{Migrations: []*migrationView{}, Changed: dataChanges(s, result)}
	for _, m := range plan {
		out.Migrations = append(out.Migrations, migrationOf(m))
		var removes int64
		for _, step := range m.Steps {
			removes += step.Removes
		}
		r.WarnMass("applying "+m.Migration.File(), removes)
		for _, text := range m.Idle {
			r.Warn("%s: %s", m.Migration.File(), text)
		}
		out.Blocked = out.Blocked || m.Broken > 0
	}
	return out, nil
}

// warnGone warns about applied migrations that are not among the given ones.
func warnGone(r *invoke.Request, given []*migration.Migration) {
	var names []string
	for _, m := range migration.Gone(r.Snapshot.Applied(), given) {
		names = append(names, m.File())
	}
	if len(names) > 0 {
		r.Warn("%s: applied, and not among the migrations given; put it back, definitions_get has its text", enumerated(names))
	}
}

// dataChanges lists the changed statements of data; those of the schema are described by the steps.
func dataChanges(s *schema.Schema, result kg.Result) capability.Changed {
	isSchema := func(q rdf.Quad) bool { return q.Label == rdf.SchemaGraph }
	for _, side := range []struct {
		list  *[]rdf.Quad
		count *int64
	}{{&result.Added, &result.AddedCount}, {&result.Removed, &result.RemovedCount}} {
		data := slices.DeleteFunc(slices.Clone(*side.list), isSchema)
		*side.count -= int64(len(*side.list) - len(data))
		*side.list = data
	}
	result.NodeCount = 0 // the count includes statements of the schema
	out := changesOf(s, result, true)
	if out.Changes != nil { // the steps say what is done; these are examples of it
		out.Changes.Rows = out.Changes.Rows[:min(len(out.Changes.Rows), migrationChangesListed)]
	}
	return out
}

// migrationChangesListed bounds the statements that the plan of migrations lists.
const migrationChangesListed = 20

// migrationDone is what applying a migration answers, and rolling one back.
type migrationDone struct {
	Migration *migrationView `json:"migration,omitempty"`
	Left      int            `json:"left" doc:"How many are to come."`
	invoke.Written
}

// migrationsApplying is what applying a migration takes.
type migrationsApplying struct {
	migrationsGiven
	capability.AskArgument
	capability.ChangeArguments
}

var migrateApply = invoke.Define(capability.Descriptor{
	ID: "trails.meta.migrate.apply", Description: "Apply the next migration that is not applied, as one commit with its record; call again while some are left. Plan first.",
	OutputShape:   details(capability.Field{Name: "migration", Description: "Absent when all are applied."}),
	Preconditions: []string{"Those that are applied have the texts that they had.", "The data that is there fits the new schema."},
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply},
}, applyMigration)

func applyMigration(ctx context.Context, r *invoke.Request, in migrationsApplying) (*migrationDone, error) {
	given, err := migrationsOf(in.Migrations)
	if err != nil {
		return nil, err
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	if pending, err := migration.Pending(r.Snapshot.Applied(), given); err == nil && len(pending) <= 1 {
		warnGone(r, given)
	}
	r.Release()
	done, result, err := r.Session().ApplyMigration(ctx, kg.MigrationChange{Given: given, Set: set, Progress: r.Progress})
	if err != nil {
		return nil, err
	}
	return &migrationDone{migrationOf(done), done.Left, r.Committed(result, set.DryRun)}, nil
}

// migrationRollback is what rolling one back takes.
type migrationRollback struct {
	Number    int  `json:"number,omitempty" min:"1" doc:"The one that you take for the last."`
	AllowLoss bool `json:"allow_data_loss" default:"false" doc:"Remove data that the migration did not add."`
	capability.AskArgument
	capability.ChangeArguments
}

var migrateRollback = invoke.Define(capability.Descriptor{
	ID: "trails.meta.migrate.rollback", Description: "Take back the migration that was applied last, as one commit. Refused, naming the nodes, where later data stands against it.",
	Preconditions: []string{"A migration is applied."},
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply},
}, rollBackMigration)

func rollBackMigration(ctx context.Context, r *invoke.Request, in migrationRollback) (*migrationDone, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	r.Release()
	done, result, err := r.Session().RollBackMigration(ctx, kg.MigrationRollback{
		Number: in.Number, AllowDataLoss: in.AllowLoss || r.Agreed(), Set: set, Progress: r.Progress,
	})
	if err != nil {
		return nil, err
	}
	return &migrationDone{migrationOf(done), done.Left, r.Committed(result, set.DryRun)}, nil
}
