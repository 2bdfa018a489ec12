package db

import (
	"context"
	"errors"
	"strings"

	"trails/db/inline"
	"trails/db/stmt"
	"trails/rdf"
)

// virtualRows reads the statements of a virtual graph that match a pattern: one SELECT for each property, by the keys
// of its table if a node or value is given.
type virtualRows struct {
	reader *Reader
	graph  *virtualGraph
	want   [3]rdf.Term // nil matches all
	sort   string      // "", " ASC" or " DESC": sort by the number of the value
	// least and most, unless nil, bound the number of the value.
	least, most any

	rest []property
	now  property
	stmt *stmt.Stmt
	seen map[rdf.Term]bool // values of the current node, where they may repeat

	// The current statement.
	node, value rdf.Term
	number      int64 // number of the value, if the property is ordered
}

func (r *Reader) virtualRows(g *virtualGraph, want [3]rdf.Term) *virtualRows {
	return &virtualRows{reader: r, graph: g, want: want, rest: g.of(want[posP])}
}

// ends returns the node and the value that the pattern requires.
func (v *virtualRows) ends() (node, value rdf.Term) {
	if v.now.inverse {
		return v.want[posO], v.want[posS]
	}
	return v.want[posS], v.want[posO]
}

// triple returns the current statement.
func (v *virtualRows) triple() [3]rdf.Term {
	if v.now.inverse {
		return [3]rdf.Term{v.value, v.now.predicate, v.node}
	}
	return [3]rdf.Term{v.node, v.now.predicate, v.value}
}

// next reads the next statement, and reports whether there is one.
func (v *virtualRows) next() (bool, error) {
	for {
		if v.stmt == nil {
			if len(v.rest) == 0 {
				return false, nil
			}
			v.now, v.rest = v.rest[0], v.rest[1:]
			if err := v.begin(); err != nil {
				return false, err
			}
			continue
		}
		more, err := v.stmt.Step()
		if err != nil {
			return false, err
		}
		if !more {
			v.close()
			continue
		}
		if v.scan() {
			return true, nil
		}
	}
}

// scan converts a row, and reports whether it is a statement that did not occur before.
func (v *virtualRows) scan() bool {
	last := v.node
	v.node, v.value, v.number = v.graph.node.term(v.stmt, 0), v.now.form.term(v.stmt, 1), v.stmt.ColumnInt64(1)
	if !v.now.many {
		return true
	}
	if v.seen == nil || v.node != last {
		v.seen = map[rdf.Term]bool{}
	}
	known := v.seen[v.value]
	v.seen[v.value] = true
	return !known
}

// begin starts the SELECT of the property, unless it cannot match.
func (v *virtualRows) begin() error {
	v.seen = nil
	node, value := v.ends()
	var nodeKey, valueKey any
	ok := true
	if node != nil {
		nodeKey, ok = v.graph.node.key(node)
	}
	if value != nil && ok {
		valueKey, ok = v.now.form.key(value)
	}
	if !ok {
		return nil
	}
	s, err := v.reader.conn.Take(v.sql(node != nil, value != nil))
	if err != nil {
		return err
	}
	v.stmt = s
	var id any
	if value != nil && v.now.find != "" {
		if id, err = v.reader.idOf(value); err != nil {
			return err
		}
	}
	for i, arg := range []any{nodeKey, valueKey, id, v.least, v.most}[:s.BindParamCount()] {
		s.Bind(i+1, arg)
	}
	return nil
}

// idOf returns the dictionary id of a term, or 0.
func (r *Reader) idOf(t rdf.Term) (inline.TermID, error) {
	id, _, err := r.dict.Lookup(t)
	return id, err
}

// sql returns the SELECT of the property; its text depends only on the shape of the pattern.
func (v *virtualRows) sql(node, value bool) string {
	p := &v.now
	sql := "SELECT t.id, " + p.column + " FROM " + v.graph.table + " t" + p.join
	var where []string
	if p.where != "" {
		where = append(where, p.where)
	}
	if node {
		where = append(where, "t.id = ?1")
	}
	switch {
	case value && p.find != "":
		where = append(where, p.find)
	case value:
		where = append(where, p.column+" = ?2")
	}
	if v.least != nil {
		where = append(where, p.column+" >= ?4")
	}
	if v.most != nil {
		where = append(where, p.column+" <= ?5")
	}
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	if v.sort != "" {
		sql += " ORDER BY " + p.column + v.sort
	}
	return sql
}

// close ends the running SELECT.
func (v *virtualRows) close() {
	if v.stmt != nil {
		v.stmt.Release()
		v.stmt = nil
	}
}

// matchVirtual is Match in a virtual graph.
func (r *Reader) matchVirtual(ctx context.Context, g *virtualGraph, q rdf.Quad, yield func(rdf.Quad, error) bool) error {
	rows := r.virtualRows(g, [3]rdf.Term{q.Subject, q.Predicate, q.Object})
	defer rows.close()
	for n := 1; ; n++ {
		if n%256 == 0 {
			if err := r.over(ctx); err != nil {
				return err
			}
		}
		more, err := rows.next()
		if err != nil || !more {
			return err
		}
		t := rows.triple()
		if !yield(rdf.Quad{Subject: t[posS], Predicate: t[posP], Object: t[posO], Label: g.name}, nil) {
			return nil
		}
		if r.closed {
			return errors.New("the reader is closed")
		}
	}
}
