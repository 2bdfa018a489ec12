package kg

import (
	"context"
	"fmt"
	"math"

	"trails/db"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// Snapshot is the graph pinned at one commit: reading it twice gives the same
// answer, whatever others write meanwhile. It is an rdf.Source. It is for one
// goroutine at a time; Close it.
type Snapshot struct {
	*browse.Reader
	source   *db.Reader
	graph    *Graph
	compiled *compiled
	session  *Session
	rights   *Rights // of its reader; nil are all
	// authority is what policies let its reader do; nil is everything.
	authority *Authority
}

func (s *Session) newSnapshot(source *db.Reader, c *compiled, rights *Rights, a *Authority) *Snapshot {
	return &Snapshot{Reader: browse.New(source, c.schema), source: source, graph: s.graph, compiled: c, session: s, rights: rights, authority: a}
}

// Sight is that of its session; see [Session.Sight].
func (s *Snapshot) Sight() string {
	if s.authority == nil {
		return s.rights.Key()
	}
	return s.authority.law.digest + s.authority.key() + "\x00" + s.rights.Key() // not of the schema: who watches goes on under a new one
}

// Authority is what policies let its reader do.
func (s *Snapshot) Authority() *Authority { return s.authority }

// Quads returns the number of statements.
func (s *Snapshot) Quads(ctx context.Context) (int64, error) { return s.source.Quads(ctx) }

// SeesAll reports whether its reader may see everything.
func (s *Snapshot) SeesAll() bool { return s.compiled.rights == "" }

// Rights is the key of the rights of its reader, "" for all.
func (s *Snapshot) Rights() string { return s.rights.Key() }

// Schema returns the schema that the snapshot's head is under.
func (s *Snapshot) Schema() *schema.Schema { return s.compiled.schema }

// Unenforced is nil, or says which shape of the schema graph cannot be checked, so that writes are refused, and the
// way out.
func (s *Snapshot) Unenforced() error { return s.compiled.unenforced() }

// SchemaVersion counts the commits that changed the schema; 0 is a file without types.
func (s *Snapshot) SchemaVersion() int64 { return s.compiled.version }

// SchemaKey identifies the schema: snapshots of one graph with equal keys have equal schemas, though maybe not the
// same value.
func (s *Snapshot) SchemaKey() string {
	return s.compiled.key()
}

func (c *compiled) key() string { return fmt.Sprintf("%s %d %s", c.epoch, c.seq, c.rights) }

// Graph returns the open file that the snapshot is of.
func (s *Snapshot) Graph() *Graph { return s.graph }

// Having implements validate.Data: subjects of the default graph that have every pair.
func (s *Snapshot) Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	return s.source.Having(ctx, pairs, limit)
}

// Node returns what is said of a subject in the default graph.
func (s *Snapshot) Node(ctx context.Context, subject rdf.Term) ([]rdf.Quad, error) {
	return collect(s.Match(ctx, rdf.Quad{Subject: subject, Label: rdf.DefaultGraph}))
}

// Name returns the name of a node for people: Type/local for a node of this graph, else its IRI.
func (s *Snapshot) Name(node rdf.Term) string { return s.Schema().NodeName(node) }

// TypeCount is the number of instances of a type and its subtypes. A node with several of these types counts once for
// each.
type TypeCount struct {
	Type  *schema.Type
	Count int64
	// Own counts those that have the type itself.
	Own int64
}

// TypeCounts returns every declared type with its number of instances, in the order of declaration.
func (s *Snapshot) TypeCounts(ctx context.Context) ([]TypeCount, error) {
	list, err := s.source.CountByObject(ctx, rdf.Type)
	if err != nil {
		return nil, err
	}
	own := make(map[rdf.Term]int64, len(list))
	for _, c := range list {
		own[c.Object] = c.Count
	}
	return s.typeCounts(own, math.MaxInt64), nil
}

// TypeCountsUpTo is TypeCounts up to a maximum for each type: its cost depends on the number of types, not of nodes.
func (s *Snapshot) TypeCountsUpTo(ctx context.Context, most int64) ([]TypeCount, error) {
	own := make(map[rdf.Term]int64, len(s.Schema().Types))
	for _, t := range s.Schema().Types {
		n, err := s.source.CountReferrers(ctx, rdf.Type, t.IRI, int(most))
		if err != nil {
			return nil, err
		}
		own[t.IRI] = int64(n)
	}
	return s.typeCounts(own, most), nil
}

// CountOrigin counts what sources of a class said among the first most statements of the default graph: the statements,
// and for every declared type, in the order of declaration, the instances of which this class alone said something. part
// reports that there are more statements.
func (s *Snapshot) CountOrigin(ctx context.Context, origin Origin, most int) (statements int64, counts []TypeCount, part bool, err error) {
	classes := make([]rdf.IRI, len(s.Schema().Types))
	for i, t := range s.Schema().Types {
		classes[i] = t.IRI
	}
	found, err := s.source.CountOrigin(ctx, origin, classes, most)
	if err != nil {
		return 0, nil, false, err
	}
	return found.Statements, s.typeCounts(found.Nodes, math.MaxInt64), found.Part, nil
}

// typeCounts adds up what classes have, up to most.
func (s *Snapshot) typeCounts(own map[rdf.Term]int64, most int64) []TypeCount {
	out := make([]TypeCount, len(s.Schema().Types))
	for i, t := range s.Schema().Types {
		out[i].Type, out[i].Own = t, own[t.IRI]
		for _, sub := range s.Schema().Concrete(t) {
			out[i].Count = min(out[i].Count+own[sub.IRI], most)
		}
	}
	return out
}

// At returns the state of a commit, with the schema of that commit. It closes s, because each snapshot counts towards
// the readers of the file.
func (s *Snapshot) At(ctx context.Context, c Commit) (*Snapshot, error) {
	if err := s.Close(); err != nil {
		return nil, err
	}
	return s.session.open(ctx, db.View{At: c.ID, Rights: s.rights})
}

// SchemaCommits returns up to limit commits that changed the schema, newest first,
// of those before the commit with number before; 0 starts at the newest.
func (s *Snapshot) SchemaCommits(ctx context.Context, before Seq, limit int) ([]Commit, error) {
	var out []Commit
	for len(out) < limit {
		under, err := s.Commits(ctx, before, 1)
		if err != nil {
			return nil, err
		}
		if len(under) == 0 || under[0].SchemaSeq == 0 {
			break
		}
		c, err := s.CommitBySeq(ctx, under[0].SchemaSeq)
		if err != nil {
			return nil, err
		}
		out, before = append(out, c), c.Seq
		if c.Seq == 1 {
			break
		}
	}
	return out, nil
}
