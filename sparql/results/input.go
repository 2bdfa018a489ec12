package results

import (
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// input is the text being read, and the result so far.
type input struct {
	text       []byte
	rows, vars int // limits
	out        Result
	columns    map[sparql.Var]int
}

func (in *input) read(f Format) (Result, error) {
	if !utf8.Valid(in.text) {
		return Result{}, in.wrong(rdf.InvalidAt(in.text), "not UTF-8")
	}
	in.columns = map[sparql.Var]int{}
	var err error
	switch f {
	case JSON:
		err = in.readJSON()
	case XML:
		err = in.readXML()
	case CSV:
		err = in.readCSV()
	case TSV:
		err = in.readTSV()
	default:
		err = fault.New(fault.InvalidArguments, "no results format %q", f)
	}
	if err != nil {
		return Result{}, err
	}
	return in.out, nil
}

// wrong describes byte at of the text.
func (in *input) wrong(at int, format string, args ...any) error {
	return fault.At(fault.Malformed, in.text, at, format, args...)
}

func (in *input) tooLarge(at int, format string, args ...any) error {
	return fault.At(fault.TooLarge, in.text, at, format, args...)
}

// addVar adds a variable of the head.
func (in *input) addVar(at int, name string) error {
	v := sparql.Var(name)
	if name == "" {
		return in.wrong(at, "a variable without a name")
	}
	if _, twice := in.columns[v]; twice {
		return in.wrong(at, "the variable %q twice", name)
	}
	if len(in.out.Vars) == in.vars {
		return in.tooLarge(at, "more than %d variables", in.vars)
	}
	in.columns[v] = len(in.out.Vars)
	in.out.Vars = append(in.out.Vars, v)
	return nil
}

func (in *input) addRow(at int, row []rdf.Term) error {
	if len(in.out.Rows) == in.rows {
		return in.tooLarge(at, "more than %d rows", in.rows)
	}
	in.out.Rows = append(in.out.Rows, row)
	return nil
}

// bind sets the term of a variable in a row.
func (in *input) bind(at int, row []rdf.Term, name string, t rdf.Term) error {
	column, ok := in.columns[sparql.Var(name)]
	if !ok {
		return in.wrong(at, "the variable %q is not in the head", name)
	}
	if row[column] != nil {
		return in.wrong(at, "the variable %q twice in one row", name)
	}
	row[column] = t
	return nil
}
