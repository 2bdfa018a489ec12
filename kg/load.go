package kg

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
	"trails/text/outline"
)

// Load is a change that comes as streams. It is one atomic commit, whatever its size.
type Load struct {
	// Options say how the inputs are read.
	load.Options
	// IfGraph, when set, is the required state of Graph; otherwise the load is refused with fault.Precondition.
	IfGraph GraphState
	// Patch, when set, is steps that add to the schema, as [schema.Schema.Patch] reads them. The data is read under the
	// schema with them, and both are one commit of the action [policy.SchemaApply].
	Patch []byte
	// Matches means that references may be labels, and that rows find their nodes by [load.Table.By]. Both are looked for
	// among what the caller sees when the data is read.
	Matches bool
	// Set has everything but the edits.
	Set ChangeSet
	// Progress is called with the progress.
	Progress func(Progress)
}

// Loaded reports a finished load.
type Loaded struct {
	Result
	// Records counts the lines that held data: nodes, edges or quads.
	Records int64
	// Existed reports that the named graph existed before.
	Existed bool
	// Tables means that the inputs were tables whose rows Rejects can return.
	Tables bool
	// Broken describes the errors in the rows that Rejects has left out.
	Broken []fault.FieldError
	// Preview are the first nodes of the data, as many as the options request.
	Preview []load.Node
}

// Load reads all inputs, outside the write lock, and commits them. A bad line is refused with fault.InvalidData, with
// its source, field and reason. Data that would change the schema is refused with fault.Denied; data that only
// repeats it is accepted.
func (s *Session) Load(ctx context.Context, l Load) (Loaded, error) {
	return s.load(ctx, l.action(), l)
}

// action is what a load does: one with a patch changes the schema, too.
func (l *Load) action() policy.Action {
	if l.Patch != nil {
		return policy.SchemaApply
	}
	return policy.Change
}

// Import is Load of an export of a whole file, its schema included, into a file that
// has no commits yet; any other file is refused with fault.Precondition.
func (s *Session) Import(ctx context.Context, l Load) (Loaded, error) {
	err := s.View(ctx, func(snap *Snapshot) error {
		if snap.Head().ID != (CommitID{}) {
			return fault.New(fault.Precondition, "an export begins a new file, and this one has commits; load the export's data instead")
		}
		return nil
	})
	if err != nil {
		return Loaded{}, err
	}
	l.Set.IfCommit = &CommitID{} // others may commit while it is read
	return s.load(ctx, policy.Restore, l)
}

func (s *Session) load(ctx context.Context, action policy.Action, l Load) (Loaded, error) {
	r, err := s.read(ctx, action, l)
	if err != nil {
		return Loaded{}, err
	}
	defer r.Close()
	return r.Commit(ctx, l.Set)
}

// ReadLoad reads all inputs of a load, and changes nothing; it remains to commit them. Its errors are those of
// [Session.Load].
func (s *Session) ReadLoad(ctx context.Context, l Load) (*ReadyLoad, error) {
	return s.read(ctx, l.action(), l)
}

// ReadyLoad is a load whose inputs have been read. Close it.
type ReadyLoad struct {
	session *Session
	load    Load
	data    *load.Data
	job     job
	existed bool // the named graph existed before

	warnings []string        // about probable mistakes in the data
	patched  *schema.Patched // the schema with the patch; nil without one

	sameBlank bool // the blank nodes of the data are equivalent to those of the graph, at sameAt
	sameAt    CommitID
	partners  map[rdf.BNode]rdf.BNode // for blank nodes of the data the equivalent ones of the graph, at sameAt
}

// Commit commits the load. Of its Set only IfCommit and MaxRemoved are used; everything else was given when the
// inputs were read.
func (r *ReadyLoad) Commit(ctx context.Context, set ChangeSet) (Loaded, error) {
	r.job.set.IfCommit, r.job.set.MaxRemoved = set.IfCommit, set.MaxRemoved
	result, err := r.write(ctx)
	result.LeftOut = r.data.LeftOut
	records := r.data.Records
	var broken []fault.FieldError
	tables := false
	if rows := r.data.Rows; rows != nil && err == nil {
		result.LeftOut, records, broken = rows.Rejected(), rows.Good(), rows.Fields()
		tables = rows.Tables()
	}
	result.Doubts = append(result.Doubts, r.data.Misspelt...)
	result.Doubts = append(result.Doubts, r.data.Notes...)
	if !result.Replayed {
		result.Warnings = append(result.Warnings, r.warnings...)
	}
	return Loaded{Result: result, Records: records, Broken: broken, Tables: tables, Existed: r.existed, Preview: r.data.Preview}, err
}

