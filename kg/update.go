package kg

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
)

// UpdateOptions are the settings that the text of an update does not contain. The zero value works.
type UpdateOptions struct {
	// Params are terms that replace variables, see [sparql.Update.Bind].
	Params map[sparql.Var]rdf.Term
	// Free are omitted parameters: they may stay unbound without a warning.
	Free map[sparql.Var]*schema.Property
	// Dataset, unless it is zero, is what every WHERE reads. An update with USING or WITH is then refused with
	// fault.InvalidArguments.
	Dataset sparql.Dataset
	// Limits are those of each WHERE.
	Limits QueryLimits
	// Meaning is that of [QueryOptions].
	Meaning Meaning
	// Text and Base are the update's text and base, for the places of warnings. Found is empty for an update that changed
	// nothing, when its warnings say why.
	Text, Base string
	Found      lint.Answer
}

// Update runs a request of SPARQL 1.1 Update as one commit, or none when it changes
// nothing: its operations in order, each on what those before it left, and what the
// schema forbids at the end refused as [Session.Commit] does. The set's Edits are not
// used. The schema and whatever trails keeps itself cannot be written to, which is
// fault.Denied, and CLEAR ALL leaves them alone.
func (s *Session) Update(ctx context.Context, u *sparql.Update, set ChangeSet, o UpdateOptions) (Result, error) {
	u, err := u.Bind(o.Params)
	if err != nil {
		return Result{}, err
	}
	if err := checkUsing(u, o.Dataset); err != nil {
		return Result{}, err
	}
	var spool change.Spool
	defer spool.Close()
	labels := change.NewLabels()
	run := updating{
		session: s, operations: u.Operations, options: o, labels: labels, fill: filler{prefix: labels.Prefix}, spool: &spool,
		fetched: map[sparql.Load]*change.Spool{}, unread: map[sparql.Load]string{},
	}
	defer run.forget()
	if err := run.askOthers(ctx, s); err != nil {
		return Result{}, err
	}
	result, err := run.from.lowers(s).write(ctx, job{action: policy.Change, spool: &spool, set: set, prepare: run.all, from: &run.from, idle: &run.idling})
	result.LeftOut, result.Searched = run.leftOut, run.searched.told
	return result, err
}

// askOthers calls the services and fetches the documents of the request, before anything is locked.
func (u *updating) askOthers(ctx context.Context, s *Session) error {
	if err := u.withServices(ctx, s.graph.remote); err != nil {
		return err
	}
	if err := u.meanings(ctx, s); err != nil {
		return err
	}
	return u.fetchAll(ctx, s)
}

// checkUsing refuses impossible datasets, before anything is locked.
func checkUsing(u *sparql.Update, given sparql.Dataset) error {
	if err := checkDataset(given); err != nil {
		return err
	}
	for _, op := range u.Operations {
		m, ok := op.(sparql.Modify)
		if !ok {
			continue
		}
		if !given.IsZero() && (m.With != "" || !m.Using.IsZero()) {
			return fault.New(fault.InvalidArguments, "the update says by USING or WITH which graphs it reads, so the call cannot; leave it to one of the two")
		}
		if err := checkDataset(m.Using); err != nil {
			return err
		}
		for _, p := range slices.Concat(m.Delete, m.Insert) {
			if graph := cmp.Or(p.Graph.Term, rdf.Term(m.With)); (rdf.IsGraphAt(graph) || rdf.IsOriginGraph(graph)) && p.Graph.Var == "" {
				return checkUpdatable(graph)
			}
		}
	}
	return nil
}

// updating is one running request, under the write lock.
type updating struct {
	session    *Session
	operations []sparql.Operation
	options    UpdateOptions
	labels     change.Labels
	fill       filler
	seen       *db.Reader    // what its operations read
	spool      *change.Spool // receives the edits of the current operation
	// gathered, when set, is called with the edits of each operation before they are tried.
	gathered func(*change.Spool) error
	fetched  map[sparql.Load]*change.Spool
	leftOut  rdfio.LeftOut          // left out of documents
	unread   map[sparql.Load]string // why a document could not be read that SILENT skips
	silenced string                 // the refusal of the current operation that SILENT skips
	schema   *schema.Schema
	from     origins
	searched matching
	solved   int64   // number of solutions of the current operation
	made     []int64 // number of statements made by each of its patterns, those to remove first
	idling
}

