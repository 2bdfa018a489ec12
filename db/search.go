package db

import (
	"cmp"
	"context"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/db/inline"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/rdf"
	"trails/sparql"
	"trails/text/fulltext"
)

// Bounds of a search.
const (
	searchReads = 200_000 // subjects and texts that are read if the index of words cannot be used
	searchTries = 20_000  // texts with the words that are compared
	searchFinds = 10_000
	searchFew   = 200   // number of subjects up to which all texts are read
	searchChunk = 250   // texts whose subjects are looked up together
	manyBegin   = 5_000 // texts that may begin like the value of a condition
)

// Search finds subjects with a text that begins with a prefix, regardless of case.
type Search struct {
	Prefix string
	// Words finds texts, too, that have all words of Prefix in any order, the last one as the beginning of a word,
	// regardless of accents.
	Words bool
	// Text names for each class the property to search; a class without one is searched by Name.
	Text map[rdf.IRI]SearchedText
	// Name returns the name of a subject without a text; nil means that such subjects are not found.
	Name func(rdf.Term) string
	// Most is the maximum number of results, 10,000 if it is 0.
	Most int
}

// SearchedText is a property whose values are searched.
type SearchedText struct {
	Property rdf.IRI
	// Strings reports that all values are strings. The index of words has strings; other values are read.
	Strings bool
}

// Found are the subjects that a search found, sorted by their ids.
type Found struct {
	ids []inline.TermID
	// More reports that the search stopped before it had read everything.
	More bool
}

// Len returns their number.
func (f *Found) Len() int { return len(f.ids) }

func (f *Found) page(limit, offset int) []inline.TermID {
	offset = min(offset, len(f.ids))
	return f.ids[offset:min(len(f.ids), offset+limit)]
}

// Search finds selected subjects; if there are more than Most, those with the shortest texts. It looks up the words
// of the prefix in the index of words, and compares up to 20,000 texts that have them. For a prefix without words,
// and for texts that are not in the index, it reads each text or name, up to 200,000.
//
// Texts are found by their words, see package fulltext. A prefix that ends within an identifier of more than 64 bytes
// finds it only with the same capital letters. Texts of more than 160 bytes may be missed if more than a hundred
// words begin with the last word of the prefix.
func (r *Reader) Search(ctx context.Context, sel Selection, search Search) (*Found, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "search", err)
	}
	s := newSearching(ctx, r, search)
	for _, classes := range search.together(sel.Classes) {
		one := sel
		one.Classes = classes
		if err := s.classes(one); err != nil {
			return nil, r.fail(ctx, "search", err)
		}
	}
	return &Found{More: s.more, ids: slices.Sorted(maps.Keys(s.found))}, nil
}

// together groups classes by the searched property.
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
	query fulltext.Query
	words error // why the index of words cannot be used
	has   func(text string) bool
	found map[inline.TermID]bool
	reads int
	more  bool
}

func newSearching(ctx context.Context, r *Reader, search Search) *searching {
	s := &searching{Reader: r, ctx: ctx, Search: search, found: map[inline.TermID]bool{}}
	s.Prefix, s.Most = strings.ToLower(s.Prefix), cmp.Or(s.Most, searchFinds)
	if s.query, s.words = fulltext.ParseBeginning(s.Prefix); s.words == nil && s.Words {
		s.has = s.query.Has()
	}
	return s
}

// fits reports whether a text is searched.
func (s *searching) fits(text string) bool {
	return strings.HasPrefix(strings.ToLower(text), s.Prefix) || s.has != nil && s.has(text)
}

