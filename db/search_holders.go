package db

import (
	"slices"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/pager"
	"trails/db/scan"
	"trails/rdf"
)

// Bounds of a search among the instances of classes.
const (
	instancesListed = 4_000  // instances that are listed, and not looked up one by one
	instancesOfText = 10     // instances that are listed for each text: to read so many takes as long as to look up some
	typesKept       = 20_000 // nodes of which it is remembered whether they are instances
)

// bearer is a node that has a text, and the property by which it has it.
type bearer struct{ subject, property inline.TermID }

// having returns for each text the nodes that have it in the default graph, and that are instances of the classes if there are
// any. It reads the pages of the statements: plans and steps of SQL would take three times as long. Of the texts that have very
// many, if they have as many together, some are returned.
func (s *textSearch) having(texts []inline.TermID) ([][]bearer, error) {
	p, err := s.conn.Pages()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	h, err := s.holders(p)
	who := make([][]bearer, len(texts))
	if h == nil || err != nil {
		return who, err
	}
	n, most := 0, textsTogether*10
	for i, text := range texts {
		if n >= most {
			most = textShared
		}
		if who[i], err = h.of(text, most); err != nil {
			return nil, unreadable(err)
		}
		n += len(who[i])
	}
	if n < textsTogether*10 {
		return who, nil
	}
	for i := range who {
		if len(who[i]) >= textShared {
			who[i], s.more = who[i][:textShared], true
		}
	}
	return who, nil
}

// holders reads statements by their texts. It must be used by one goroutine at a time.
type holders struct {
	search *textSearch
	rows   *scan.Cursor // by object
	types  *scan.Cursor // by subject; nil without classes
	typed  int64        // rdf:type
	// classes are those that are searched.
	classes []inline.TermID
	read    int
}

// holders begins to read the statements of a view; nil means that nothing is of the classes.
func (s *textSearch) holders(p *pager.Pages) (*holders, error) {
	rows, err := s.conn.leaf(p, leaf.OSP)
	if err != nil {
		return nil, err
	}
	h := &holders{search: s, rows: scan.NewCursor(rows)}
	if len(s.search.Classes) == 0 {
		return h, nil
	}
	for _, class := range s.search.Classes {
		id, known, err := s.dict.Lookup(class)
		if err != nil {
			return nil, err
		}
		if known {
			h.classes = append(h.classes, id)
		}
	}
	ids, known, err := s.ids(rdf.Type)
	if err != nil || !known || len(h.classes) == 0 {
		return nil, err
	}
	h.typed = int64(ids[0])
	if rows, err = s.conn.leaf(p, leaf.SPO); err != nil {
		return nil, err
	}
	h.types = scan.NewCursor(rows)
	if s.instances == nil {
		s.instances, err = h.list(p)
	}
	return h, unreadable(err)
}

// list returns the sorted instances of the classes; none if they are too many to be listed.
func (h *holders) list(p *pager.Pages) (list []int64, err error) {
	rows, err := h.search.conn.leaf(p, leaf.POS)
	if err != nil {
		return nil, err
	}
	list = []int64{}
	most := max(instancesListed, instancesOfText*h.search.tried)
	expected, cursor := 0.0, scan.NewCursor(rows)
	for _, class := range h.classes {
		prefix := []int64{h.typed, int64(class)}
		n, err := rows.Estimate(prefix, prefix)
		if expected += n; err != nil || expected > float64(most) {
			return []int64{}, err
		}
		if err := cursor.Seek(prefix, prefix, false); err != nil {
			return nil, err
		}
		for {
			row, more, err := cursor.Next()
			if err != nil {
				return nil, err
			}
			if !more {
				break
			}
			if len(list) > 2*most { // more than was estimated
				return []int64{}, nil
			}
			const subject, graph = 2, 3
			if row.Columns[graph] == int64(defaultGraph) {
				list = append(list, row.Columns[subject])
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// of returns nodes that have a text, at most so many.
func (h *holders) of(text inline.TermID, most int) (list []bearer, err error) {
	prefix := []int64{int64(text)}
	if err := h.rows.Seek(prefix, prefix, false); err != nil {
		return nil, err
	}
	for len(list) < most {
		if h.read++; h.read%256 == 0 {
			if err := h.search.over(h.search.ctx); err != nil {
				return nil, err
			}
		}
		row, more, err := h.rows.Next()
		if err != nil || !more {
			return list, err
		}
		const subject, property, graph = 1, 2, 3
		if row.Columns[graph] != int64(defaultGraph) {
			continue
		}
		is, err := h.isTyped(row.Columns[subject])
		if err != nil {
			return nil, err
		}
		if is {
			list = append(list, bearer{inline.TermID(row.Columns[subject]), inline.TermID(row.Columns[property])})
		}
	}
	return list, nil
}

// isTyped reports whether a node is an instance of the classes, or whether there are none.
func (h *holders) isTyped(node int64) (is bool, err error) {
	if h.types == nil {
		return true, nil
	}
	if list := h.search.instances; len(list) > 0 {
		_, is = slices.BinarySearch(list, node)
		return is, nil
	}
	of := h.search.typed
	if is, known := of[node]; known {
		return is, nil
	}
	prefix := []int64{node, h.typed}
	if err := h.types.Seek(prefix, prefix, false); err != nil {
		return false, err
	}
	for more := true; more && !is; {
		var row scan.Statement
		if row, more, err = h.types.Next(); err != nil {
			return false, err
		}
		const class, graph = 2, 3
		is = more && row.Columns[graph] == int64(defaultGraph) && slices.Contains(h.classes, inline.TermID(row.Columns[class]))
	}
	if len(of) < typesKept {
		of[node] = is
	}
	return is, nil
}
