package kg

import (
	"context"
	"sync"

	"trails/auth/policy"
	"trails/db"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// Part is what a package above the graph makes of the records that the schema graph holds beside the schema, such as
// the servers of the gateway. It is made once for each state of the schema graph, and all snapshots of that state
// share it: what reads it must not change it. It is safe for concurrent use.
type Part[T any] struct{ make func(records []rdf.Quad) T }

// NewPart returns the part that make returns of all records.
func NewPart[T any](make func(records []rdf.Quad) T) *Part[T] { return &Part[T]{make} }

// Of returns the part of a snapshot.
func (p *Part[T]) Of(s *Snapshot) T {
	c := s.compiled
	made, found := c.parts.Load(p)
	if !found {
		made, _ = c.parts.LoadOrStore(p, sync.OnceValue(func() T { return p.make(c.records) }))
	}
	return made.(func() T)()
}

// isRecord reports whether a quad of the schema graph belongs to a record, not to the schema.
func isRecord(q rdf.Quad) bool {
	kind, _ := schema.RecordOf(q)
	return kind != 0
}

// RecordEdit returns which quads of records to add and to remove, given all records as they are under the write lock.
type RecordEdit func(records []rdf.Quad) (add, remove []rdf.Quad, err error)

// EditRecords changes records that the schema graph holds beside the schema, as one commit.
func (s *Session) EditRecords(ctx context.Context, edit RecordEdit, set ChangeSet) (Result, error) {
	var spool change.Spool
	defer spool.Close()
	prepare := func(_ context.Context, _ *db.Writer, before *compiled) error {
		add, remove, err := edit(before.records)
		if err != nil {
			return err
		}
		if err := editQuads(&spool, change.Retract, remove...); err != nil {
			return err
		}
		return editQuads(&spool, change.Assert, add...)
	}
	return s.write(ctx, job{action: policy.SchemaApply, spool: &spool, set: set, prepare: prepare})
}
