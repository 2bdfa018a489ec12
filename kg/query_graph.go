package kg

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"trails/db"
	"trails/rdf"
	"trails/sparql"
)

// Triples runs a CONSTRUCT or DESCRIBE and yields its triples as they are found, each once. The memory for
// remembering them counts towards the query's limit.
func (a *Answer) Triples(ctx context.Context) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		once := &distinct{yield: yield, seen: map[rdf.Quad]struct{}{}, memory: a.snapshot.source.Memory(a.options.Limits)}
		defer once.memory.Release()
		var err error
		if a.Form == sparql.Construct {
			err = a.construct(ctx, once)
		} else {
			err = a.describe(ctx, once)
		}
		if err != nil && !once.stopped {
			yield(rdf.Quad{}, err)
		}
	}
}

// distinct yields each triple once.
type distinct struct {
	yield   func(rdf.Quad, error) bool
	seen    map[rdf.Quad]struct{}
	memory  *db.Memory
	stopped bool
}

// rememberedBytes is the approximate memory for a remembered triple, besides its texts.
const rememberedBytes = 200

// grow counts what is remembered.
func (d *distinct) grow(terms ...rdf.Term) error {
	size := int64(rememberedBytes)
	for _, t := range terms {
		size += int64(len(rdf.Lexical(t)))
	}
	return d.memory.Grow(size)
}

// add adds a triple, and reports whether more are wanted.
func (d *distinct) add(q rdf.Quad) (bool, error) {
	if _, known := d.seen[q]; known {
		return true, nil
	}
	d.seen[q] = struct{}{}
	if err := d.grow(q.Subject, q.Predicate, q.Object); err != nil {
		return false, err
	}
	d.stopped = !d.yield(q, nil)
	return !d.stopped, nil
}

// construct is section 16.2: each solution fills in the template, with new blank nodes; results that are not triples
// are left out.
func (a *Answer) construct(ctx context.Context, out *distinct) error {
	// The labels of new blank nodes begin with the id of the commit, which no label in that commit can contain.
	// Before the first commit there are no labels.
	id := a.snapshot.Head().ID.Whole()
	fill := filler{prefix: "t" + id[:min(16, len(id))] + "x"}
	fill.begin(a.columns())
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		fill.solution++
		for _, p := range a.query.Template {
			q, ok := fill.triple(p, row)
			if !ok {
				continue
			}
			if more, err := out.add(q); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// filler puts a solution's terms into a template.
type filler struct {
	at       map[sparql.Var]int
	prefix   string
	labels   map[rdf.BNode]int // of the template, numbered
	solution int64
}

// begin takes the columns of the solutions of one template.
func (f *filler) begin(columns []sparql.Var) {
	f.at, f.labels = make(map[sparql.Var]int, len(columns)), map[rdf.BNode]int{}
	for i, v := range columns {
		f.at[v] = i
	}
}

// triple fills in one pattern for a solution; it returns false if the result is not a triple.
func (f *filler) triple(p sparql.TriplePattern, row []rdf.Term) (rdf.Quad, bool) {
	q := rdf.Quad{Subject: f.term(p.Subject, row), Predicate: f.term(p.Predicate, row), Object: f.term(p.Object, row)}
	_, named := q.Predicate.(rdf.IRI)
	return q, isNode(q.Subject) && named && q.Object != nil
}

func (f *filler) term(o sparql.Operand, row []rdf.Term) rdf.Term {
	if o.Var != "" {
		return row[f.at[o.Var]]
	}
	if label, ok := o.Term.(rdf.BNode); ok {
		n, known := f.labels[label]
		if !known {
			n = len(f.labels)
			f.labels[label] = n
		}
		return rdf.BNode(f.prefix + strconv.FormatInt(f.solution, 10) + "x" + strconv.Itoa(n))
	}
	return o.Term
}

func isNode(t rdf.Term) bool {
	switch t.(type) {
	case rdf.IRI, rdf.BNode:
		return true
	}
	return false
}

// varsOf lists the variables of a template.
func varsOf(ends []sparql.Operand) (vars []sparql.Var) {
	for _, o := range ends {
		if o.Var != "" && !slices.Contains(vars, o.Var) {
			vars = append(vars, o.Var)
		}
	}
	return vars
}

// describe is the concise bounded description: the statements about a node, and those about blank nodes among their
// objects.
func (a *Answer) describe(ctx context.Context, out *distinct) error {
	d := describing{answer: a, out: out, done: map[rdf.Term]bool{}}
	for _, iri := range a.query.Describe {
		if more, err := d.about(ctx, iri); err != nil || !more {
			return err
		}
	}
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		for _, t := range row {
			if more, err := d.about(ctx, t); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

type describing struct {
	answer *Answer
	out    *distinct
	done   map[rdf.Term]bool
}

// about describes a node and the blank nodes it leads to, and reports whether more is wanted.
func (d *describing) about(ctx context.Context, node rdf.Term) (bool, error) {
	waiting := []rdf.Term{node}
	for len(waiting) > 0 {
		node := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if !isNode(node) || d.done[node] {
			continue
		}
		d.done[node] = true
		if err := d.out.grow(node); err != nil {
			return false, err
		}
		for _, graph := range d.graphs() {
			for q, err := range d.answer.snapshot.Match(ctx, rdf.Quad{Subject: node, Label: graph}) {
				if err != nil {
					return false, err
				}
				q.Label = nil
				if more, err := d.out.add(q); err != nil || !more {
					return false, err
				}
				if _, blank := q.Object.(rdf.BNode); blank {
					waiting = append(waiting, q.Object)
				}
			}
		}
	}
	return true, nil
}

// graphs are the graphs of the query's default graph.
func (d *describing) graphs() []rdf.Term {
	dataset := d.answer.query.Dataset
	if dataset.IsZero() {
		return []rdf.Term{rdf.DefaultGraph}
	}
	var graphs []rdf.Term
	for _, iri := range dataset.Default {
		graphs = append(graphs, iri)
	}
	return graphs
}
