package db

import (
	"math/big"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
	"trails/sparql/expr"
)

// solution gives an expression the values of variables that its SQL call passes. There is one for each expression of
// a query, reused for all calls. Values are converted on use, because each conversion makes a copy.
type solution struct {
	question *question
	vars     []sparql.Var
	pass     []lower.Pass
	args     []sqlite.Value // arguments of the call
	err      error
}

// widths is the number of arguments for each way to pass a value.
var widths = [...]int{lower.PassID: 1, lower.PassTerm: 5, lower.PassText: 1}

func (q *question) solution(args []sqlite.Value) (expr.Program, *solution) {
	k := args[0].Int()
	if q.solutions == nil {
		q.solutions = make([]solution, len(q.plan.Exprs))
	}
	s := &q.solutions[k]
	if s.question == nil {
		e := q.plan.Exprs[k]
		*s = solution{question: q, vars: e.Vars, pass: e.Pass}
	}
	s.args, s.err = args[1:], nil
	return q.programs[k], s
}

// Value returns the term of a variable.
func (s *solution) Value(v sparql.Var) rdf.Term {
	args, pass := s.passed(v)
	if len(args) == 0 {
		return nil
	}
	if pass == lower.PassText {
		if args[0].Type() == sqlite.TypeNull {
			return nil
		}
		return rdf.String(args[0].Text())
	}
	t, err := s.question.passed(args)
	if err != nil {
		s.err = err
	}
	return t
}

// Integer returns the value of a variable that is an integer inlined in its id.
func (s *solution) Integer(v sparql.Var) (int64, bool) {
	args, pass := s.passed(v)
	if len(args) == 0 || pass == lower.PassText {
		return 0, false
	}
	id := idOf(args[0])
	if id < integers.Low || id >= integers.High {
		return 0, false
	}
	return int64(id - integers.Zero), true
}

// Text returns the value of a variable that is passed as a text.
func (s *solution) Text(v sparql.Var) (string, bool) {
	args, pass := s.passed(v)
	if len(args) == 0 || pass != lower.PassText || args[0].Type() == sqlite.TypeNull {
		return "", false
	}
	return args[0].Text(), true
}

var integers, decimals = inline.RegionOf(rdf.XSDInteger), inline.RegionOf(rdf.XSDDecimal)

// passed returns how a variable is passed.
func (s *solution) passed(v sparql.Var) ([]sqlite.Value, lower.Pass) {
	at := 0
	for i, name := range s.vars {
		width := widths[s.pass[i]]
		if name == v {
			return s.args[at : at+width], s.pass[i]
		}
		at += width
	}
	return nil, 0
}

// passed returns the term of an id, whose dictionary row may be passed behind it, or of a text of [written]. NULL is nil.
func (q *question) passed(args []sqlite.Value) (rdf.Term, error) {
	if args[0].Type() == sqlite.TypeText {
		return readTerm(args[0].Text()), nil
	}
	if len(args) > 1 && args[1].Type() != sqlite.TypeNull {
		kind, lang := args[1].Int64(), ""
		var datatype rdf.IRI
		switch kind {
		case dictionary.KindTyped:
			var err error
			if datatype, err = q.reader.dict.Datatype(idOf(args[3])); err != nil {
				return nil, err
			}
		case dictionary.KindLang:
			lang = args[4].Text()
		}
		if t := dictionary.TermOf(kind, args[2].Text(), datatype, lang); t != nil {
			return t, nil
		}
	}
	if args[0].Type() == sqlite.TypeNull {
		return nil, nil
	}
	return q.term(idOf(args[0]))
}

// part makes an SQL function of a term's id that returns a text of the term, or NULL.
func (all *questions) part(of func(rdf.Term) (string, bool)) func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
	return func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
		t, err := all.current.passed(args)
		if err != nil {
			return all.current.fails(err)
		}
		if text, ok := of(t); ok {
			return sqlite.TextValue(text), nil
		}
		return sqlite.Value{}, nil
	}
}

// sorting makes an SQL function of a term's id that returns a sort key of the term.
func (all *questions) sorting(of func(rdf.Term) sqlite.Value) func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
	return func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
		t, err := all.current.passed(args)
		if err != nil {
			return all.current.fails(err)
		}
		return of(t), nil
	}
}

func inOrder(t rdf.Term) sqlite.Value {
	switch text, number, isText, isNumber := lower.SortKey(t); {
	case isText:
		return sqlite.TextValue(text)
	case isNumber:
		return sqlite.FloatValue(number)
	}
	return sqlite.Value{}
}

// sumOf returns the sum that SQL passes to t_sum: h * 2^24 + l, with a number of decimals.
func sumOf(args []sqlite.Value) xsd.Number {
	if args[3].Int64() == 0 {
		return xsd.Integer(0)
	}
	total := new(big.Int).Lsh(big.NewInt(args[1].Int64()), 24)
	total.Add(total, big.NewInt(args[2].Int64()))
	datatype := rdf.XSDInteger
	text := total.String()
	if decimals := args[0].Int(); decimals > 0 {
		datatype = rdf.XSDDecimal
		text = new(big.Rat).SetFrac(total, big.NewInt(inline.Unit)).FloatString(decimals)
	}
	n, _ := xsd.NumberOf(rdf.Literal(text, datatype))
	return n
}

func strOf(t rdf.Term) (string, bool) {
	if _, blank := t.(rdf.BNode); blank || t == nil {
		return "", false
	}
	return rdf.Lexical(t), true
}

func langOf(t rdf.Term) (string, bool) {
	if !rdf.IsLiteral(t) {
		return "", false
	}
	tag, _ := rdf.LangOf(t)
	return tag, true
}

func textOf(t rdf.Term) (string, bool) {
	switch t := t.(type) {
	case rdf.String:
		return string(t), true
	case rdf.LangString:
		return string(t.Value), true
	}
	return "", false
}

// written encodes a term as a text: a letter for the kind, for some kinds the length and the text of the datatype or
// language, and the value.
func written(t rdf.Term) string {
	value := rdf.Lexical(t)
	switch t := t.(type) {
	case rdf.IRI:
		return "i" + value
	case rdf.BNode:
		return "b" + value
	case rdf.TypedString:
		return "t" + strconv.Itoa(len(t.Type)) + ":" + string(t.Type) + value
	case rdf.LangString:
		return "l" + strconv.Itoa(len(t.Lang)) + ":" + t.Lang + value
	}
	return "s" + value
}

// readTerm decodes a term from written.
func readTerm(text string) rdf.Term {
	letter, rest := text[0], text[1:]
	switch letter {
	case 'i':
		return rdf.IRI(rest)
	case 'b':
		return rdf.BNode(rest)
	case 't', 'l':
		length, rest, _ := strings.Cut(rest, ":")
		n, _ := strconv.Atoi(length)
		if letter == 't' {
			return rdf.TypedString{Value: rdf.String(rest[n:]), Type: rdf.IRI(rest[:n])}
		}
		return rdf.LangString{Value: rdf.String(rest[n:]), Lang: rest[:n]}
	}
	return rdf.String(rest)
}
