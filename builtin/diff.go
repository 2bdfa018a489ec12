package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/outline"
)

// Bounds of a difference: the steps of definitions that are listed, and the characters of a text.
const (
	diffSteps = 50
	diffText  = 64 << 20
	// diffClashes is how many clashes of a merge are told, diffReads how many changes are read to find them.
	diffClashes = 10
	diffReads   = 50_000
)

// The forms of a difference.
const (
	diffTable  = "table"
	diffUpdate = "update"
	diffPatch  = "patch"
)

// diffAsked says what is compared.
type diffAsked struct {
	capability.BranchArgument
	From string `json:"from,omitempty" is:"brief" max:"100" doc:"A commit or branch; where the branch of to began, or the commit before to, when left out."`
	To   string `json:"to,omitempty" is:"brief" max:"100" doc:"A commit or branch; the head when left out."`
	diffShown
}

// diffShown says what is told of a difference, and how.
type diffShown struct {
	Node   string `json:"node,omitempty" is:"rare" doc:"Only this node: Type/id, IRI or exact label."`
	Type   string `json:"type,omitempty" is:"rare" doc:"Only nodes of this type, in a table."`
	Form   string `json:"form" is:"brief" default:"table" doc:"update is SPARQL that replays it, patch RDF Patch."`
	Limit  int    `json:"limit,omitempty" is:"rare" min:"1" max:"100000" doc:"How many rows, 200 when left out, or statements of a text, all when left out."`
	Offset int    `json:"offset" is:"rare" min:"0" default:"0" doc:"How many to pass over."`
}

// diffRows is the usual number of rows.
const diffRows = 200

// diffTold is what differs.
type diffTold struct {
	From        *string  `json:"from" doc:"The first commit; null for the empty graph."`
	To          *string  `json:"to"`
	Definitions []string `json:"definitions,omitempty" doc:"What differs of the schema, the stored queries and the migrations."`
	table
	Text string `json:"text,omitempty" doc:"The update or the patch."`
	More bool   `json:"more,omitempty" doc:"Whether there is more after this."`
	clashing
}

// clashing are the clashes that a merge would have.
type clashing struct {
	Clashes    []kg.MergeClash `json:"clashes,omitempty" doc:"The first ten that a merge of the branch to would have: into from if that is a branch, else into the one that it was made from."`
	ClashCount int             `json:"clash_count,omitempty" doc:"How many clashes there are."`
}

var diffCells = capability.CellsOf("what:string", "node:string", "property:string", "old", "new", "graph:string null")

