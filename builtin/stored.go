package builtin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/stored"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/schema"
	"trails/sparql"
	"trails/text/outline"
)

// StoredTools is the default of Options.StoredTools.
const StoredTools = 24

// storedQueries offers the stored queries of the file, and the capabilities that change them.
type storedQueries struct {
	most     int
	searches searcher
}

func (storedQueries) Version(s *kg.Snapshot) string { return s.SchemaKey() }

// Standing returns the capabilities about all stored queries.
func (storedQueries) Standing() []invoke.Capability {
	return []invoke.Capability{storedList, storedRun, storedAdd, storedRemove}
}

func (p storedQueries) Offer(s *kg.Snapshot) (invoke.Offer, error) {
	var o invoke.Offer
	exposed := 0
	for _, k := range s.Stored() {
		if k.Err == nil && k.Query.Exposed {
			exposed++
		}
	}
	for _, k := range s.Stored() {
		if k.Err == nil {
			o.Capabilities = append(o.Capabilities, p.capability(s.Schema(), k.Query, exposed <= p.most))
		}
	}
	list, run := storedList, storedRun
	list.Hidden, run.Hidden = exposed <= p.most, exposed <= p.most
	o.Capabilities = append(o.Capabilities, list, run, storedAdd, storedRemove)
	return invoke.Fixed(o).Offer(s)
}

// capability is one stored query, as a tool if it is exposed and there are not too many.
func (p storedQueries) capability(s *schema.Schema, q *stored.Query, few bool) invoke.Capability {
	d := q.Descriptor(s)
	if q.Update == nil {
		d.InputShape.Fields = slices.Concat(d.InputShape.Fields, rareLimits(), capability.FieldsOf[capability.ReadArguments]())
		d.OutputShape.Fields = answerFields(q.Query, q.Columns(s))
	}
	read := capability.ValuesOf(reflect.TypeFor[storedAsking](), d.InputShape.Fields)
	return invoke.Capability{Descriptor: d, Hidden: !few || !q.Exposed, Yields: true, Keeps: d.InputShape.TakesAsk(), Handle: func(ctx context.Context, r *invoke.Request) (any, error) {
		var in storedAsking
		if err := read(r.Args, &in); err != nil {
			return nil, err
		}
		if q.Update == nil {
			if err := labelsOfParams(ctx, r, q, &in.Params); err != nil {
				return nil, err
			}
		}
		values, err := q.Values(r.Snapshot.Schema(), in.Params)
		if err != nil {
			return nil, err
		}
		if q.Update != nil {
			return runUpdate(ctx, r, q.Told(values), timeOfUpdate{mutateTimeout}, kg.UpdateOptions{Params: values.Terms, Free: values.Free, Meaning: p.searches.meaning(r)})
		}
		if in.Format, err = queryFormat(r, q.Query.Form, in.Format); err != nil {
			return nil, err
		}
		return answerInTurn(ctx, r, q.Asked(values), kg.QueryOptions{Params: values.Terms, Free: values.Free, Meaning: p.searches.meaning(r)}, asking{limits: in.limits})
	}}
}

// labelsOfParams replaces exact labels of nodes, where a parameter is a reference, with their IRIs.
func labelsOfParams(ctx context.Context, r *invoke.Request, q *stored.Query, params *map[string]any) error {
	*params = maps.Clone(*params)
	for _, p := range q.Params {
		text, isText := (*params)[p.Name].(string)
		t := r.Snapshot.Schema().Type(p.Class)
		if !isText || t == nil {
			continue
		}
		id, err := idOrLabel(ctx, r, "params."+p.Name, t, text)
		if err != nil {
			return err
		}
		(*params)[p.Name] = id
	}
	return nil
}

// storedAsking is what a stored query takes.
type storedAsking struct {
	limits
	Params map[string]any `json:"params"`
}

