package kg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/capability/stored"
	"trails/fault"
	"trails/kg/browse"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/sparql"
	"trails/text/quote"
)

// Bounds of the searches of one query or update. Each term of an answer becomes a value in the SQL statement.
const (
	maxSearches    = 20
	maxSearchTerms = 30_000
	searchesFind   = 100 // nodes, unless the search says how many
)

// The words that a search takes beside types and a number.
const (
	byWords    = rdf.IRI(rdf.TrailsNS + "words")
	byMeaning  = rdf.IRI(rdf.TrailsNS + "meaning")
	byAllWords = rdf.IRI(rdf.TrailsNS + "allWords")
)

// Meaning returns the vector of a text that a query searches, and nil where nodes are found by words alone, about which it
// says itself what there is to say. If words are no way, alone is set, and it is an error that there is none.
type Meaning func(ctx context.Context, s *Snapshot, text string, alone bool) ([]float32, error)

// matching answers the searches of one query or update.
type matching struct {
	schema  *schema.Schema
	meaning Meaning
	// reader is what is searched. Without one only vectors are made, before anything is locked.
	reader   *browse.Reader
	snapshot *Snapshot // for meaning
	vectors  map[string][]float32
	// hits are those of each list of terms that was searched for, as long as the reader is the same.
	hits     map[string][][]rdf.Term
	searches int
	terms    int
	told     []string
}

// Searched are the searches of a query that ran, so that none of them is made again to explain its answer.
type Searched struct{ *matching }

// matching answers searches of the snapshot.
func (s *Snapshot) matching(meaning Meaning) *matching {
	return &matching{schema: s.Schema(), meaning: meaning, reader: s.Reader, snapshot: s, vectors: map[string][]float32{}, hits: map[string][][]rdf.Term{}}
}

// in returns the query with each search replaced by its answer.
func (m *matching) in(ctx context.Context, q *sparql.Query, dataset sparql.Dataset) (*sparql.Query, error) {
	if !sparql.Searches(q.Op) {
		return q, nil
	}
	if !dataset.IsZero() {
		return nil, errSearchedDataset("FROM", "leave FROM and FROM NAMED out, and graphs that the call gives, and name the other graphs by GRAPH")
	}
	return q.AnswerSearches(m.answerer(ctx))
}

// again is m for a part of the query that it answered, with what that found.
func (m *matching) again() *matching {
	part := *m
	part.searches, part.terms, part.told = 0, 0, nil
	return &part
}

func errSearchedDataset(by, instead string) error {
	return fault.New(fault.InvalidArguments, "trails:matches finds nodes of the default graph of the file, and %s replaces that; %s", by, instead)
}

