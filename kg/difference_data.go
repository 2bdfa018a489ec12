package kg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"trails/db"
	"trails/db/extsort"
	"trails/db/history"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// OtherData are the statements and definitions of another file as of one of its commits.
type OtherData struct {
	// Statements are N-Quads in any order; those of the schema's graph are left out.
	Statements io.Reader
	// Name is that of Statements in errors.
	Name string
	// Definitions are those of the other file. Without a schema it has none.
	Definitions Definitions
	Progress    func(Progress)
}

// CompareWith returns what leads from the data of another file to that of the snapshot, whether they have a common history
// or not: it reads all of both, in bounded memory with temporary files, and compares the texts of the statements. So blank
// nodes are the same if they have the same label. Text that is no N-Quads is the fault Malformed. Whoever made the
// Comparison calls [Comparison.Forget] after use.
func (s *Snapshot) CompareWith(ctx context.Context, o OtherData) (c *Comparison, err error) {
	was, err := schema.FromQuads(nil, s.Schema().Base)
	if len(o.Definitions.Schema) > 0 {
		was, err = schema.ParseYAML(o.Definitions.Schema, s.Schema().Base)
	}
	if err != nil {
		return nil, err
	}
	mine, err := s.Definitions()
	if err != nil {
		return nil, err
	}
	c = &Comparison{
		Snapshot: s, To: s.Head(), before: &compiled{schema: was}, renamed: map[rdf.IRI][]rdf.IRI{},
		other: &otherData{definitions: DefinitionsDiff{
			Steps: was.Towards(s.Schema()).Steps(was), Queries: querySteps(o.Definitions.Queries, mine.Queries), Policies: policyStep(o.Definitions.Policies, mine.Policies),
			Applied: without(mine.Migrations, o.Definitions.Migrations), Missing: without(o.Definitions.Migrations, mine.Migrations),
		}},
	}
	c.rename()
	if err := c.other.collect(ctx, s, o); err != nil {
		return nil, errors.Join(err, c.Forget())
	}
	return c, nil
}

// Forget removes the temporary files of a comparison with other data. It does not close the snapshot.
func (c *Comparison) Forget() error {
	if c.other == nil {
		return nil
	}
	return c.other.sorter.Close()
}

// otherData are the statements of both sides. A record is the text of a statement and the side that has it.
type otherData struct {
	definitions DefinitionsDiff
	sorter      extsort.Sorter
}

// The sides, in the order of records.
const (
	ofOther = iota
	ofSnapshot
)

// collect reads both sides.
func (d *otherData) collect(ctx context.Context, s *Snapshot, o OtherData) error {
	report := reporter(o.Progress, "read", "quads", 0)
	in := rdfio.NewNQuadsReader(o.Statements, rdfio.Limits{})
	for n := 1; ; n++ {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", o.Name, err)
		}
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		report(1)
		if err := d.add(q, ofOther); err != nil {
			return err
		}
	}
	s.source.Outlast()
	for q, err := range s.Match(ctx, rdf.Quad{}) {
		if err != nil {
			return err
		}
		report(1)
		if err := d.add(q, ofSnapshot); err != nil {
			return err
		}
	}
	return nil
}

// add adds a statement of a side.
func (d *otherData) add(q rdf.Quad, side byte) error {
	if q.Label == rdf.SchemaGraph {
		return nil
	}
	return d.sorter.Add(func(record []byte) []byte { return append(rdf.AppendQuad(record, q), side) })
}

// statements yields the statements that one side alone has.
func (d *otherData) statements(ctx context.Context) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		if err := d.each(ctx, func(c db.Change) bool { return yield(c, nil) }); err != nil {
			yield(db.Change{}, err)
		}
	}
}

func (d *otherData) each(ctx context.Context, yield func(db.Change) bool) error {
	sorted, err := d.sorter.Sorted()
	if err != nil {
		return err
	}
	var text []byte
	for n := 1; ; n++ {
		record, more := sorted.Peek()
		if !more {
			return nil
		}
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text = append(text[:0], record[:len(record)-1]...)
		var has [2]bool
		for ; more && string(record[:len(record)-1]) == string(text); record, more = sorted.Peek() {
			has[record[len(record)-1]] = true
			if err := sorted.Advance(); err != nil {
				return err
			}
		}
		if has[ofOther] == has[ofSnapshot] {
			continue
		}
		c := db.Change{Op: history.OpRemove}
		if has[ofSnapshot] {
			c.Op = history.OpAdd
		}
		if c.Quad, err = rdfio.ParseQuad(text); err != nil {
			return err
		}
		if !yield(c) {
			return nil
		}
	}
}