// all runs the operations. The edits of a single one go directly to the commit. Of several, each is tried in a draft,
// which the next one reads, and the commit gets the net effect.
func (u *updating) all(ctx context.Context, w *db.Writer, c *compiled) error {
	u.seen, u.schema = w.Seen(), c.schema
	if err := u.session.newSnapshot(u.seen, c, nil, nil).readAt(ctx, commitGraphs(u.operations, u.options.Dataset)); err != nil {
		return err
	}
	if len(u.operations) == 1 {
		why, err := u.operation(ctx, u.operations[0])
		u.isIdle("this", why)
		u.part, u.replaces = u.makesPart(u.operations[0]), replaces(u.operations[0])
		return err
	}
	if w.Restricted() {
		return fault.New(fault.Denied, "an update of %d operations reads what the first of them leaves, and you may see a part of the graph only; send each operation by itself", len(u.operations))
	}
	draft, err := w.Draft(ctx)
	if err != nil {
		return err
	}
	whole := u.spool
	idle := 0
	for i, op := range u.operations {
		why, part, err := u.try(ctx, draft, op)
		if err != nil {
			return err
		}
		if why != "" {
			idle++
		}
		u.isIdle(fmt.Sprintf("operation %d", i+1), why)
		u.isIdle(fmt.Sprintf("a part of operation %d", i+1), part)
	}
	if err := addNet(ctx, whole, draft); err != nil {
		return err
	}
	if idle < len(u.operations) && (whole.Len() == 0 || !slices.ContainsFunc(u.operations, replaces)) {
		back, first, err := draft.TakenBack(ctx)
		if err != nil {
			return err
		}
		u.takeBack(whole.Len() == 0, back, statement(u.schema, first))
	}
	return draft.Undo(ctx)
}

// NamesLater is the fault InvalidArguments for an update that names a commit by what may name another one later, as head, a
// tag, a branch or a time does: one that is made later has ids.
func (s *Snapshot) NamesLater(ctx context.Context, u *sparql.Update, d sparql.Dataset) error {
	return s.namesLater(ctx, commitGraphs(u.Operations, d))
}

// commitGraphs returns the graphs of commits that operations on a dataset read.
func commitGraphs(operations []sparql.Operation, d sparql.Dataset) (g graphsAt) {
	g.dataset(d)
	for _, op := range operations {
		switch op := op.(type) {
		case sparql.Modify:
			g.dataset(op.Using)
			g.add(&g.names, op.With)
			g.pattern(op.Where)
		case sparql.Transfer:
			g.add(&g.names, op.From.Graph)
		}
	}
	return g
}

// addNet adds the net changes of a draft to a spool, as edits.
func addNet(ctx context.Context, spool *change.Spool, draft *db.Draft) error {
	for c, err := range draft.Net(ctx) {
		if err != nil {
			return err
		}
		op := change.Retract
		if c.Added {
			op = change.Assert
		}
		if err := spool.Add(change.Edit{Op: op, Quad: c.Quad}); err != nil {
			return err
		}
	}
	return nil
}

// try runs one operation: it reads everything, and then changes the draft. It returns why the operation, or a part of
// it, changes nothing.
func (u *updating) try(ctx context.Context, draft *db.Draft, op sparql.Operation) (why, part string, err error) {
	u.spool = &change.Spool{}
	defer u.spool.Close()
	why, err = u.operation(ctx, op)
	if why != "" || err != nil {
		return why, "", err
	}
	if u.gathered != nil {
		if err := u.gathered(u.spool); err != nil {
			return "", "", err
		}
	}
	var idle idleness
	for e, err := range u.spool.Edits(ctx) {
		if err != nil {
			return "", "", err
		}
		do, all := draft.Remove, &idle.removes
		if e.Op == change.Assert {
			do, all = draft.Add, &idle.adds
		}
		did, err := do(ctx, e.Quad)
		if err != nil {
			return "", "", err
		}
		*all++
		switch {
		case did:
		case e.Op == change.Assert:
			idle.isThere(u.schema, e.Quad)
		default:
			if err := idle.isAbsent(ctx, u.seen, u.schema, e.Quad); err != nil {
				return "", "", err
			}
		}
	}
	reason := strings.Join(slices.DeleteFunc([]string{u.makesPart(op), idle.String()}, func(s string) bool { return s == "" }), "; ")
	switch {
	case idle.there+idle.absent == idle.adds+idle.removes:
		return reason, "", nil
	case replaces(op):
		return "", "", nil
	}
	return "", reason, nil
}

