package db

import (
	"context"

	"trails/rdf"
)

// How many links a read looks at to learn by which predicates a node is referred
// to, and how many predicates of the file it then tries.
const (
	linksLooked     = 2000
	predicatesTried = 1000
)

const (
	// linkPredicates is exact for a node with few links; its second column says how
	// many were looked at.
	linkPredicates = `SELECT p, count(*) FROM (SELECT l.p FROM live l INDEXED BY live_osp WHERE l.o = ? AND l.g = 0 LIMIT ? + 0) GROUP BY p`
	// triedPredicates asks each predicate of the file whether it leads to the node:
	// for a node with so many links that looking at all of them would take long. Each
	// step is one jump in the index.
	triedPredicates = `WITH RECURSIVE used(p) AS (
		SELECT (SELECT min(p) FROM live INDEXED BY live_pos)
		UNION ALL
		SELECT (SELECT min(l.p) FROM live l INDEXED BY live_pos WHERE l.p > used.p) FROM used WHERE used.p IS NOT NULL
		LIMIT ?2 + 0)
		SELECT p FROM used WHERE p IS NOT NULL
			AND EXISTS (SELECT 1 FROM live l INDEXED BY live_pos WHERE l.p = used.p AND l.o = ?1 AND l.g = 0)`
	referrersOf = `SELECT l.s, t.kind, t.value, t.datatype, t.lang FROM
		(SELECT s FROM live INDEXED BY live_pos WHERE p = ? AND o = ? AND g = 0 ORDER BY s LIMIT ? + 0 OFFSET ?) l
		LEFT JOIN terms t ON t.id = l.s`
	countReferrers = "SELECT count(*) FROM (SELECT 1 FROM live l INDEXED BY live_pos WHERE l.p = ? AND l.o = ? AND l.g = 0 LIMIT ? + 0)"
	// referrerTypes groups the first referrers by their types, with the least id of each.
	referrerTypes = `SELECT k.o, count(*) FROM
		(SELECT l.s FROM live l INDEXED BY live_pos WHERE l.p = ?1 AND l.o = ?2 AND l.g = 0 ORDER BY l.s LIMIT ?4 + 0) a
		LEFT JOIN live k NOT INDEXED ON k.s = a.s AND k.p = ?3 AND k.g = 0 GROUP BY k.o`
	referrersOfType  = firstReferrers + "EXISTS (SELECT 1 FROM live k NOT INDEXED WHERE k.s = a.s AND k.p = ?4 AND k.o = ?6 AND k.g = 0) ORDER BY a.s LIMIT ?5 + 0"
	untypedReferrers = firstReferrers + "NOT EXISTS (SELECT 1 FROM live k NOT INDEXED WHERE k.s = a.s AND k.p = ?4 AND k.g = 0) ORDER BY a.s LIMIT ?5 + 0"
	firstReferrers   = `SELECT a.s, t.kind, t.value, t.datatype, t.lang FROM
		(SELECT l.s FROM live l INDEXED BY live_pos WHERE l.p = ?1 AND l.o = ?2 AND l.g = 0 ORDER BY l.s LIMIT ?3 + 0) a
		LEFT JOIN terms t ON t.id = a.s WHERE `
	neighboursOut = `SELECT l.p, l.o, t.kind, t.value, t.datatype, t.lang FROM live l NOT INDEXED JOIN terms t ON t.id = l.o
		WHERE l.s = ?1 AND l.p <> ?2 AND l.g = 0 AND l.o > 0 AND t.kind <= 2 LIMIT ?3 + 0`
	neighboursIn = `SELECT l.p, l.s, t.kind, t.value, t.datatype, t.lang FROM live l INDEXED BY live_osp JOIN terms t ON t.id = l.s
		WHERE l.o = ?1 AND l.p <> ?2 AND l.g = 0 LIMIT ?3 + 0`
)

// ReferringPredicates returns the predicates by which nodes of the default graph
// refer to o. What it costs does not grow with the number of links. In a file of
// more than a thousand predicates it may miss some of a node with thousands of links.
func (r *Reader) ReferringPredicates(ctx context.Context, o rdf.Term) ([]rdf.IRI, error) {
	ids, ok, err := r.known(ctx, o)
	if err != nil || !ok {
		return nil, r.fail(ctx, "referring predicates", err)
	}
	list, err := r.referringPredicates(ctx, ids[0])
	return list, r.fail(ctx, "referring predicates", err)
}

func (r *Reader) referringPredicates(ctx context.Context, o int64) ([]rdf.IRI, error) {
	var ids []int64
	looked := int64(0)
	err := r.conn.exec(linkPredicates, func(s *stmt) error {
		ids = append(ids, s.ColumnInt64(0))
		looked += s.ColumnInt64(1)
		return nil
	}, o, linksLooked)
	if err != nil {
		return nil, err
	}
	if looked == linksLooked {
		tried, err := r.column(ctx, triedPredicates, o, predicatesTried)
		if err != nil {
			return nil, err
		}
		ids = union(tried, ids)
	}
	return r.iris(ids)
}

// union returns the ids of a and those of b that are not among them.
func union(a, b []int64) []int64 {
	seen := make(map[int64]bool, len(a))
	for _, id := range a {
		seen[id] = true
	}
	for _, id := range b {
		if !seen[id] {
			a = append(a, id)
		}
	}
	return a
}