// meanings makes the vectors of the searches of an update, before anything is locked.
func (u *updating) meanings(ctx context.Context, s *Session) error {
	given := u.options.Dataset
	where := func(m sparql.Modify) bool { return sparql.Searches(m.Where) }
	for _, op := range u.operations {
		m, ok := op.(sparql.Modify)
		if ok && where(m) && (!given.IsZero() || !m.Using.IsZero() || m.With != "") {
			return errSearchedDataset("WITH or USING", "leave it out, and graphs that the call gives, and write GRAPH in the templates and in WHERE")
		}
	}
	if !slices.ContainsFunc(u.operations, func(op sparql.Operation) bool { m, ok := op.(sparql.Modify); return ok && where(m) }) {
		return nil
	}
	return s.View(ctx, func(snap *Snapshot) error {
		u.searched = matching{schema: snap.Schema(), meaning: u.options.Meaning, snapshot: snap, vectors: map[string][]float32{}}
		defer func() { u.searched.snapshot, u.searched.searches = nil, 0 }()
		for _, op := range u.operations {
			if m, ok := op.(sparql.Modify); ok {
				if _, err := m.AnswerSearches(u.searched.answerer(ctx)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// withSearches returns the operation with each search replaced by its answer, as of now.
func (u *updating) withSearches(ctx context.Context, op sparql.Modify) (sparql.Modify, error) {
	if !sparql.Searches(op.Where) {
		return op, nil
	}
	u.searched.schema, u.searched.reader, u.searched.hits = u.schema, browse.New(u.seen, u.schema), map[string][][]rdf.Term{}
	return op.AnswerSearches(u.searched.answerer(ctx))
}

// searchesOf is why a stored query can never be asked: a search of it is given what no search takes, whatever its parameters
// are. What a parameter will be is not known, but for that it is a text where one is needed.
func searchesOf(q *stored.Query, s *schema.Schema) error {
	params := sparql.Table{Rows: [][]rdf.Term{nil}}
	for _, p := range q.Params {
		params.Vars, params.Rows[0] = append(params.Vars, sparql.Var(p.Name)), append(params.Rows[0], rdf.String("words"))
	}
	m := matching{schema: s}
	check := named(func(search sparql.Search, known []sparql.Table) (sparql.Op, error) {
		return search, m.check(search, append(slices.Clip(known), params), params.Vars)
	})
	if q.Query != nil {
		_, err := q.Query.AnswerSearches(check)
		return err
	}
	for _, op := range q.Update.Operations {
		if modify, is := op.(sparql.Modify); is {
			if _, err := modify.AnswerSearches(check); err != nil {
				return err
			}
		}
	}
	return nil
}

// check reads what a search is given, without the options that variables will be.
func (m *matching) check(s sparql.Search, known []sparql.Table, variables []sparql.Var) error {
	all, err := valuesOf(s.Given, known)
	for _, given := range all {
		var sure []rdf.Term
		for i, term := range given {
			if i == 0 || !slices.Contains(variables, s.Given[i].Var) {
				sure = append(sure, term)
			}
		}
		if _, err := m.read(sure); err != nil {
			return err
		}
	}
	return err
}

func (m *matching) answerer(ctx context.Context) sparql.SearchAnswer {
	return named(func(s sparql.Search, known []sparql.Table) (sparql.Op, error) { return m.answer(ctx, s, known) })
}

// named begins what stands against a search with its name.
func named(answer sparql.SearchAnswer) sparql.SearchAnswer {
	return func(s sparql.Search, known []sparql.Table) (sparql.Op, error) {
		out, err := answer(s, known)
		if err == nil || fault.Of(err).Kind == fault.Internal {
			return out, err
		}
		f := *fault.Of(err)
		f.Message = "trails:matches: " + f.Message
		return nil, &f
	}
}

// answer makes a table of a search, and of each of the values that its variables have.
func (m *matching) answer(ctx context.Context, s sparql.Search, known []sparql.Table) (sparql.Op, error) {
	if len(s.Found) == 0 || len(s.Found) > len(sparql.SearchFound) {
		return nil, fault.New(fault.InvalidArguments, "its subject is a node, or a list of up to %d: (?%s)", len(sparql.SearchFound), strings.Join(sparql.SearchFound, " ?"))
	}
	all, err := valuesOf(s.Given, known)
	if err != nil {
		return nil, err
	}
	out := sparql.Table{Vars: slices.DeleteFunc(varsOf(slices.Concat(s.Found, s.Given)), func(v sparql.Var) bool { return v == "" }), Of: &s}
	for _, given := range all {
		if m.searches++; m.searches > maxSearches {
			return nil, fault.New(fault.TooLarge, "a query searches at most %d times, and each value of a variable is one; give fewer", maxSearches)
		}
		hits, err := m.findOnce(ctx, given)
		if err != nil {
			return nil, err
		}
		for _, hit := range hits {
			if row := rowOf(out.Vars, slices.Concat(s.Found, s.Given), slices.Concat(hit[:len(s.Found)], given)); row != nil {
				out.Rows = append(out.Rows, row)
			}
		}
		if m.terms += len(hits) * len(out.Vars); m.terms > maxSearchTerms {
			return nil, fault.New(fault.TooLarge, "its answers are more than %d terms; give smaller numbers of nodes, or fewer variables", maxSearchTerms)
		}
	}
	return out, nil
}

// valuesOf are the values of what a search is given: one list for each combination of the values that its variables have in
// the known tables.
func valuesOf(given []sparql.Operand, known []sparql.Table) ([][]rdf.Term, error) {
	all := [][]rdf.Term{nil}
	for i, o := range given {
		values := []rdf.Term{o.Term}
		if o.Var != "" {
			var err error
			if values, err = knownValues(o.Var, known); err != nil {
				return nil, err
			}
		}
		if len(values)*len(all) > maxSearches {
			return nil, fault.New(fault.TooLarge, "a query searches at most %d times, and each value of a variable is one; give fewer", maxSearches)
		}
		var more [][]rdf.Term
		for _, list := range all {
			for _, value := range values {
				if at := slices.IndexFunc(given[:i], func(before sparql.Operand) bool { return o.Var != "" && before.Var == o.Var }); at < 0 || list[at] == value {
					more = append(more, append(slices.Clone(list), value))
				}
			}
		}
		all = more
	}
	return all, nil
}

// knownValues are the values of a variable in the first table that has it.
func knownValues(v sparql.Var, known []sparql.Table) (values []rdf.Term, err error) {
	name := "?" + string(v)
	if v[0] == '.' {
		name = "a blank node"
	}
	for _, t := range known {
		column := slices.Index(t.Vars, v)
		if column < 0 {
			continue
		}
		for _, row := range t.Rows {
			if row[column] == nil {
				return nil, fault.New(fault.InvalidArguments, "a row of VALUES leaves %s open, and what is searched must be known; give it a value in each row", name)
			}
			if !slices.Contains(values, row[column]) {
				values = append(values, row[column])
			}
		}
		return values, nil
	}
	return nil, fault.New(fault.InvalidArguments, "what is searched must be known before, and %s is not: give a text, a parameter, or VALUES or BIND of a constant in the same group", name)
}

// rowOf is the row of a hit, or nil if an end is another term, or has two values.
func rowOf(vars []sparql.Var, ends []sparql.Operand, terms []rdf.Term) []rdf.Term {
	row := make([]rdf.Term, len(vars))
	for i, o := range ends {
		at := slices.Index(vars, o.Var)
		switch {
		case o.Var == "" && o.Term != terms[i], o.Var != "" && row[at] != nil && terms[i] != nil && row[at] != terms[i]:
			return nil
		case o.Var != "" && terms[i] != nil:
			row[at] = terms[i]
		}
	}
	return row
}

// read reads a text and options, which may come in any order.
func (m *matching) read(given []rdf.Term) (match searchGiven, err error) {
	if len(given) == 0 {
		return match, fault.New(fault.InvalidArguments, "the list has no text to search for; write (\"words\" :Type 20)")
	}
	switch text := given[0].(type) {
	case rdf.String, rdf.LangString:
		match.Text = rdf.Lexical(text)
	default:
		return match, fault.New(fault.InvalidArguments, "%s is no text to search for; give a string first, and options after it", shownTerm(given[0]))
	}
	for _, option := range given[1:] {
		number, isNumber := xsd.NumberOf(option)
		iri, isIRI := option.(rdf.IRI)
		switch {
		case isNumber && number.Kind() == xsd.IntegerNumber:
			limit := number.Float64()
			if limit < 1 || limit > browse.MaxMatches || match.Limit != 0 {
				return match, fault.New(fault.InvalidArguments, "the number of nodes is one integer from 1 to %d, and not %s", browse.MaxMatches, rdf.Lexical(option))
			}
			match.Limit = int(limit)
		case iri == byWords:
			match.words = true
		case iri == byMeaning:
			match.By = browse.MatchByMeaning
		case iri == byAllWords:
			match.words, match.By = true, browse.MatchByAllWords
		case isIRI:
			t := m.schema.TypeByIRI(iri)
			if t == nil {
				return match, m.noOption(iri)
			}
			match.Types = append(match.Types, t)
		default:
			return match, fault.New(fault.InvalidArguments, "%s is no option; after the text there may be types, a number of nodes, and trails:words, trails:allWords or trails:meaning", shownTerm(option))
		}
	}
	if match.words && slices.Contains(given, rdf.Term(byMeaning)) {
		return match, fault.New(fault.InvalidArguments, "words alone and meaning alone exclude each other; leave one of them out, or both for a search by both")
	}
	if match.Limit == 0 {
		match.Limit, match.usual = searchesFind, true
	}
	return match, nil
}

// searchGiven is what a search is given.
type searchGiven struct {
	browse.Match
	words, usual bool // by words alone, and without a number of nodes
}

// noOption says that an IRI is neither a type nor a word, and which is meant.
func (m *matching) noOption(iri rdf.IRI) error {
	if name, ours := strings.CutPrefix(string(iri), rdf.TrailsNS); ours {
		return fault.New(fault.InvalidArguments, "there is no option trails:%s%s", name, fault.OrOf(name, "is one of", []string{"words", "allWords", "meaning"}))
	}
	if name, ours := strings.CutPrefix(string(iri), m.schema.Base); ours {
		return fault.New(fault.InvalidArguments, "%s", m.schema.NoType(name, m.schema.Types...))
	}
	return fault.New(fault.InvalidArguments, "<%s> is no type of the schema", string(iri))
}

// shownTerm is a term in a sentence.
func shownTerm(t rdf.Term) string { return quote.Text(rdf.Lexical(t), 60) }

// findOnce returns the hits of a text and options, for which it searches unless that was done.
func (m *matching) findOnce(ctx context.Context, given []rdf.Term) ([][]rdf.Term, error) {
	var key []byte
	for _, t := range given {
		key = append(rdf.AppendTerm(key, t), ' ')
	}
	if hits, done := m.hits[string(key)]; done {
		return hits, nil
	}
	match, err := m.read(given)
	if err != nil {
		return nil, err
	}
	hits, err := m.find(ctx, match)
	if err == nil && m.reader != nil {
		m.hits[string(key)] = hits
	}
	return hits, err
}

// find searches, and returns a list of the node, the score, the passage and the property of each hit.
func (m *matching) find(ctx context.Context, match searchGiven) (hits [][]rdf.Term, err error) {
	if !match.words && m.meaning != nil {
		vector, made := m.vectors[match.Text]
		if !made && m.snapshot != nil {
			if vector, err = m.meaning(ctx, m.snapshot, match.Text, match.By == browse.MatchByMeaning); err != nil {
				return nil, err
			}
			m.vectors[match.Text] = vector
		}
		match.Vector = vector
	}
	if match.By == browse.MatchByMeaning && match.Vector == nil {
		return nil, fault.New(fault.Precondition, "nodes cannot be found by meaning alone: there is no vector of the text; leave trails:meaning out, and words find them")
	}
	if m.reader == nil {
		return nil, nil
	}
	found, err := m.reader.Matches(ctx, match.Match)
	if err != nil {
		return nil, err
	}
	m.tell(match, found)
	for _, n := range found.Nodes {
		hit := []rdf.Term{n.Node, xsd.Double(n.Score).Term(), n.Passage, nil}
		if n.Property != "" {
			hit[3] = n.Property
		}
		hits = append(hits, hit)
	}
	return hits, nil
}

// tell says what was taken for what was asked, and what is left out.
func (m *matching) tell(match searchGiven, found browse.Matched) {
	say := func(format string, args ...any) {
		if text := "trails:matches " + shownTerm(rdf.Literal(match.Text, "")) + ": " + fmt.Sprintf(format, args...); !slices.Contains(m.told, text) {
			m.told = append(m.told, text)
		}
	}
	if told := found.ToldRefused(); told != "" {
		say("%s", told)
	}
	for _, told := range found.Left {
		say("%s", told)
	}
	for _, c := range found.Corrections {
		say("no text has the word %q, and %q was searched instead", c.Word, c.Instead)
	}
	switch {
	case len(found.Nodes) == 0 && match.By == browse.MatchByAllWords && len(found.Phrases) == 0:
		say("no text has all of these words; leave trails:allWords out for nodes with some of them")
	case len(found.Nodes) == 0 && match.By == browse.MatchByMeaning:
		say("no text with a vector is near to it")
	case len(found.Nodes) == 0:
		say("%s", found.ToldNothing())
	case found.Partial > 0 && found.Matching != browse.MatchedMeaning:
		say("%s of the %d found have only some of the words, and the least scores; trails:allWords leaves them out", fault.Counted(found.Partial, "node"), len(found.Nodes))
	}
	switch {
	case !found.More:
	case match.usual:
		say("there are or may be more than the %d nodes that were taken; give a number up to %d behind the text, or a type", len(found.Nodes), browse.MaxMatches)
	case len(found.Nodes) < match.Limit:
		say("there may be more than the %d nodes that were found, because not everything is read for such words; give rarer words, or a type", len(found.Nodes))
	}
}
