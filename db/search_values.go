package db

import (
	"context"
	"math"
	"slices"
	"strings"

	"trails/db/inline"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// Bounds of a search for values.
const (
	valuesFound  = 300   // subjects with a value
	valuesApart  = 5_000 // values of a property that have no place in the order of the index
	valuesJoined = 5_000 // values in a range that are looked up among the instances of classes
)

// ValueSearch is a search of the default graph for the values of a property in a range.
type ValueSearch struct {
	Property rdf.IRI
	// Datatype is that of its values; a number may be equal to From and of another one.
	Datatype rdf.IRI
	// From is the value or, with Until, the least one; Until is greater than all.
	From, Until rdf.Term
	// Classes, if there are any, restrict the subjects to those with one of them as rdf:type.
	Classes []rdf.IRI
	// Among, unless it is nil, are the subjects that are looked at. Without them some 300 are found at most.
	Among []rdf.Term
}

// ValueHit is a subject with a value that a search found.
type ValueHit struct{ Subject, Value rdf.Term }

// ValuesFound are subjects with their values.
type ValuesFound struct {
	Hits []ValueHit
	// More reports that there may be others: the work is bounded.
	More bool
	// Apart reports that the property has more than 5,000 values with no place in the order of the index, such as times in other
	// zones than UTC. Then numbers are found in their usual forms, and dates and times are not compared.
	Apart bool
}

// FindValues finds subjects by their values, the least values first.
func (r *Reader) FindValues(ctx context.Context, search ValueSearch) (found ValuesFound, err error) {
	if err = r.ready(ctx); err == nil {
		found, err = r.findValues(ctx, search)
	}
	return found, r.fail(ctx, "search", err)
}

func (r *Reader) findValues(ctx context.Context, search ValueSearch) (found ValuesFound, err error) {
	values, most, exact := bgp(triplePattern(nil, search.Property, nil)), valuesFound, false
	switch {
	case search.Until != nil:
		values = filtered(values, comparing(sparql.GreaterOrEqual, search.From), comparing(sparql.Less, search.Until))
	case inline.RegionOf(rdf.DatatypeOf(search.From)) != nil:
		values = filtered(values, comparing(sparql.Equal, search.From))
	default:
		values, exact = bgp(triplePattern(nil, search.Property, search.From)), true
	}
	facts := r.statistics(ctx, nil)
	if !exact && facts.between(search.Property, 1, math.MaxInt64) > valuesApart {
		if found.Apart = true; search.Until != nil {
			return found, nil
		}
		forms, err := r.usualForms(rdf.Lexical(search.From), search.Datatype)
		if err != nil {
			return found, err
		}
		values = sparql.Join{Left: amongIDs(varO, forms), Right: bgp(triplePattern(nil, search.Property, nil))}
	}
	if search.Among != nil {
		var ids []inline.TermID
		for _, s := range search.Among {
			id, known, err := r.dict.Lookup(s)
			if err != nil {
				return found, err
			}
			if known {
				ids = append(ids, id)
			}
		}
		values, most = sparql.Join{Left: amongIDs(varS, ids), Right: values}, valuesRead
	}
	vars := []sparql.Var{varS, varO}
	if exact {
		vars = vars[:1]
	}
	if len(search.Classes) > 0 {
		if search.Among == nil && facts.inRange(search) > valuesJoined {
			values, found.More = slice(project(values, vars...), valuesJoined, 0), true
		}
		values = r.restricted(ctx, values, Selection{Classes: search.Classes})
	}
	err = r.ask(ctx, slice(project(values, vars...), most+1, 0), vars, func(a *answer) (bool, error) {
		if len(found.Hits) == most {
			found.More = true
			return false, nil
		}
		hit := ValueHit{Value: search.From}
		var err error
		if hit.Subject, err = a.at(0); err == nil && !exact {
			hit.Value, err = a.at(1)
		}
		found.Hits = append(found.Hits, hit)
		return true, err
	})
	return found, err
}

// usualForms are the terms of the file that write a number in one of the usual ways, 42, 42.0, 42.00 and the canonical one, also in a datatype of its own.
func (r *Reader) usualForms(number string, datatype rdf.IRI) (ids []inline.TermID, err error) {
	zeros := []string{"", ".0", ".00"}
	if strings.Contains(number, ".") {
		zeros = []string{"", "0", "00"}
	}
	datatypes := numberRegions
	if inline.RegionOf(datatype) == nil {
		datatypes = append(slices.Clip(datatypes), datatype)
	}
	for _, datatype := range datatypes {
		forms := []string{}
		for _, end := range zeros {
			forms = append(forms, number+end)
		}
		if canonical, ok := xsd.Canonical(number, datatype); ok && !slices.Contains(forms, canonical) {
			forms = append(forms, canonical)
		}
		for _, form := range forms {
			id, known, err := r.dict.Lookup(rdf.Literal(form, datatype))
			if err != nil {
				return nil, err
			}
			if known {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// numberRegions are the datatypes of numbers that are inlined in ids.
var numberRegions = []rdf.IRI{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble}

func comparing(by sparql.Func, with rdf.Term) sparql.Expr {
	return sparql.Call{Func: by, Args: []sparql.Expr{sparql.VarExpr{Var: varO}, sparql.TermExpr{Term: with}}}
}

// inRange estimates the statements with values that are searched.
func (a *statistics) inRange(search ValueSearch) (rows float64) {
	bounds := []lower.Bound{{Func: sparql.Equal, Term: search.From}}
	if search.Until != nil {
		bounds = []lower.Bound{{Func: sparql.GreaterOrEqual, Term: search.From}, {Func: sparql.Less, Term: search.Until}}
	}
	regions := []rdf.IRI{rdf.DatatypeOf(search.From)}
	if _, number := xsd.NumberOf(search.From); number {
		regions = numberRegions
	}
	for _, region := range regions {
		if inline.RegionOf(region) == nil {
			return a.rows(triplePattern(nil, search.Property, search.From))
		}
		rows += a.within(search.Property, lower.Region(region), bounds)
	}
	return rows
}

// Weight is the weight of what so many nodes have, beside the weights of the words of the search.
func (f *TextFinder) Weight(having int64) float64 { return f.search.weight(having) }

// Besides is [TextFinder.Texts] with [MatchAll] for texts that need not have some of the terms, by their places. Such a text
// has a score of all words, and is passed by Texts, too.
func (f *TextFinder) Besides(terms []int, take func([]TextHit) (more bool, err error)) (more bool, err error) {
	s := f.search
	passed, common := s.passed, make([]bool, len(s.goals))
	for i := range s.goals {
		common[i] = s.goals[i].Common
	}
	for _, i := range terms {
		s.goals[i].Common = true
	}
	s.passed = map[inline.TermID]bool{}
	defer func() {
		s.passed = passed
		for i := range s.goals {
			s.goals[i].Common = common[i]
		}
	}()
	return f.Texts(MatchAll, take)
}

// Of returns the texts of subjects with any of the words. The work is bounded: more reports that there may be others.
func (f *TextFinder) Of(subjects []rdf.Term) (hits []TextHit, more bool, err error) {
	s := f.search
	var ids []inline.TermID
	for _, subject := range subjects {
		id, known, err := s.dict.Lookup(subject)
		if err != nil {
			return nil, false, s.fail(s.ctx, "search", err)
		}
		if known {
			ids = append(ids, id)
		}
	}
	n := 0
	values := sparql.Join{Left: amongIDs(varS, ids), Right: bgp(triplePattern(nil, nil, nil))}
	err = s.ask(s.ctx, slice(values, valuesRead+1, 0), []sparql.Var{varS, varP, varO}, func(a *answer) (bool, error) {
		if n++; n > valuesRead {
			more = true
			return false, nil
		}
		if a.id(2) < 0 {
			return true, nil
		}
		text, err := s.dict.Peek(a.id(2))
		if datatype := rdf.DatatypeOf(text); err != nil || datatype != rdf.XSDString && datatype != rdf.RDFLangString {
			return err == nil, err
		}
		hit := TextHit{Text: text, Score: s.scorer.Of(rdf.Lexical(text)), Shared: 1}
		if !hit.Score.Any() {
			return true, nil
		}
		if hit.Subject, err = a.at(0); err != nil {
			return false, err
		}
		p, err := a.at(1)
		hit.Property, _ = p.(rdf.IRI)
		hits = append(hits, hit)
		return true, err
	})
	return hits, more, s.fail(s.ctx, "search", err)
}