func (r *Reader) iris(ids []int64) (list []rdf.IRI, err error) {
	for _, id := range ids {
		t, err := r.dict.term(id)
		if err != nil {
			return nil, err
		}
		iri, _ := t.(rdf.IRI)
		list = append(list, iri)
	}
	return list, nil
}

// Referrers returns the subjects of the default graph that have o for p, in the
// order of their ids, from offset on and limit at most.
func (r *Reader) Referrers(ctx context.Context, p rdf.IRI, o rdf.Term, limit, offset int) ([]rdf.Term, error) {
	ids, ok, err := r.known(ctx, p, o)
	if err != nil || !ok {
		return nil, r.fail(ctx, "referrers", err)
	}
	list, err := r.objects(ctx, referrersOf, ids[0], ids[1], limit, offset)
	return list, r.fail(ctx, "referrers", err)
}

// CountReferrers counts what [Reader.Referrers] lists, up to most.
func (r *Reader) CountReferrers(ctx context.Context, p rdf.IRI, o rdf.Term, most int) (int, error) {
	ids, ok, err := r.known(ctx, p, o)
	if err != nil || !ok {
		return 0, r.fail(ctx, "count referrers", err)
	}
	n, err := r.conn.int64(countReferrers, ids[0], ids[1], most)
	return int(n), r.fail(ctx, "count referrers", err)
}

// ReferrerTypes counts the first most referrers by rdf:type; those without a type
// are under the nil Object.
func (r *Reader) ReferrerTypes(ctx context.Context, p rdf.IRI, o rdf.Term, most int) ([]ObjectCount, error) {
	ids, ok, err := r.known(ctx, p, o)
	if err != nil || !ok {
		return nil, r.fail(ctx, "types of referrers", err)
	}
	list, err := r.referrerTypes(ids, most)
	return list, r.fail(ctx, "types of referrers", err)
}

func (r *Reader) referrerTypes(ids []int64, most int) (list []ObjectCount, err error) {
	kind, _, err := r.dict.lookup(rdf.Type)
	if err != nil {
		return nil, err
	}
	err = r.conn.exec(referrerTypes, func(s *stmt) error {
		c := ObjectCount{Count: s.ColumnInt64(1)}
		if !s.ColumnIsNull(0) {
			if c.Object, err = r.dict.term(s.ColumnInt64(0)); err != nil {
				return err
			}
		}
		list = append(list, c)
		return nil
	}, ids[0], ids[1], kind, most)
	return list, err
}

// ReferrersOfType returns those of the first most referrers with this rdf:type, limit
// at most; a nil class means those without a type.
func (r *Reader) ReferrersOfType(ctx context.Context, p rdf.IRI, o, class rdf.Term, most, limit int) ([]rdf.Term, error) {
	ids, ok, err := r.known(ctx, p, o)
	if err != nil || !ok {
		return nil, r.fail(ctx, "referrers of a type", err)
	}
	list, err := r.referrersOfType(ctx, ids, class, most, limit)
	return list, r.fail(ctx, "referrers of a type", err)
}

func (r *Reader) referrersOfType(ctx context.Context, ids []int64, class rdf.Term, most, limit int) ([]rdf.Term, error) {
	kind, _, err := r.dict.lookup(rdf.Type)
	if err != nil {
		return nil, err
	}
	if class == nil {
		return r.objects(ctx, untypedReferrers, ids[0], ids[1], most, kind, limit)
	}
	id, ok, err := r.dict.lookup(class)
	if err != nil || !ok {
		return nil, err
	}
	return r.objects(ctx, referrersOfType, ids[0], ids[1], most, kind, limit, id)
}

// Link is a statement between two nodes as seen from one of them.
type Link struct {
	Predicate rdf.IRI
	Node      rdf.Term
}

// Outgoing returns the links of a node in the default graph, rdf:type apart, limit at most.
func (r *Reader) Outgoing(ctx context.Context, node rdf.Term, limit int) ([]Link, error) {
	return r.links(ctx, neighboursOut, node, limit)
}

// Incoming returns the links to a node in the default graph, rdf:type apart, limit at most.
func (r *Reader) Incoming(ctx context.Context, node rdf.Term, limit int) ([]Link, error) {
	return r.links(ctx, neighboursIn, node, limit)
}

func (r *Reader) links(ctx context.Context, sql string, node rdf.Term, limit int) (list []Link, err error) {
	ids, ok, err := r.known(ctx, node)
	if err != nil || !ok {
		return nil, r.fail(ctx, "links", err)
	}
	kind, _, err := r.dict.lookup(rdf.Type)
	if err != nil {
		return nil, r.fail(ctx, "links", err)
	}
	s, err := r.conn.take(sql)
	if err != nil {
		return nil, r.fail(ctx, "links", err)
	}
	defer s.release()
	s.BindInt64(1, ids[0])
	s.BindInt64(2, kind)
	s.BindInt64(3, int64(limit))
	err = r.steps(ctx, s, func() (bool, error) {
		p, err := r.dict.term(s.ColumnInt64(0))
		if err != nil {
			return false, err
		}
		iri, _ := p.(rdf.IRI)
		other, err := r.dict.joined(s.ColumnInt64(1), s, 2)
		list = append(list, Link{iri, other})
		return true, err
	})
	return list, r.fail(ctx, "links", err)
}
