package db

import (
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/wordindex"
)

// eachSeen calls visit with the first places of the index that match, as many as are given, and whose texts a statement of the
// default graph has that the reader may see, until it returns false. all reports that there were no more places. What is found
// out of a text is kept for the next searches, so that words of hidden nodes take little longer than others.
func (s *textSearch) eachSeen(match string, places int, visit func(wordindex.Place) (more bool)) (all bool, err error) {
	p, err := s.conn.Pages()
	if err != nil {
		return false, err
	}
	defer p.Release()
	rows, err := s.conn.leaf(p, leaf.OSP)
	if err != nil {
		return false, err
	}
	cursor := scan.NewCursor(rows)
	row, err := s.conn.Take(matchingPlaces)
	if err != nil {
		return false, err
	}
	defer row.Release()
	row.Bind(1, match)
	row.Bind(2, places)
	n, more := 0, true
	err = s.steps(s.ctx, row, func() (bool, error) {
		n++
		at := wordindex.Place(row.ColumnInt64(0))
		seen, err := s.conn.sight.seesText(cursor, int64(at.Term()))
		if seen {
			more = visit(at)
		}
		return more, unreadable(err)
	})
	return more && n < places, err
}

// seesText reports whether a statement of the default graph that the reader may see has a text. The cursor iterates over the
// statements by object.
func (s *sight) seesText(cursor *scan.Cursor, text int64) (seen bool, err error) {
	if s.texts == nil {
		s.texts = new(scan.Nodes)
	}
	if unseen, known := s.texts.IsHidden(text); known {
		return !unseen, nil
	}
	if seen, err = saidInDefault(cursor, text); err == nil {
		s.texts.Keep(text, !seen)
	}
	return seen, err
}

// saidInDefault reports whether a statement of the default graph has a text. The cursor iterates over the statements by object.
func saidInDefault(cursor *scan.Cursor, text int64) (is bool, err error) {
	prefix := []int64{text}
	if err := cursor.Seek(prefix, prefix, false); err != nil {
		return false, err
	}
	const graph = 3
	for more := true; more && !is; {
		var row scan.Statement
		if row, more, err = cursor.Next(); err != nil {
			return false, err
		}
		is = more && row.Columns[graph] == defaultGraph
	}
	return is, nil
}

// countSeen counts the texts that match, of the first textsWeighed of them, and that the reader may see, up to most.
func (s *textSearch) countSeen(match string, most int64) (n int64, err error) {
	all, err := s.eachSeen(match, textsWeighed, func(wordindex.Place) bool {
		n++
		return n < most
	})
	if all && n == 0 {
		if s.unseen == nil {
			s.unseen = map[string]bool{}
		}
		s.unseen[match] = true
	}
	return n, err
}