// edit spools one edit. A result of an expression that is not a valid RDF statement is left out (SPARQL 1.1 Update,
// section 4.1.2).
func (u *updating) edit(op change.Op, q rdf.Quad) error {
	e := change.Edit{Op: op, Quad: q}
	if op == change.Assert {
		e = u.labels.Edit(e)
	}
	if e.Check() != nil {
		return nil
	}
	if err := checkUpdatable(q.Label); err != nil {
		return err
	}
	return u.spool.Add(e)
}

// modify is DELETE, then INSERT, with the solutions of WHERE (section 3.1).
func (u *updating) modify(ctx context.Context, op sparql.Modify) error {
	var ends []sparql.Operand
	for _, p := range slices.Concat(op.Delete, op.Insert) {
		ends = append(ends, p.Graph, p.Subject, p.Predicate, p.Object)
	}
	columns := varsOf(ends)
	u.fill.begin(columns)
	u.made = make([]int64, len(op.Delete)+len(op.Insert))
	rows, err := u.solutions(ctx, op, columns)
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		u.fill.solution++
		if err := u.filled(change.Retract, op.Delete, op.With, row, u.made); err != nil {
			return err
		}
		if err := u.filled(change.Assert, op.Insert, op.With, row, u.made[len(op.Delete):]); err != nil {
			return err
		}
	}
	return nil
}

// filled adds the edits of a template for a solution, and counts them by pattern.
func (u *updating) filled(op change.Op, template []sparql.QuadPattern, with rdf.IRI, row []rdf.Term, made []int64) error {
	for i, p := range template {
		q, ok := u.fill.triple(p.TriplePattern, row)
		if !ok {
			continue
		}
		switch {
		case p.Graph != sparql.Operand{}:
			name, ok := u.fill.term(p.Graph, row).(rdf.IRI)
			if !ok {
				continue
			}
			q.Label = name
		case with != "":
			q.Label = with
		}
		edits := u.spool.Len()
		if err := u.edit(op, q); err != nil {
			return err
		}
		made[i] += u.spool.Len() - edits
	}
	return nil
}

// solutions are the solutions of WHERE, after the operations so far.
func (u *updating) solutions(ctx context.Context, op sparql.Modify, columns []sparql.Var) (iter.Seq2[[]rdf.Term, error], error) {
	if op.Where == nil {
		return func(yield func([]rdf.Term, error) bool) { yield(make([]rdf.Term, len(columns)), nil) }, nil
	}
	op, err := u.withSearches(ctx, op)
	if err != nil {
		return nil, err
	}
	dataset, where := u.options.Dataset, op.Where
	switch {
	case !op.Using.IsZero():
		dataset = op.Using
	case op.With != "":
		where, dataset, err = u.within(ctx, op.With, where)
	}
	if err != nil {
		return nil, err
	}
	plan, err := u.seen.Plan(ctx, where, columns, dataset, op.Base)
	if err != nil {
		return nil, err
	}
	return u.seen.Run(ctx, plan, u.options.Limits), nil
}

// within is a pattern whose default graph is the one of WITH. For an existing graph GRAPH means the same; for another
// one GRAPH has no solutions, and WITH may have some.
func (u *updating) within(ctx context.Context, with rdf.IRI, where sparql.Op) (sparql.Op, sparql.Dataset, error) {
	there, err := graphExists(ctx, u.seen, with)
	if there || err != nil {
		return sparql.Graph{Name: sparql.Operand{Term: with}, Op: where}, sparql.Dataset{}, err
	}
	d := sparql.Dataset{Default: []rdf.IRI{with}}
	const name = sparql.Var("g")
	plan, err := u.seen.Plan(ctx, sparql.Graph{Name: sparql.Operand{Var: name}, Op: sparql.BGP{}}, []sparql.Var{name}, sparql.Dataset{}, "")
	if err != nil {
		return nil, d, err
	}
	for row, err := range u.seen.Run(ctx, plan, u.options.Limits) {
		if err != nil {
			return nil, d, err
		}
		if iri, ok := row[0].(rdf.IRI); ok {
			d.Named = append(d.Named, iri)
		}
	}
	return where, d, nil
}