// answerFields are the members of the answers of one query: a table with its columns, a truth value or triples.
func answerFields(q *sparql.Query, cells []capability.Cell) []capability.Field {
	var members []string
	columns := make([]string, len(q.Vars))
	for i, v := range q.Vars {
		columns[i] = string(v)
	}
	switch q.Form {
	case sparql.Select:
		members = []string{"form", "head", "columns", "rows", "vars", "count", "text", "mime"}
	case sparql.Ask:
		members = []string{"form", "head", "boolean", "text", "mime"}
	case sparql.Construct, sparql.Describe:
		members = []string{"form", "head", "triples", "count", "text", "mime"}
	}
	var fields []capability.Field
	for _, f := range capability.FieldsOf[queried]() {
		if !slices.Contains(members, f.Name) {
			continue
		}
		if f.Name == "rows" {
			f.Cells = cells
		}
		if f.Name == "columns" {
			f.Description = outline.Shorten("Of a table: "+strings.Join(columns, ", ")+".", toldColumns)
		}
		fields = append(fields, f)
	}
	return fields
}

// toldColumns bounds the characters for the columns of an answer.
const toldColumns = 200

// rareLimits are the limits of a query, marked as rarely needed.
func rareLimits() (fields []capability.Field) {
	for _, name := range []string{"limit", "format", "timeout_ms"} {
		f, _ := queriesByWords.InputShape.Field(name)
		f.Rare = true
		fields = append(fields, f)
	}
	return fields
}

// storedAsked says which stored queries are listed.
type storedAsked struct {
	Name *string `json:"name,omitempty" is:"rare" doc:"One of them, with its text."`
}

// storedLine is one line of the list.
type storedLine struct {
	Name        string `json:"name"`
	Tool        string `json:"tool,omitempty" doc:"The id of its capability."`
	Kind        string `json:"kind,omitempty" oneof:"query,update"`
	Params      string `json:"params,omitempty" doc:"Each with its type; ? means that it can be left out."`
	Columns     string `json:"columns,omitempty" doc:"Of its table, each with what the schema has for it."`
	Description string `json:"description,omitempty"`
	Exposed     *bool  `json:"exposed,omitempty" doc:"False for one that no list of tools has: stored_query_run asks it."`
	View        string `json:"view,omitempty" doc:"How the pages show it: an address below /admin/."`
	Dashboard   int    `json:"dashboard,omitempty" doc:"Its place on the dashboard of the pages."`
	Problem     string `json:"problem,omitempty" doc:"Why it cannot be asked."`
	Text        string `json:"text,omitempty" doc:"Of the one that is named: its SPARQL, with the front matter."`
}

type storedLines struct {
	Queries []storedLine `json:"queries"`
}

// storedList lists the stored queries.
var storedList = invoke.Define(capability.Descriptor{
	ID: "stored_query_list", Description: "List the stored queries of the file with their parameters.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, listStored)

// hiddenBy says which capability has taken the name of a stored query, and how to use the query again; "" for none.
// The name was free when the query was stored: by an earlier version of trails, or before the schema had the type.
func hiddenBy(r *invoke.Request, q *stored.Query) string {
	d, _ := r.Registry().Find(capability.ToolName(q.Capability()))
	own := q.Descriptor(r.Snapshot.Schema())
	switch {
	case d.ID == own.ID && d.Description == own.Description && d.InputShape.NodeType == "":
		return ""
	case q.Tool != "":
		return fmt.Sprintf("it is hidden, because the capability %s has its tool_name; store it again with another tool_name", d.ID)
	}
	return fmt.Sprintf("it is hidden, because the capability %s has its name; store it with another id or a tool_name, and remove %s if the id is another", d.ID, q.ID)
}

// maxProblem bounds the characters of what is wrong with a stored query.
const maxProblem = 500

func listStored(_ context.Context, r *invoke.Request, in storedAsked) (*storedLines, error) {
	out, one := &storedLines{Queries: []storedLine{}}, in.Name != nil
	var names []string
	for _, k := range r.Snapshot.Stored() {
		names = append(names, k.ID)
		if one && k.ID != *in.Name {
			continue
		}
		line := storedLine{Name: k.ID}
		if one {
			line.Text = k.Text
		}
		if head := cmp.Or(k.Query, stored.Head(k.Text, r.Snapshot.Schema())); head != nil {
			line.View, line.Dashboard = head.View, head.Dashboard
			line.Description = head.Description
		}
		if k.Err != nil {
			line.Problem = fault.Of(k.Err).Told(maxProblem)
		} else {
			line.Tool, line.Kind, line.Params = k.Query.Capability(), k.Query.Kind(), k.Query.Signature()
			if line.Problem = hiddenBy(r, k.Query); line.Problem != "" {
				line.Tool = ""
			} else {
				line.Columns = columnsOf(r, line.Tool)
			}
			if !k.Query.Exposed {
				line.Exposed = new(false)
			}
		}
		out.Queries = append(out.Queries, line)
	}
	if one && len(out.Queries) == 0 {
		return nil, noStored(*in.Name, names)
	}
	return out, nil
}

// columnsOf describes the columns of a capability's table: "task: Task, due: date"; "" if it has none.
func columnsOf(r *invoke.Request, id string) string {
	d, _ := r.Registry().Find(capability.ToolName(id))
	rows, _ := d.OutputShape.Field("rows")
	columns := make([]string, len(rows.Cells))
	for i, c := range rows.Cells {
		columns[i] = c.Label()
	}
	return strings.Join(columns, ", ")
}

// running is a stored query and its values.
type running struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params,omitempty" doc:"Values by parameter."`
	Texts  map[string]any `json:"texts,omitempty" is:"rare" doc:"Values as an address or a command line has them: a list of texts by parameter."`
	Reads  bool           `json:"reads,omitempty" is:"rare" doc:"Refuse an update."`
	limits
	MaxChars int `json:"max_chars"`
	capability.AtArgument
	capability.AskArgument
	capability.ChangeArguments
}

// storedRun asks any stored query by its name.
var storedRun = invoke.Define[running, struct {
	*queried
	*capability.ChangeResult
}](capability.Descriptor{
	ID: "stored_query_run", Description: "Ask a stored query, or run a stored update, by its name.",
	InputShape:   details(append(rareLimits(), capability.MaxChars())...),
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Change},
}, nil, invoke.Forwards(runStored))

