package db

import (
	"strconv"

	"trails/db/inline"
	"trails/db/lower"
	"trails/db/stmt"
	"trails/rdf"
	"trails/sparql"
)

// bind binds the placeholders of a statement. The last ones may belong to parts that the statement does not have.
func (q *question) bind(s *stmt.Stmt) error {
	for i, arg := range q.plan.Args[:min(len(q.plan.Args), s.BindParamCount())] {
		if arg.Text {
			s.BindText(i+1, textArg(arg))
			continue
		}
		if arg.Rows != nil {
			text, err := q.rowsArg(arg.Rows)
			if err != nil {
				return err
			}
			s.BindText(i+1, text)
			continue
		}
		id, err := q.arg(arg)
		if err != nil {
			return err
		}
		s.BindInt64(i+1, id)
	}
	return nil
}

// rowsArg returns a JSON array of the ids of terms, for one column or for rows of several.
func (q *question) rowsArg(rows [][]rdf.Term) (string, error) {
	text := []byte{'['}
	for i, row := range rows {
		if i > 0 {
			text = append(text, ',')
		}
		if len(row) != 1 {
			text = append(text, '[')
		}
		for j, t := range row {
			if j > 0 {
				text = append(text, ',')
			}
			if t == nil {
				text = append(text, "null"...)
				continue
			}
			id, err := q.id(q.plan.constant(t))
			if err != nil {
				return "", err
			}
			text = strconv.AppendInt(text, int64(id), 10)
		}
		if len(row) != 1 {
			text = append(text, ']')
		}
	}
	return string(append(text, ']')), nil
}

// textArg binds a text. An upper bound ends with a character that no text contains.
func textArg(a lower.Arg) string {
	if a.High {
		return rdf.Lexical(a.Term) + "\xff"
	}
	return rdf.Lexical(a.Term)
}

func (q *question) arg(a lower.Arg) (int64, error) {
	switch {
	case a.Region != "":
		low, high := idRange(a.Region, a.Bounds)
		if a.High {
			return int64(high), nil
		}
		return int64(low), nil
	case a.Term != nil:
		t := q.plan.constant(a.Term)
		if rows, ok := t.(sparql.Rows); ok {
			return int64(rows), nil
		}
		id, err := q.id(t)
		return int64(id), err
	}
	return a.Number, nil
}

// idRange returns the first and the last id of a region whose values meet all bounds. If there are none, first is
// greater than last.
func idRange(name lower.Region, bounds []lower.Bound) (low, high inline.TermID) {
	r := inline.RegionOf(rdf.IRI(name))
	if r == nil {
		return 1, 0
	}
	low, high = r.Low, r.High-1
	for _, b := range bounds {
		switch b.Func {
		case sparql.Equal:
			low, high = max(low, r.First(b.Term, 0)), min(high, r.First(b.Term, 1)-1)
		case sparql.Less:
			high = min(high, r.First(b.Term, 0)-1)
		case sparql.LessOrEqual:
			high = min(high, r.First(b.Term, 1)-1)
		case sparql.Greater:
			low = max(low, r.First(b.Term, 1))
		case sparql.GreaterOrEqual:
			low = max(low, r.First(b.Term, 0))
		default:
			return 1, 0
		}
	}
	return low, high
}
