package db

import (
	"trails/db/inline"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
)

// termPages reads rows of the table of terms from their pages. It must be used by one goroutine.
type termPages struct {
	pages *pager.TreePages
	rows  *scan.Rows
	row   rowOfTerm // the row that was read last
}

// rowOfTerm is a dictionary row: id, kind, value, datatype and language. Its texts point into a page, and are valid
// until the next row is read.
type rowOfTerm [5]scan.Value

func (r *rowOfTerm) kind() int64             { return r[1].Int }
func (r *rowOfTerm) value() []byte           { return r[2].Text }
func (r *rowOfTerm) datatype() inline.TermID { return inline.TermID(r[3].Int) }
func (r *rowOfTerm) lang() []byte            { return r[4].Text }

func newTermPages(p *pager.Pages) (*termPages, error) {
	tree, err := p.Tree("terms")
	if err != nil {
		return nil, err
	}
	rows, err := scan.NewRows(tree)
	return &termPages{pages: tree.Pages.(*pager.TreePages), rows: rows}, err
}

// read reads the row of a term. whole is false, and nothing is read, if the row has several pages or does not exist,
// because the value is inlined in the id or the term belongs to the query only.
func (t *termPages) read(id int64) (whole bool, err error) {
	if id <= 0 || id >= localTerms {
		return false, nil
	}
	found, whole, err := t.rows.Row(id, t.row[:])
	if err == nil && !found {
		err = stmt.Damaged("no term %d", id)
	}
	return whole, err
}