// runStored finds the capability of the query, and converts values that are texts.
func runStored(_ context.Context, r *invoke.Request, in running) (string, invoke.Arguments, error) {
	name := in.Name
	q, err := storedNamed(r, name)
	switch {
	case err != nil:
		return "", nil, err
	case in.Reads && q.Update != nil:
		return "", nil, fault.Argument("name", fault.HasValue, name, fmt.Sprintf("%s is an update, and changes the graph; POST runs it", name))
	}
	args, params := invoke.Arguments{}, map[string]any{}
	for n, v := range r.Args {
		if n != "name" && n != "texts" && n != "reads" {
			args[n] = v
		}
	}
	maps.Copy(params, in.Params)
	for n, v := range in.Texts {
		list, _ := v.([]any)
		isParam := slices.ContainsFunc(q.Params, func(p stored.Param) bool { return p.Name == n })
		if (n == "at" || n == "branch") && !isParam {
			if len(list) != 1 || args.Has(n) {
				return "", nil, fault.Argument(n, fault.MaxCount, v, n+" is given more than once")
			}
			args[n] = list[0]
			continue
		}
		params[n] = q.Value(n, list)
	}
	if len(params) > 0 {
		args["params"] = params
	}
	return q.Capability(), args, nil
}

// storedNamed is the stored query of a name.
func storedNamed(r *invoke.Request, name string) (*stored.Query, error) {
	var names []string
	for _, k := range r.Snapshot.Stored() {
		switch {
		case k.ID != name:
			names = append(names, k.ID)
		case k.Err != nil:
			return nil, fault.Argument("name", fault.Shape, name, "the stored query "+name+" cannot be asked: "+fault.Of(k.Err).Told(maxProblem))
		default:
			if hidden := hiddenBy(r, k.Query); hidden != "" {
				return nil, fault.Argument("name", fault.Unique, name, "the stored query "+name+" cannot be asked: "+hidden)
			}
			return k.Query, nil
		}
	}
	return nil, noStored(name, names)
}

func noStored(name string, names []string) error {
	return fault.New(fault.Missing, "there is no stored query %q%s", name, fault.DidYouMean(name, names)).With("name", name)
}

// storing is what trails.meta.query.add takes.
type storing struct {
	Queries []queryToStore `json:"queries" min:"1" max:"2000"`
	capability.WriteArguments
}

type queryToStore struct {
	Text string `json:"text" doc:"SPARQL with front matter in comments: \"#+ id: open_tasks\", \"#+ description: …\", \"#+ params: {owner: ref(Person), since: date}\"."`
	Name string `json:"name,omitempty" doc:"Its id, unless the text says it."`
}

