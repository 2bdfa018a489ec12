package dictionary

import (
	"trails/db/inline"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/rdf"
)

// LocalTerms is the first id of terms that only a running query knows: computed terms, and constants that are in no
// quad. Dictionary ids are far smaller.
const LocalTerms = 1 << 62

// Reader reads rows of the table of terms from their pages. It must be used by one goroutine.
type Reader struct {
	Pages *pager.TreePages
	rows  *scan.Rows
	Row   PageRow // the row that was read last
}

// PageRow is a dictionary row: id, kind, value, datatype and language. Its texts point into a page, and are valid
// until the next row is read.
type PageRow [5]scan.Value

// Kind is the kind of the row.
func (r *PageRow) Kind() int64 { return r[1].Int }

// Value is the text of the term.
func (r *PageRow) Value() []byte { return r[2].Text }

// Datatype is the id of its datatype.
func (r *PageRow) Datatype() inline.TermID { return inline.TermID(r[3].Int) }

// Lang is its language.
func (r *PageRow) Lang() []byte { return r[4].Text }

// NewReader reads rows on the pages of a transaction.
func NewReader(p *pager.Pages) (*Reader, error) {
	tree, err := p.Tree("terms")
	if err != nil {
		return nil, err
	}
	rows, err := scan.NewRows(tree)
	return &Reader{Pages: tree.Pages.(*pager.TreePages), rows: rows}, err
}

// Read reads the row of a term. whole is false, and nothing is read, if the row has several pages or does not exist,
// because the value is inlined in the id or the term belongs to the query only.
func (t *Reader) Read(id int64) (whole bool, err error) {
	if id <= 0 || id >= LocalTerms {
		return false, nil
	}
	found, whole, err := t.rows.Row(id, t.Row[:])
	if err == nil && !found {
		err = stmt.Damaged("no term %d", id)
	}
	return whole, err
}

// OnPage returns the term of a row that was read from a page.
func (d *Dictionary) OnPage(row *PageRow) (t rdf.Term, err error) {
	var datatype rdf.IRI
	if row.Kind() == KindTyped {
		if datatype, err = d.Datatype(row.Datatype()); err != nil {
			return nil, err
		}
	}
	if t = TermOf(row.Kind(), string(row.Value()), datatype, string(row.Lang())); t == nil {
		err = stmt.Damaged("dictionary kind %d", row.Kind())
	}
	return t, err
}
