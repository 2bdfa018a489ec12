package querykit

import (
	"fmt"
	"iter"
	"regexp"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/rdf"
)

// Hand queries a file with SQL written by hand, over its own connection with the settings of the engine's readers.
// Statements are prepared once. It must be used by one goroutine, and the file must not change.
type Hand struct {
	conn     *sqlite.Conn
	prepared map[string]*sqlite.Stmt
}

// OpenHand opens the file at path; the caller closes.
func OpenHand(path string) (*Hand, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	for _, p := range []string{"PRAGMA mmap_size = 0", "PRAGMA cache_size = -12288", "PRAGMA query_only = ON"} {
		if err := sqlitex.ExecuteTransient(c, p, nil); err != nil {
			c.Close()
			return nil, err
		}
	}
	return &Hand{c, map[string]*sqlite.Stmt{}}, nil
}

// Close closes the connection.
func (h *Hand) Close() error {
	for _, s := range h.prepared {
		s.Finalize()
	}
	return h.conn.Close()
}

// Rows runs the SQL of a shape and yields its rows, which the caller may keep.
func (h *Hand) Rows(shape Shape) iter.Seq2[[]rdf.Term, error] {
	return func(yield func([]rdf.Term, error) bool) {
		s, err := h.statement(shape)
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", shape.Name, err))
			return
		}
		defer func() { _ = s.Reset() }() // the error was returned by the last step
		for {
			more, err := s.Step()
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", shape.Name, err))
				return
			}
			if !more || !yield(row(s, shape.Columns), nil) {
				return
			}
		}
	}
}

func (h *Hand) statement(shape Shape) (*sqlite.Stmt, error) {
	if s := h.prepared[shape.Name]; s != nil {
		return s, nil
	}
	sql, err := h.withIDs(shape.SQL)
	if err != nil {
		return nil, err
	}
	s, _, err := h.conn.PrepareTransient(sql)
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, sql)
	}
	h.prepared[shape.Name] = s
	return s, nil
}

// named matches a term in SQL: {work:0}, {ex:pages}, {"lost"}, and inlined values: {300}, {2015-01-01},
// {2015-01-01T00:00:00Z}.
var named = regexp.MustCompile(`\{[^{}]+\}`)

func (h *Hand) withIDs(sql string) (string, error) {
	var failed error
	sql = named.ReplaceAllStringFunc(sql, func(name string) string {
		id, err := h.id(strings.Trim(name, "{}"))
		if err != nil {
			failed = err
		}
		return fmt.Sprint(id)
	})
	return sql, failed
}

func (h *Hand) id(name string) (int64, error) {
	if id, ok := carried(name); ok {
		return id, nil
	}
	kind, value := kindIRI, ""
	if strings.HasPrefix(name, `"`) {
		kind, value = kindString, strings.Trim(name, `"`)
	} else {
		prefix, local, _ := strings.Cut(name, ":")
		value = namespace(prefix) + local
	}
	var id int64
	err := sqlitex.ExecuteTransient(h.conn, "SELECT id FROM terms WHERE kind = ? AND value = ?", &sqlitex.ExecOptions{
		Args:       []any{kind, value},
		ResultFunc: func(s *sqlite.Stmt) error { id = s.ColumnInt64(0); return nil },
	})
	if err == nil && id == 0 {
		err = fmt.Errorf("no id of {%s}", name)
	}
	return id, err
}

// Column is the kind of a column in the answer to SQL.
type Column uint8

// The kinds of columns, with the SQL columns that each consists of.
const (
	IRI     Column = iota // value
	String                // value, which may be NULL
	Tagged                // value, lang
	Label                 // kind, value, lang: with a tag or without
	Any                   // id, kind, value, lang
	Word                  // the last part of a property's name
	Number                // an integer
	Whole                 // an integer that is an xsd:decimal
	Integer               // an inlined xsd:integer
	Date                  // an inlined xsd:date
	Moment                // an inlined xsd:dateTime
)

// The kinds of the dictionary's rows.
const (
	kindIRI    = 1
	kindString = 3
	kindLang   = 5
)

// row converts a row to terms.
func row(s *sqlite.Stmt, columns []Column) []rdf.Term {
	row := make([]rdf.Term, len(columns))
	at := 0
	for i, c := range columns {
		switch c {
		case IRI:
			row[i] = rdf.IRI(s.ColumnText(at))
		case String:
			if !s.ColumnIsNull(at) {
				row[i] = rdf.String(s.ColumnText(at))
			}
		case Tagged:
			row[i] = rdf.LangString{Value: rdf.String(s.ColumnText(at)), Lang: s.ColumnText(at + 1)}
			at++
		case Label:
			row[i] = ofKind(s, at)
			at += 2
		case Any:
			if id := s.ColumnInt64(at); id < 0 {
				row[i] = carriedBy(id)
			} else {
				row[i] = ofKind(s, at+1)
			}
			at += 3
		case Word:
			row[i] = rdf.IRI(Vocabulary + s.ColumnText(at))
		case Number:
			row[i] = integer(int(s.ColumnInt64(at)))
		case Whole:
			row[i] = rdf.Literal(s.ColumnText(at), rdf.XSDDecimal)
		case Integer, Date, Moment:
			row[i] = carriedBy(s.ColumnInt64(at))
		}
		at++
	}
	return row
}

func ofKind(s *sqlite.Stmt, at int) rdf.Term {
	value := s.ColumnText(at + 1)
	switch s.ColumnInt64(at) {
	case kindIRI:
		return rdf.IRI(value)
	case kindLang:
		return rdf.LangString{Value: rdf.String(value), Lang: s.ColumnText(at + 2)}
	}
	return rdf.String(value)
}