// classes searches the instances of classes with the same property. If they are few, all texts are read, otherwise
// those with the words of the prefix.
func (s *searching) classes(sel Selection) error {
	text, named := s.Text[sel.Classes[0]]
	if !named {
		return s.names(sel)
	}
	few, err := s.askCount(s.ctx, slice(project(s.selected(s.ctx, sel), varS), searchFew+1, 0))
	if err != nil {
		return err
	}
	if few <= searchFew {
		return s.texts(sparql.LeftJoin{Left: project(s.selected(s.ctx, sel), varS), Right: bgp(triplePattern(nil, text.Property, nil))})
	}
	if s.words != nil || !text.Strings {
		return s.texts(s.restricted(s.ctx, bgp(triplePattern(nil, text.Property, nil)), sel))
	}
	return s.byWords(sel, text.Property)
}

// byWords compares the texts that have the words of the prefix.
func (s *searching) byWords(sel Selection, text rdf.IRI) error {
	words := textSearch{Reader: s.Reader, ctx: s.ctx, search: TextSearch{Query: s.query}}
	if err := words.readFresh(); err != nil {
		return err
	}
	if err := words.findGoals(true); err != nil {
		return err
	}
	all, err := words.fitting(s.fits, s.nextTexts(), func(texts []inline.TermID) (next int, err error) {
		op := s.restricted(s.ctx, sparql.Join{Left: amongIDs(varO, texts), Right: bgp(triplePattern(nil, text, nil))}, sel)
		more := true
		err = s.askIDs(s.ctx, op, []sparql.Var{varS}, func(ids []inline.TermID) bool {
			more = s.find(ids[0])
			return more
		})
		if !more {
			return 0, err
		}
		return s.nextTexts(), err
	})
	s.more = s.more || !all
	return err
}

// nextTexts returns how many texts to look up next: as many as subjects are still wanted, and some more for texts
// without a selected subject.
func (s *searching) nextTexts() int {
	missing := s.Most - len(s.found) + 1 // one more shows that there are others
	return min(missing+missing/5+5, searchChunk)
}

// fitting passes the texts that have the words and fit to take, in batches of the size that take returned, until it
// returns 0. all reports that there are no others.
func (s *textSearch) fitting(fits func(text string) bool, next int, take func([]inline.TermID) (next int, err error)) (all bool, err error) {
	var ids []inline.TermID
	for _, f := range s.freshWith() {
		if fits(f.text) {
			ids = append(ids, f.id)
		}
	}
	tries := 0
	compare := func(match string, from, until wordindex.Place) error {
		return s.rows(s.ctx, beginningTexts, func(row *stmt.Stmt) (bool, error) {
			if tries++; fits(row.ColumnText(1)) {
				ids = append(ids, row.ID(0))
			}
			if len(ids) >= next {
				next, err = take(ids)
				ids = ids[:0]
			}
			return next > 0 && tries < searchTries, err
		}, fulltext.MaxText, wordindex.PlaceTerm, match, int64(from), int64(until))
	}
	// Short texts with a word that begins with up to three given letters are in one list of the index. The lists of
	// the words themselves, up to a hundred, are only opened for long texts.
	match, from := s.match(), wordindex.Place(0)
	if short := s.shortMatch(); short != match {
		err, from = compare(short, 0, wordindex.LongTexts), wordindex.LongTexts
	}
	if err == nil && next > 0 && tries < searchTries {
		err = compare(match, from, math.MaxInt64)
	}
	if err == nil && next > 0 && len(ids) > 0 {
		next, err = take(ids)
	}
	return !s.more && next > 0 && tries < searchTries, err
}

// shortMatch is match for short texts, for which the index also has the beginnings of words.
func (s *textSearch) shortMatch() string {
	short := textSearch{goals: slices.Clone(s.goals)}
	for i, g := range short.goals {
		g.Ways = slices.Clone(g.Ways)
		for j, way := range g.Ways {
			g.Ways[j] = slices.Clone(way)
			for k, words := range way {
				if begin := fulltext.Beginning(words[0]); slices.Contains(words, begin) {
					g.Ways[j][k] = []string{begin}
				}
			}
		}
		short.goals[i] = g
	}
	return short.match()
}

