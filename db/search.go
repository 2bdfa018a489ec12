package db

import (
	"context"
	"slices"
	"strings"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Bounds of a search: how many subjects or texts it reads, and how many it finds.
const (
	searchReads = 200_000
	searchFinds = 10_000
)

// Search is a search for subjects by how a text of theirs begins, whatever its case.
type Search struct {
	Prefix string
	// Text names for each class the property that is searched; a class without one
	// is searched by Name.
	Text map[rdf.IRI]rdf.IRI
	// Name says what a subject is called that has no text; nil means that it is not found.
	Name func(rdf.Term) string
}

// Found are subjects that a search found, in the order of their ids.
type Found struct {
	ids []inline.TermID
	// More reports that the search stopped before it had read everything.
	More bool
}

// Len is how many were found.
func (f *Found) Len() int { return len(f.ids) }

func (f *Found) page(limit, offset int) []inline.TermID {
	offset = min(offset, len(f.ids))
	return f.ids[offset:min(len(f.ids), offset+limit)]
}

// Search finds selected subjects, 10,000 at most. The first search reads all texts of
// a property, and keeps them; see textStore. Where they are not kept it reads up to
// 200,000.
func (r *Reader) Search(ctx context.Context, sel Selection, search Search) (*Found, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "search", err)
	}
	s := searching{Reader: r, ctx: ctx, Search: search, found: map[inline.TermID]bool{}}
	s.Prefix = strings.ToLower(s.Prefix)
	for _, classes := range search.together(sel.Classes) {
		one := sel
		one.Classes = classes
		if err := s.classes(one); err != nil {
			return nil, r.fail(ctx, "search", err)
		}
	}
	out := &Found{More: s.more, ids: make([]inline.TermID, 0, len(s.found))}
	for id := range s.found {
		out.ids = append(out.ids, id)
	}
	slices.Sort(out.ids)
	return out, nil
}

// together groups classes by the property that is searched.
func (s Search) together(classes []rdf.IRI) [][]rdf.IRI {
	var groups [][]rdf.IRI
	for _, class := range classes {
		i := slices.IndexFunc(groups, func(g []rdf.IRI) bool { return s.Text[g[0]] == s.Text[class] })
		if i < 0 {
			groups = append(groups, []rdf.IRI{class})
			continue
		}
		groups[i] = append(groups[i], class)
	}
	return groups
}

type searching struct {
	*Reader
	Search
	ctx   context.Context
	found map[inline.TermID]bool
	reads int
	more  bool
}

// classes searches the instances of classes with one text: few of them are read one by one, of many
// the texts of all subjects are.
func (s *searching) classes(sel Selection) error {
	text, named := s.Text[sel.Classes[0]]
	if !named {
		return s.names(sel)
	}
	few, err := s.askCount(s.ctx, slice(project(sel.op(), varS), fewSelected+1, 0))
	if err != nil {
		return err
	}
	if few <= fewSelected {
		return s.texts(sparql.LeftJoin{Left: project(sel.op(), varS), Right: bgp(said(nil, text, nil))})
	}
	return s.ofMany(sel, text)
}

// ofMany looks at the texts of a property that are kept, or reads them.
func (s *searching) ofMany(sel Selection, text rdf.IRI) error {
	p, ok, err := s.dict.lookup(text)
	if err != nil || !ok {
		return err
	}
	conditions := s.conditions(s.ctx, sel)
	rows, kept, err := s.sortedTexts(s.ctx, keyOf(p, rdf.XSDString))
	if err != nil {
		return err
	}
	if !kept {
		return s.texts(s.ofText(conditions, text))
	}
	rows = beginning(rows, s.Prefix)
	if len(rows) > textTries {
		rows, s.more = rows[:textTries], true
	}
	more := true
	for chunk := range slices.Chunk(rows, textChunk) {
		err := s.among(s.ctx, conditions, subjectsOf(chunk), func(id inline.TermID) bool {
			more = s.find(id)
			return more
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func subjectsOf(rows []textRow) []inline.TermID {
	ids := make([]inline.TermID, len(rows))
	for i, row := range rows {
		ids[i] = row.s
	}
	return ids
}

// ofText is all texts of a property that begin with the prefix, of subjects that meet all
// conditions.
func (s *searching) ofText(conditions []condition, text rdf.IRI) sparql.Op {
	call := func(f sparql.Func, args ...sparql.Expr) sparql.Expr { return sparql.Call{Func: f, Args: args} }
	value := call("LCASE", call("STR", sparql.VarExpr{Var: varO}))
	op := that(bgp(said(nil, text, nil)), call("STRSTARTS", value, sparql.TermExpr{Term: rdf.String(s.Prefix)}))
	for _, c := range conditions {
		op = that(op, c.test)
	}
	return op
}

// texts looks at the values of varO.
func (s *searching) texts(op sparql.Op) error {
	return s.ask(s.ctx, op, []sparql.Var{varS, varO}, func(a *answer) (bool, error) {
		t, err := a.at(1)
		if t == nil || err != nil {
			return err == nil, err
		}
		return s.see(a.id(0), rdf.Lexical(t)), nil
	})
}

// see compares one text; false when the search has to stop.
func (s *searching) see(subject inline.TermID, text string) bool {
	if s.reads++; s.reads > searchReads {
		s.more = true
		return false
	}
	return !strings.HasPrefix(strings.ToLower(text), s.Prefix) || s.find(subject)
}

// find notes a subject; false when there are too many.
func (s *searching) find(subject inline.TermID) bool {
	if len(s.found) == searchFinds && !s.found[subject] {
		s.more = true
		return false
	}
	s.found[subject] = true
	return true
}

// names compares what the subjects themselves are called.
func (s *searching) names(sel Selection) error {
	if s.Name == nil {
		return nil
	}
	return s.ask(s.ctx, project(sel.op(), varS), []sparql.Var{varS}, func(a *answer) (bool, error) {
		t, err := a.at(0)
		if err != nil {
			return false, err
		}
		return s.see(a.id(0), s.Name(t)), nil
	})
}