// write writes what was read. With Rejects it leaves out refused rows, and then also the rows that refer to these and
// so become invalid. If no row is valid, or a refusal cannot be attributed to rows, nothing is written.
func (r *ReadyLoad) write(ctx context.Context) (Result, error) {
	rows := r.data.Rows
	if rows == nil {
		return r.session.write(ctx, r.job)
	}
	for rows.Good() > 0 {
		var broken []fault.FieldError
		r.job.counts = func(f fault.FieldError) bool {
			broken = append(broken, f)
			return true
		}
		result, err := r.session.write(ctx, r.job)
		if !fault.Is(err, fault.InvalidData) || !rows.Reject(broken) {
			return result, err
		}
	}
	if fields := rows.Fields(); len(fields) > 0 {
		return Result{}, fault.Invalid(fields)
	}
	return r.session.write(ctx, r.job)
}

// WriteRejects writes the rows that a load with Rejects has left out, with their errors, as a file that can be
// corrected and loaded; nothing if there are none.
func (r *ReadyLoad) WriteRejects(ctx context.Context, to io.Writer) error {
	if r.data.Rows == nil || len(r.data.Rows.Fields()) == 0 {
		return nil
	}
	return r.data.Rows.Write(ctx, to, load.AllInputs)
}

// RejectedOf writes the rows of one input that a load with Rejects has left out, as [ReadyLoad.WriteRejects] does, and
// returns how many there are.
func (r *ReadyLoad) RejectedOf(ctx context.Context, input int, to io.Writer) (rows int64, err error) {
	if r.data.Rows == nil {
		return 0, nil
	}
	if rows = r.data.Rows.RejectedOf(input); rows == 0 {
		return 0, nil
	}
	return rows, r.data.Rows.Write(ctx, to, input)
}

// Close discards what was read.
func (r *ReadyLoad) Close() { r.data.Close() }

func (s *Session) read(ctx context.Context, action policy.Action, l Load) (_ *ReadyLoad, err error) {
	if err := l.checkTarget(); err != nil {
		return nil, err
	}
	under, err := s.schemaNow(ctx)
	if err != nil {
		return nil, err
	}
	r := &ReadyLoad{session: s, load: l}
	reads := under.schema
	if l.Patch != nil {
		if l.Graph != "" || l.Mode == load.Overwrite || l.Mode == load.Replace {
			return nil, fault.Argument("patch", fault.Closed, nil, "patch is for data that is added: mode merge, append or skip, and no graph")
		}
		if r.patched, err = adding(under.schema, l.Patch); err != nil {
			return nil, err
		}
		reads = r.patched.Schema
	}
	// An idempotency key stands for the data, too: the same key with other data is
	// another change.
	content := sha256.New()
	content.Write(l.Set.Key.Digest[:])
	o := l.Options
	o.Inputs = slices.Clone(l.Inputs)
	var total int64
	from := &origins{}
	for i, in := range o.Inputs {
		from.add(policy.Import, in.Source)
		total += in.Size
		if l.Set.Key.Key != "" {
			o.Inputs[i].Reader = io.TeeReader(in.Reader, content)
		}
	}
	var data *load.Data
	readAll := func(snap *Snapshot) (err error) {
		if snap != nil {
			o.Finder = finder{snap}
		}
		data, err = load.Read(ctx, o, reads, reporter(l.Progress, "read", "bytes", total))
		return err
	}
	if l.Matches {
		err = s.View(ctx, readAll)
	} else {
		err = readAll(nil)
	}
	if err != nil {
		return nil, err
	}
	r.data = data
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	l.Set.Key.Digest = [32]byte(content.Sum(nil))
	r.job = job{action: action, spool: data.Edits, set: l.Set, inputs: data.Sources, from: from, records: data.Records, progress: l.Progress, skips: l.Mode == load.Skip}
	r.job.maxErrors = load.MaxBad
	r.job.idle = &idling{replaces: l.Mode == load.Overwrite || l.Mode == load.Replace}
	if data.UsesSchema || r.patched != nil {
		r.job.set.Schema = under.schema
	}
	if r.patched != nil {
		r.job.prepare, r.job.closes, r.job.changes = r.patch, true, true
	}
	if l.Graph != "" || l.Mode == load.Overwrite {
		r.job.prepare = r.atHead
	}
	if len(data.Bad) > 0 {
		return nil, r.allBad(ctx)
	}
	if err := s.View(ctx, func(snap *Snapshot) error { return r.lint(ctx, snap) }); err != nil {
		return nil, err
	}
	return r, r.compareBlank(ctx)
}

