// Package change computes the effect of a change: edits are collected in a [Spool] of bounded memory, sorted by
// subject, and merged with the statements of each subject ([Group.Net]). A small write and a load of any size are
// handled the same way. It knows no storage; the spool's overflow goes to temporary files.
package change

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// Op is what an edit does. A subject's edits take effect in the order of the
// constants, whatever order they came in.
type Op byte

// The operations.
const (
	// Fresh requires that the subject has no quads in the graph before.
	Fresh Op = 'a' + iota
	// Once requires that no other edit of the change has Once for this subject and graph.
	Once
	// Require requires the quad, usually a type, before the change or among its assertions.
	Require
	// Erase removes every quad of the subject in the graph that the change does not assert.
	Erase
	// Clear removes every value of the predicate in the graph that the change does not assert.
	Clear
	// Retract removes the quad; removing a missing one is no error.
	Retract
	// Assert adds the quad; adding an existing one is no error.
	Assert
	// Default adds the quad when the predicate would have no value after all other edits.
	Default
)

// Source is a place in the input; the zero Source is none.
type Source struct {
	File   uint16 // index of the input
	Line   uint64 // from 1, below 2^48
	Column uint16 // from 1, in bytes; 0 when it is not known, or beyond
}

// Edit is one step of a change set. Erase, Fresh and Once use the quad's Subject
// and Label, Clear its Predicate too, the others all of it.
type Edit struct {
	Op     Op
	Quad   rdf.Quad
	Source Source
}

// hasPredicate and hasObject say which parts of its quad an op uses, besides the
// subject and the graph.
func (o Op) hasPredicate() bool { return o != Fresh && o != Once && o != Erase }
func (o Op) hasObject() bool    { return o.hasPredicate() && o != Clear }

// Check refuses an edit with parts that no RDF graph can contain: a literal as subject, an IRI with a space, text
// that is not UTF-8. Only the parts that its op uses are checked. It prints the quad and tests whether reading it
// gives the same quad.
func (e Edit) Check() error {
	q := e.Quad
	if !e.Op.hasPredicate() {
		q.Predicate = rdf.Type
	}
	if !e.Op.hasObject() {
		q.Object = rdf.Nil
	}
	for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		switch t.(type) {
		case nil, rdf.IRI, rdf.BNode, rdf.String, rdf.TypedString, rdf.LangString:
		default:
			return fault.New(fault.InvalidData, "%v is no RDF term; use package rdf to make one", t)
		}
	}
	text := rdf.AppendQuad(nil, q)
	read, err := rdfio.ParseQuad(text)
	if err != nil {
		return fault.New(fault.InvalidData, "%.200q is no statement: %v", text, err)
	}
	if read != q {
		return fault.New(fault.InvalidData, "%.200q is no statement: it does not read as it was written", text)
	}
	return nil
}

// CheckGraph refuses, as the graph of an edit from outside, graphs that only the system writes, and the default graph
// by its name.
func CheckGraph(label rdf.Term) error {
	if label == rdf.DefaultGraph || rdf.IsVirtual(label) {
		return fault.New(fault.InvalidData, "graph %s is kept by trails itself and cannot be written to", rdf.Lexical(label))
	}
	return nil
}

const sourceBytes = 10

// appendRecord appends e in the form that the spool sorts: subject, NUL, op, the
// rest of the canonical quad, and the source, which takes no part in the order.
// NUL sorts below every character of a term, so the order of records with equal
// ops is the order of their canonical quads.
func appendRecord(dst []byte, e Edit) []byte {
	dst = rdf.AppendTerm(dst, e.Quad.Subject)
	dst = append(dst, 0, byte(e.Op))
	if e.Op.hasPredicate() {
		dst = append(rdf.AppendTerm(append(dst, ' '), e.Quad.Predicate), ' ')
	}
	if e.Op.hasObject() {
		dst = append(rdf.AppendTerm(dst, e.Quad.Object), ' ')
	}
	if e.Quad.Label != nil {
		dst = append(rdf.AppendTerm(dst, e.Quad.Label), ' ')
	}
	dst = append(dst, '.')
	dst = binary.BigEndian.AppendUint64(dst, uint64(e.Source.File)<<48|e.Source.Line)
	return binary.BigEndian.AppendUint16(dst, e.Source.Column)
}

// appendByGraph appends the record of e with its graph in front, so that records sort by graph; the default graph
// comes first.
func appendByGraph(dst []byte, e Edit) []byte {
	if e.Quad.Label != nil {
		dst = rdf.AppendTerm(dst, e.Quad.Label)
	}
	return appendRecord(append(dst, 0), e)
}

// key is the part of a record that is compared.
func key(record []byte) []byte { return record[:len(record)-sourceBytes] }

// sourceOf is where the edit of a record comes from.
func sourceOf(record []byte) Source {
	at := record[len(record)-sourceBytes:]
	source := binary.BigEndian.Uint64(at)
	return Source{File: uint16(source >> 48), Line: source & (1<<48 - 1), Column: binary.BigEndian.Uint16(at[8:])}
}

// opOf is the op of a record.
func opOf(record []byte) Op { return Op(record[bytes.IndexByte(record, 0)+1]) }

// decoder reads records back. Only newDecoder makes one.
type decoder struct {
	parser  *rdfio.QuadParser
	scratch []byte
	cleared map[string]rdf.Term // predicates of Clear, by text
}

// maxCleared bounds the predicates that a decoder remembers.
const maxCleared = 1000

// newDecoder returns a decoder for so many records.
func newDecoder(count int64) decoder {
	if count < 1_000 {
		return decoder{parser: &rdfio.QuadParser{}, cleared: map[string]rdf.Term{}}
	}
	return decoder{parser: rdfio.NewQuadParser(), cleared: map[string]rdf.Term{}}
}

// edit reads one record; subject is the already decoded subject.
func (d *decoder) edit(record []byte, subject rdf.Term) (Edit, error) {
	k := key(record)
	cut := bytes.IndexByte(k, 0)
	e := Edit{Op: Op(k[cut+1]), Source: sourceOf(record)}
	rest := k[cut+2:]
	if !e.Op.hasObject() {
		e.Quad = d.target(subject, rest)
		return e, nil
	}
	d.scratch = append(append(d.scratch[:0], k[:cut]...), rest...)
	q, err := d.parser.Parse(d.scratch)
	if err != nil {
		return Edit{}, fmt.Errorf("decode spooled quad: %w", err)
	}
	q.Subject = subject
	e.Quad = q
	return e, nil
}

// target reads the predicate and graph of an edit that has no object.
// Both are IRIs or blank nodes, which hold no space.
func (d *decoder) target(subject rdf.Term, rest []byte) rdf.Quad {
	q := rdf.Quad{Subject: subject}
	if rest[0] == ' ' {
		text, behind, _ := bytes.Cut(rest[1:], []byte(" "))
		q.Predicate, rest = d.predicate(text), behind
	}
	if label, _, ok := bytes.Cut(rest, []byte(" ")); ok {
		q.Label = resource(label)
	}
	return q
}

func (d *decoder) predicate(text []byte) rdf.Term {
	p, ok := d.cleared[string(text)]
	if !ok {
		if len(d.cleared) == maxCleared {
			clear(d.cleared)
		}
		p = resource(text)
		d.cleared[string(text)] = p
	}
	return p
}

// resource decodes the canonical text of an IRI or blank node.
func resource(text []byte) rdf.Term {
	if text[0] == '<' {
		return rdf.IRI(text[1 : len(text)-1])
	}
	return rdf.BNode(text[2:])
}