var diffBuiltin = invoke.Define(capability.Descriptor{
	ID: "diff", Description: "What differs between two commits or branches.",
	InputShape:     details(capability.Field{Name: "form", OneOf: []any{diffTable, diffUpdate, diffPatch}}),
	OutputShape:    rowsOf("A list for each property: made, changed or removed, the node, the property, the values that only the first has, those that only the second has (null for none, a list for several), and the named graph or null.", diffCells),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, diff, invoke.On("compact"))

func diff(ctx context.Context, r *invoke.Request, in diffAsked) (*diffTold, error) {
	of, err := compared(ctx, r, in)
	if err != nil {
		return nil, err
	}
	var would clashing
	if of.target != "" && in.Form == diffTable && in.Offset == 0 {
		if would, err = clashesOf(ctx, r, of); err != nil {
			return nil, err
		}
	}
	c, err := r.Snapshot.Compare(ctx, of.from, of.to)
	if err != nil {
		return nil, err
	}
	r.Snapshot = c.Snapshot
	return tell(ctx, r, c, in.diffShown, would)
}

// clashesOf returns the clashes that a merge of what is compared would have, and warns of them, or says why none were looked
// for.
func clashesOf(ctx context.Context, r *invoke.Request, of diffEnds) (would clashing, err error) {
	if err := r.ToBranch(ctx, of.target); err != nil {
		return would, err
	}
	would.Clashes, would.ClashCount, err = r.Snapshot.Clashes(ctx, of.source, of.to, diffReads)
	switch {
	case fault.Is(err, fault.TooLarge):
		r.Warn("clashes were not looked for: %s", fault.Of(err).Message)
		return clashing{}, nil
	case err != nil:
		return would, err
	case would.ClashCount > 0:
		would.Clashes = would.Clashes[:min(len(would.Clashes), diffClashes)]
		r.Warn("before %s is merged into %s, %s must be decided; give branches_merge take for all, or resolutions", of.source, of.target, fault.Counted(would.ClashCount, "clash"))
	}
	return would, nil
}

// otherData is the data of another file.
type otherData struct {
	Data        string      `json:"data" doc:"Its statements, as N-Quads."`
	Commit      string      `json:"commit,omitempty" max:"64" doc:"The commit that has them."`
	Definitions definitions `json:"definitions,omitempty" doc:"What definitions_get of the other file answers."`
	diffShown
}

var dataDiff = invoke.Define(capability.Descriptor{
	ID: "trails.meta.diff.data", Description: "Tell what leads from the data of another file to that of this one, whether they have a common history or not. Blank nodes are compared by their labels.",
	InputShape:   details(capability.Field{Name: "form", OneOf: []any{diffTable, diffUpdate, diffPatch}}),
	OutputShape:  diffBuiltin.Descriptor.OutputShape,
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in otherData) (out *diffTold, err error) {
	other := kg.OtherData{Statements: strings.NewReader(in.Data), Name: "data", Progress: r.Progress}
	if len(r.Inputs) > 0 {
		other.Statements, other.Name = r.Inputs[0].Reader, r.Inputs[0].Name
	}
	if other.Definitions, err = (foreign{in.Definitions}).read(); err != nil {
		return nil, err
	}
	_, err = r.InTurn(ctx, func(ctx context.Context) (any, error) {
		c, err := r.Snapshot.CompareWith(ctx, other)
		if err != nil {
			return nil, err
		}
		if out, err = tell(ctx, r, c, in.diffShown, clashing{}); out != nil && in.Commit != "" {
			out.From = &in.Commit
		}
		return nil, errors.Join(err, c.Forget())
	})
	return out, err
}, invoke.Hidden, invoke.Inputs("data"))

// tell tells what differs.
func tell(ctx context.Context, r *invoke.Request, c *kg.Comparison, in diffShown, would clashing) (_ *diffTold, err error) {
	d := comparing{Request: r, asked: in, comparison: c}
	d.out = diffTold{From: view.CommitID(c.From), To: view.CommitID(c.To), table: tableOf(diffCells), clashing: would}
	if in.Node != "" {
		of, err := nodeEver(ctx, r, in.Node)
		if err != nil {
			return nil, err
		}
		r.Uses(of.IRI())
		d.node = of.Term
	}
	switch {
	case in.Form == diffTable:
		err = d.list(ctx)
	case in.Type != "":
		err = fault.Argument("type", fault.OneOf, in.Type, "type chooses rows of a table: leave it out, or form")
	default:
		d.out.table = table{Columns: []string{}, Rows: [][]any{}}
		err = d.write(ctx)
	}
	return &d.out, err
}

// diffEnds are what is compared.
type diffEnds struct {
	from, to kg.Commit
	// source is the branch that ends with to, and target the one that it would be merged into, "" for none.
	source, target string
}

// compared returns what is compared. What is left out follows from the other one: a branch is compared with the commit that
// it was made from, a commit with the one before it.
func compared(ctx context.Context, r *invoke.Request, in diffAsked) (of diffEnds, err error) {
	if of.to, err = stateOf(ctx, r, "to", cmp.Or(in.To, "head")); err != nil {
		return of, err
	}
	source, err := r.Snapshot.BranchNamed(ctx, cmp.Or(in.To, r.Snapshot.Branch()))
	if err != nil {
		return of, err
	}
	of.source = source.Name
	switch {
	case in.From != "":
		if of.from, err = stateOf(ctx, r, "from", in.From); err != nil || source.Name == "" || in.From == source.Name {
			return of, err
		}
		target, err := r.Snapshot.BranchNamed(ctx, in.From)
		of.target = target.Name
		return of, err
	case source.From != "":
		of.from, of.target = source.Fork, source.From
	case !of.to.Parent.IsZero():
		of.from, err = r.Snapshot.FindState(ctx, of.to.Parent.Whole())
	}
	return of, err
}

// stateOf returns the commit that an argument names, of whatever branch, or the head of a branch.
func stateOf(ctx context.Context, r *invoke.Request, argument, given string) (kg.Commit, error) {
	c, err := r.Snapshot.FindState(ctx, given)
	if fault.Is(err, fault.Malformed) {
		return c, fault.New(fault.Missing, "%q names no commit and no branch; branches_list has the branches, and of commits %s", given, kg.HowToNameCommits).With(argument, given)
	}
	return c, err
}

// comparing is a difference being told.
type comparing struct {
	*invoke.Request
	asked      diffShown
	comparison *kg.Comparison
	node       rdf.Term // nil for all
	out        diffTold
}

// list tells a difference as a table.
func (d *comparing) list(ctx context.Context) error {
	types, err := d.types()
	if err != nil {
		return err
	}
	if d.node == nil && types == nil && d.asked.Offset == 0 {
		d.define()
	}
	limit, passed, room := d.asked.Limit, 0, d.RoomBeside(d.out)
	if limit == 0 {
		limit = diffRows
	}
	for n, err := range d.comparison.Nodes(ctx) {
		if err != nil {
			return err
		}
		if d.node != nil && n.Node != d.node || types != nil && !slices.ContainsFunc(n.Types, func(t *schema.Type) bool { return types[t] }) {
			continue
		}
		for _, change := range n.Changes {
			if passed++; passed <= d.asked.Offset {
				continue
			}
			added := len(d.out.Rows) < limit
			if added {
				if added, err = d.out.add(&room, d.row(n, change)); err != nil {
					return err
				}
			}
			if !added {
				d.cut(len(d.out.Rows), "rows")
				return nil
			}
		}
	}
	return nil
}

// types are those whose nodes are asked for, nil for all.
func (d *comparing) types() (map[*schema.Type]bool, error) {
	if d.asked.Type == "" {
		return nil, nil
	}
	of, err := view.KnownType(d.Request, d.asked.Type)
	if err != nil {
		return nil, err
	}
	types := map[*schema.Type]bool{of: true}
	for _, one := range d.Snapshot.Schema().Subtypes(of) {
		types[one] = true
	}
	return types, nil
}

// define tells what differs of the definitions.
func (d *comparing) define() {
	rows := stepsOfDefinitions(d.comparison.Definitions())
	for i, row := range rows {
		if i == diffSteps {
			d.out.Definitions = append(d.out.Definitions, fmt.Sprintf("and %d more", len(rows)-i))
			break
		}
		d.out.Definitions = append(d.out.Definitions, row[0])
	}
}

// row tells of one property.
func (d *comparing) row(n kg.NodeDifference, change browse.PropertyChange) []any {
	s := d.Snapshot.Schema()
	property := s.Short(change.Predicate)
	if change.Property != nil {
		property = change.Property.Name
	}
	values := func(list []rdf.Term) any {
		all := make([]any, len(list))
		for i, v := range list {
			all[i] = valueTold(d.Request, change.Property, v)
		}
		switch len(all) {
		case 0:
			return nil
		case 1:
			return all[0]
		}
		return all
	}
	return []any{n.What, s.NodeName(n.Node), property, values(change.Old), values(change.New), view.Plain(s, n.Graph)}
}

// valueTold is a value of a property, nil if the schema has none: short names of what is no value of one, and not more of a
// text than belongs in a list.
func valueTold(r *invoke.Request, p *schema.Property, v rdf.Term) any {
	told := r.Snapshot.Schema().JSONValue(p, v)
	if p == nil {
		told = view.Plain(r.Snapshot.Schema(), v)
	}
	if text, isText := told.(string); isText && r.Room() != math.MaxInt {
		return outline.Shorten(text, changeText)
	}
	return told
}

// cut says that there is more.
func (d *comparing) cut(shown int, what string) {
	d.out.More = true
	d.Parts.Cut = fmt.Sprintf("%d %s are shown; go on with offset %d", shown, what, d.asked.Offset+shown)
}

// write tells a difference as a text that replays it.
func (d *comparing) write(ctx context.Context) error {
	text := d.comparison.UpdateText()
	if d.asked.Form == diffPatch {
		text = d.comparison.PatchText()
	}
	limit, passed, shown := d.asked.Limit, 0, 0
	if limit == 0 {
		limit = math.MaxInt
	}
	room := min(d.RoomBeside(d.out), diffText) - jsontext.Size(text.String())
	for change, err := range d.comparison.Statements(ctx) {
		if err != nil {
			return err
		}
		if d.node != nil && change.Subject != d.node {
			continue
		}
		if passed++; passed <= d.asked.Offset {
			continue
		}
		fits := room
		switch shown {
		case limit:
			fits = -1
		case 0:
			fits = math.MaxInt // one is told, whatever it takes
		}
		size, err := text.Add(change, fits)
		if err != nil {
			return err
		}
		if size > fits {
			d.cut(shown, "statements")
			break
		}
		room -= size
		shown++
	}
	if shown > 0 {
		d.out.Text = text.String()
	}
	return nil
}