// storedDone is what storing answers.
type storedDone struct {
	Stored []string `json:"stored" doc:"The ids, with their parameters."`
	Calls  []string `json:"calls" doc:"How the tool of each is called."`
	invoke.Written
}

var storedAdd = invoke.Define(capability.Descriptor{
	ID: "trails.meta.query.add", Description: "Store queries or updates of SPARQL in the file: each becomes a tool, an address and a command. One with the same id is replaced. All or none.",
	Preconditions: []string{"No built-in capability has the name."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply}, Idempotent: true,
}, addStored)

// unstoring is what trails.meta.query.remove takes.
type unstoring struct {
	Names []string `json:"names" min:"1" max:"2000"`
	capability.WriteArguments
}

var storedRemove = invoke.Define(capability.Descriptor{
	ID: "trails.meta.query.remove", Description: "Remove stored queries from the file.",
	CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.SchemaApply}, Idempotent: true,
}, removeStored)

func addStored(ctx context.Context, r *invoke.Request, in storing) (*storedDone, error) {
	change := kg.QueryChange{Check: namesFree(r)}
	for _, q := range in.Queries {
		change.Add = append(change.Add, kg.QueryText{Name: q.Name, Text: q.Text})
	}
	added, written, err := changeStored(ctx, r, change)
	if err != nil {
		return nil, err
	}
	out := &storedDone{[]string{}, []string{}, written}
	for _, q := range added {
		out.Stored = append(out.Stored, q.ID+"("+q.Signature()+")")
		out.Calls = append(out.Calls, q.Example())
	}
	return out, warnOfStored(ctx, r, added)
}

// warnOfStored adds warnings about stored queries that hold for all parameters.
func warnOfStored(ctx context.Context, r *invoke.Request, added []*stored.Query) error {
	if err := r.Latest(ctx); err != nil {
		return err
	}
	for _, q := range added {
		doubts, err := r.Snapshot.LintStored(ctx, q)
		if err != nil {
			return err
		}
		for i, f := range doubts {
			if i == maxDoubts {
				r.Warn("%s: and %d more", q.ID, len(doubts)-i)
				break
			}
			f.Source = strings.TrimSuffix(q.ID+", "+f.Source, ", ")
			r.Warn("%s", f)
		}
	}
	return nil
}

// maxDoubts bounds what is told of one query that is stored.
const maxDoubts = 10

func removeStored(ctx context.Context, r *invoke.Request, in unstoring) (invoke.Written, error) {
	var names []string
	for _, name := range in.Names {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	_, written, err := changeStored(ctx, r, kg.QueryChange{Remove: names})
	return written, err
}

func changeStored(ctx context.Context, r *invoke.Request, c kg.QueryChange) ([]*stored.Query, invoke.Written, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, invoke.Written{}, err
	}
	c.Set = set
	r.Release()
	added, result, err := r.Session().ChangeQueries(ctx, c)
	if err != nil {
		return nil, invoke.Written{}, err
	}
	return added, r.Committed(result, set.DryRun), nil
}

// namesFree refuses stored queries with the name of a built-in capability.
func namesFree(r *invoke.Request) func([]*stored.Query) error {
	taken := takenNames(r)
	return func(all []*stored.Query) error {
		var problems []fault.FieldError
		for _, q := range all {
			if by, is := taken[capability.ToolName(q.Capability())]; is {
				problems = append(problems, fault.FieldError{Field: "id", Code: fault.Unique, Value: q.Capability(), Source: q.ID,
					Message: fmt.Sprintf("id: the name %s belongs to the built-in capability %s; choose another, or give a tool_name", q.Capability(), by)})
			}
		}
		if len(problems) > 0 {
			return fault.Invalid(problems)
		}
		return nil
	}
}

// takenNames maps the tool names that stored queries cannot have to their owners.
func takenNames(r *invoke.Request) map[string]string {
	taken := map[string]string{}
	for _, d := range r.Registry().All() {
		taken[capability.ToolName(d.ID)] = d.ID
	}
	for _, k := range r.Snapshot.Stored() {
		if k.Err == nil && hiddenBy(r, k.Query) == "" {
			delete(taken, capability.ToolName(k.Query.Capability()))
		}
	}
	return taken
}