// adding is a schema with a patch that only adds to it; what takes something away or loosens the schema is refused.
func adding(under *schema.Schema, patch []byte) (*schema.Patched, error) {
	patched, err := under.Patch(patch)
	if err != nil {
		return nil, err
	}
	steps := patched.Loosening(under)
	for _, step := range schema.Diff(under, patched.Schema) {
		if step.Lossy {
			steps = append(steps, step)
		}
	}
	if len(steps) > 0 {
		return nil, fault.Argument("patch", fault.Closed, nil, fmt.Sprintf("patch may only add to the schema, and this takes away or loosens: %s; apply that by itself, with schema_apply", outline.Shorten(steps[0].String(), 200)))
	}
	return &patched, nil
}

// patch adds the edits of the schema. A try without rows that were refused repeats them, which changes nothing.
func (r *ReadyLoad) patch(ctx context.Context, w *db.Writer, before *compiled) error {
	m := schemaEdits{ctx: ctx, w: w, spool: r.data.Edits, transition: newTransition(before.schema, *r.patched), report: func(int64) {}}
	if err := m.run(); err != nil {
		return err
	}
	if fields := broken(m.plan.Queries); len(fields) > 0 {
		return breaks(fields, "")
	}
	return nil
}

// lint warns about unknown names in the data that are similar to a known one.
func (r *ReadyLoad) lint(ctx context.Context, snap *Snapshot) error {
	var insert []sparql.QuadPattern
	pattern := func(predicate, object sparql.Operand) {
		insert = append(insert, sparql.QuadPattern{TriplePattern: sparql.TriplePattern{Subject: sparql.Operand{Var: "s"}, Predicate: predicate, Object: object}})
	}
	byName := func(a, b rdf.Term) int { return cmp.Compare(rdf.Lexical(a), rdf.Lexical(b)) }
	for _, p := range slices.SortedFunc(maps.Keys(r.data.Predicates), byName) {
		pattern(sparql.Operand{Term: p}, sparql.Operand{Var: "o"})
	}
	for _, class := range slices.SortedFunc(maps.Keys(r.data.Classes), byName) {
		pattern(sparql.Operand{Term: rdf.Type}, sparql.Operand{Term: class})
	}
	if len(insert) == 0 {
		return nil
	}
	found, err := snap.LintUpdate(ctx, &sparql.Update{Operations: []sparql.Operation{sparql.Modify{Insert: insert}}}, UpdateOptions{})
	r.warnings = lint.Sentences(found, true)
	return err
}

// allBad validates what could be read, without writing it, and reports all errors together. Errors that only follow
// from a missing line or an unreadable value are left out, as are all if there may be lines that were not read.
func (r *ReadyLoad) allBad(ctx context.Context) error {
	if r.data.Partial {
		return fault.Invalid(r.data.Bad)
	}
	for e, err := range r.data.Tried.Edits(ctx) {
		if err != nil {
			return err
		}
		if err := r.data.Edits.Add(e); err != nil {
			return err
		}
	}
	j := r.job
	j.set.DryRun, j.set.Key, j.set.IfCommit = true, IdempotencyKey{}, nil
	j.counts = func(f fault.FieldError) bool {
		told := func(field string) bool { return r.data.Told[[2]string{f.Node, field}] }
		target, _ := f.Value.(string)
		return (f.Code != fault.Class || !r.data.BadNodes[target]) && f.IsBeside(told)
	}
	_, err := r.session.write(ctx, j)
	if err != nil && !fault.Is(err, fault.InvalidData) {
		return err
	}
	fields := r.data.Bad
	if err != nil {
		fields = append(fields, fault.Of(err).Fields...)
	}
	return fault.Invalid(fields)
}

// eraseTypes adds the removal of every instance of the types that the data has.
func (r *ReadyLoad) eraseTypes(ctx context.Context, w *db.Writer, c *compiled) error {
	for iri := range r.data.Types {
		for q, err := range w.Seen().Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: iri, Label: rdf.DefaultGraph}) {
			if err != nil {
				return err
			}
			if err := r.data.Edits.Add(change.Edit{Op: change.Erase, Quad: rdf.Quad{Subject: q.Subject}}); err != nil {
				return err
			}
		}
	}
	return nil
}