// beginning returns the texts of the dictionary that begin with text, regardless of case, by the index of words. It
// returns nil if it cannot, or if there are too many candidates.
func (r *Reader) beginning(ctx context.Context, prefix string) ([]inline.TermID, error) {
	begins := fulltext.BeginningsOf(prefix)
	if len(begins.Words) == 0 && begins.Begun == "" {
		return nil, nil
	}
	pattern, err := regexp.Compile("(?i)^" + regexp.QuoteMeta(prefix)) // texts are compared as a query does
	if err != nil {
		return nil, err
	}
	s := textSearch{Reader: r, ctx: ctx}
	if err := s.readFresh(); err != nil {
		return nil, err
	}
	ids := []inline.TermID{}
	for _, f := range s.fresh {
		if pattern.MatchString(f.text) {
			ids = append(ids, f.id)
		}
	}
	var words [][]string
	for _, word := range begins.Words {
		words = append(words, []string{word})
	}
	match := func(last []string) string {
		goal := fulltext.Goal{Ways: [][][]string{append(slices.Clip(words), last)}}
		return goal.Match()
	}
	ways := map[string]wordindex.Place{} // the query of the index, and the first place
	var begun []string
	if begins.Begun != "" {
		if begun, err = s.forms(begins.Begun, true, true, true); err != nil {
			return nil, err
		}
	}
	switch {
	case len(begun) > 0 && !s.more:
		ways[match(begun)] = 0
		if len(begins.Parts) > 0 {
			ways[match(begins.Parts)] = wordindex.WordyTexts
		}
	case len(words) > 0:
		last := words[len(words)-1]
		words = words[:len(words)-1]
		ways[match(last)] = 0
	default:
		return nil, nil // very many words begin like this
	}
	tried, seen := 0, map[inline.TermID]bool{}
	for match, from := range ways {
		err := r.rows(ctx, beginningTexts, func(row *stmt.Stmt) (bool, error) {
			if id := row.ID(0); !seen[id] && pattern.MatchString(row.ColumnText(1)) {
				seen[id] = true
				ids = append(ids, id)
			}
			tried++
			return tried < manyBegin, nil
		}, utf8.RuneCountInString(prefix), wordindex.PlaceTerm, match, int64(from), int64(math.MaxInt64))
		if err != nil || tried >= manyBegin {
			return nil, err
		}
	}
	return ids, nil
}

const beginningTexts = `SELECT t.id, substr(t.value, 1, ?) FROM words w CROSS JOIN terms t ON t.id = w.rowid & ?
	WHERE w.words MATCH ? AND w.rowid >= ? AND w.rowid < ? ORDER BY w.rowid`

// texts compares the values of varO.
func (s *searching) texts(op sparql.Op) error {
	return s.ask(s.ctx, op, []sparql.Var{varS, varO}, func(a *answer) (bool, error) {
		t, err := a.at(1)
		if t == nil || err != nil {
			return err == nil, err
		}
		return s.see(a.id(0), rdf.Lexical(t)), nil
	})
}

// see compares one text; it returns false if the search must stop.
func (s *searching) see(subject inline.TermID, text string) bool {
	if s.reads++; s.reads > searchReads {
		s.more = true
		return false
	}
	return !s.fits(text) || s.find(subject)
}

// find adds a subject; it returns false if there are too many.
func (s *searching) find(subject inline.TermID) bool {
	if len(s.found) == s.Most && !s.found[subject] {
		s.more = true
		return false
	}
	s.found[subject] = true
	return true
}

// names compares the names of the subjects themselves.
func (s *searching) names(sel Selection) error {
	if s.Name == nil {
		return nil
	}
	return s.ask(s.ctx, project(s.selected(s.ctx, sel), varS), []sparql.Var{varS}, func(a *answer) (bool, error) {
		t, err := a.at(0)
		if err != nil {
			return false, err
		}
		return s.see(a.id(0), s.Name(t)), nil
	})
}
