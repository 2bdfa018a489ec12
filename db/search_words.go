package db

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/rdf"
	"trails/sparql"
	"trails/text/fulltext"
)

// Bounds of one search of the index.
const (
	pagesTried       = 20     // pages of the index for the words with a stem or a beginning
	wordsTaken       = 100    // words taken from these pages
	wordsTogether    = 1_500  // words with the same beginning that are looked up together
	spellingPages    = 500    // pages of each segment for a misspelt word
	spellingsWeighed = 20     // words at the same distance from it
	textsFound       = 500    // texts with all words
	textsOfClasses   = 50_000 // texts with all words, of which a sample is taken
	textsWeighed     = 5_000  // texts with any word, for each word; so many are counted for its weight
	textsRanked      = 150    // texts that are ranked
	textsTried       = 1_500  // texts with any word that are looked up among the instances of classes
	textBytesRead    = 256 << 10
	textsTogether    = 100   // texts whose subjects are looked up together
	textShared       = 200   // subjects of one text
	instancesRead    = 300   // instances of classes that are read if too many texts have the words
	valuesRead       = 5_000 // values of these instances
)

// TextHit is a text that a search found, with a subject.
type TextHit struct {
	Subject  rdf.Term
	Property rdf.IRI
	Text     rdf.Term
	Score    fulltext.Score
	// Shared is the number of found subjects with the same text.
	Shared int
}

// TextSearch is a full-text search of the default graph.
type TextSearch struct {
	Query fulltext.Query
	// Classes, if there are any, restrict the subjects to those with one of them as rdf:type.
	Classes []rdf.IRI
}

// Matching says which texts match.
type Matching int

const (
	// MatchAll finds texts with all words, except common words.
	MatchAll Matching = iota
	// MatchAny finds texts with any of the words.
	MatchAny
)

// textSearch is one running search.
type textSearch struct {
	*Reader
	ctx    context.Context
	search TextSearch
	goals  []fulltext.Goal
	found  []goalPlaces // of each goal, once they are read
	scorer *fulltext.Scorer
	// fresh are the texts that are not in the index yet, sorted by id; vocabulary is their words.
	fresh      []freshText
	vocabulary []string
	passed     map[inline.TermID]bool // texts that have been passed on
	tried      int                    // how many texts are looked up now
	instances  []int64                // of the classes, sorted, once they are listed; none if they are too many
	typed      map[int64]bool         // nodes, and whether they are instances of the classes
	unseen     map[string]bool        // what matches no text that the reader may see
	pages      *wordindex.Pages       // of the index, once they are read
	more       bool
	terms      inline.TermID // the last term of the file
	indexed    inline.TermID // the last term up to which texts are in the index
}

// goalPlaces are the first places of a goal in the index; all means that there are no others.
type goalPlaces struct {
	list []wordindex.Place
	read bool
	all  bool
}

// weighed are the places that count for the weight of the goal, and for texts with some of the words.
func (g goalPlaces) weighed() []wordindex.Place { return g.list[:min(len(g.list), textsWeighed)] }

// TextFinder finds the texts of one search. It belongs to its reader, and must be used by one goroutine at a time.
type TextFinder struct {
	search *textSearch
	broad  bool // more words than are looked up begin with a word of the query or have its stem
}

// FindTexts prepares a search: it looks up the words of the query as they are, as beginnings of words where the query
// is open, and as other forms of the same word.
func (r *Reader) FindTexts(ctx context.Context, search TextSearch) (*TextFinder, error) {
	err := r.ready(ctx)
	s := &textSearch{Reader: r, ctx: ctx, search: search, passed: map[inline.TermID]bool{}, typed: map[int64]bool{}}
	if err == nil {
		err = s.prepare()
	}
	return &TextFinder{s, s.more}, r.fail(ctx, "search", err)
}

// Goals are the terms of the query with the indexed words for them and their weights. They must not be changed.
func (f *TextFinder) Goals() []fulltext.Goal { return f.search.goals }

// Texts finds texts and their subjects, and passes them to take in batches until it returns false: the shortest texts
// first for [MatchAll], those with the rarest words for [MatchAny]. A text is passed once, also by several calls. The
// work is bounded: more reports that there may be others.
func (f *TextFinder) Texts(matching Matching, take func([]TextHit) (more bool, err error)) (more bool, err error) {
	s := f.search
	s.more = f.broad
	var ids []inline.TermID
	if matching == MatchAll {
		ids, err = s.all()
	} else {
		ids, err = s.any()
	}
	if err == nil && s.more && len(s.search.Classes) > 0 {
		ids, err = s.ofFew(ids, matching)
	}
	if err == nil {
		err = s.subjects(ids, matching, take)
	}
	return s.more, s.fail(s.ctx, "search", err)
}

// prepare reads the unindexed texts, finds the indexed words for the query, and computes their weights.
func (s *textSearch) prepare() error {
	if err := s.readFresh(); err != nil {
		return err
	}
	if err := s.findGoals(false); err != nil {
		return err
	}
	s.found = make([]goalPlaces, len(s.goals))
	for i := range s.goals {
		g := &s.goals[i]
		having, err := int64(0), error(nil)
		switch match := g.Match(); {
		case s.conn.sight != nil: // a text that may not be seen has no weight
			having, err = s.countSeen(match, textsWeighed)
		case g.Common:
			having, err = s.commonTexts(match)
		default:
			err = s.placesOf(i)
			having = int64(len(s.found[i].weighed()))
		}
		if err != nil {
			return err
		}
		g.Weight = s.weight(having)
	}
	s.scorer = fulltext.NewScorer(s.search.Query, s.goals)
	return nil
}

// weight is the weight of what so many of the file's terms have, of which some are texts.
func (s *textSearch) weight(having int64) float64 { return fulltext.Weight(having, int64(s.terms)) }

// findGoals finds the indexed words for each word of the query. For the beginning of a text, other forms of a word do
// not count.
func (s *textSearch) findGoals(beginning bool) (err error) {
	for _, t := range s.search.Query.Terms {
		g := fulltext.Goal{Term: t}
		way := make([][]string, len(t.Parts))
		for i, part := range t.Parts {
			if way[i], err = s.forms(part, t.Open && i == len(t.Parts)-1, len(t.Parts) > 1, beginning); err != nil {
				return err
			}
		}
		g.Ways = [][][]string{way}
		if t.Whole != "" {
			whole, err := s.forms(t.Whole, t.Open, true, beginning)
			if err != nil {
				return err
			}
			g.Ways = append(g.Ways, [][]string{whole})
		}
		g.Ways = append(g.Ways, t.Also...)
		s.goals = append(s.goals, g)
	}
	return nil
}

// readFresh reads the texts that are not in the index yet, those that the reader may see if that is not everything.
func (s *textSearch) readFresh() (err error) {
	if s.terms, s.indexed, err = s.conn.indexed(); err != nil {
		return err
	}
	all, vocabulary, err := s.freshTexts(s.ctx, s.indexed, s.terms)
	s.fresh, s.vocabulary = all, vocabulary
	if err != nil || s.conn.sight == nil {
		return err
	}
	s.fresh = nil
	for _, f := range all {
		used, err := s.conn.Int64(s.conn.text(leaf.TextUsed), f.id)
		if err != nil {
			return err
		}
		if used == 1 {
			s.fresh = append(s.fresh, f)
		}
	}
	return nil
}

// forms returns the indexed words for a word of the query: itself, the words with its stem unless it is exact, and
// the words that begin with it if it is open. If too many begin with it, the beginning itself is looked up: all of
// these words or, for very many, short texts with a word that has the same first characters.
func (s *textSearch) forms(word string, open, exact, beginning bool) ([]string, error) {
	list, runes := []string{word}, []rune(word)
	short := len(runes) <= fulltext.MaxBeginning
	if open && short {
		list = append(list, fulltext.Beginning(word))
	}
	stem, begin := s.search.Query.Stem(word), word
	if exact = exact || beginning; !exact {
		begin = stem
	} else if !open {
		return list, nil
	}
	seen := 0
	err := s.eachWord(begin, pagesTried, func(found []byte) bool {
		seen++
		if len(list) == wordsTaken {
			return beginning
		}
		other := string(found)
		if !slices.Contains(list, other) && (open && strings.HasPrefix(other, word) || !exact && s.search.Query.Stem(other) == stem) {
			list = append(list, other)
		}
		return true
	})
	switch {
	case len(list) < wordsTaken:
	case beginning && !short && seen < wordsTogether:
		list = []string{word + fulltext.Onward}
	case beginning && !short:
		s.more = true
		list = append(list, fulltext.Beginning(string(runes[:fulltext.MaxBeginning])))
	default:
		s.more = true
	}
	return list, err
}

// eachWord calls visit for the indexed words that begin with a text, on a bounded number of pages, until it returns
// false. Some words occur more than once; each is valid until the next one.
func (s *textSearch) eachWord(begin string, pages int, visit func(word []byte) bool) error {
	for _, word := range s.vocabulary {
		if strings.HasPrefix(word, begin) && !visit([]byte(word)) {
			return nil
		}
	}
	index, err := s.index()
	if err != nil {
		return err
	}
	return index.Beginning(s.ctx, begin, pages, visit)
}

// index returns the pages of the index.
func (s *textSearch) index() (_ *wordindex.Pages, err error) {
	if s.pages == nil {
		s.pages, err = wordindex.PagesOf(s.conn.Conn)
	}
	return s.pages, err
}

// all returns the texts that have all words, shortest first.
func (s *textSearch) all() (ids []inline.TermID, err error) {
	for _, f := range s.freshWith() {
		ids = append(ids, f.id)
	}
	most := textsFound
	if len(s.search.Classes) > 0 {
		most = textsOfClasses
	}
	if !slices.ContainsFunc(s.goals, func(g fulltext.Goal) bool { return !g.Common && s.unseen[g.Match()] }) {
		places, failed := s.together(most)
		ids = slices.Grow(ids, len(places))
		for _, at := range places {
			ids = append(ids, at.Term())
		}
		err = failed
	}
	s.more = s.more || len(ids) >= most
	if len(ids) <= textsFound*4 {
		return ids, err
	}
	// Most may belong to other classes, which are often adjacent in the index. So after the first ones a sample of
	// all is taken.
	spread := ids[:textsFound:textsFound]
	step := (len(ids) - textsFound) / (textsFound * 3 / textsTogether)
	for at := textsFound; at < len(ids); at += step {
		spread = append(spread, ids[at:min(at+textsTogether, len(ids))]...)
	}
	s.more = true
	return spread, err
}

// match returns the FTS5 query for texts with all words, except common words.
func (s *textSearch) match() string {
	var goals []string
	for _, g := range s.goals {
		if !g.Common {
			goals = append(goals, "("+g.Match()+")")
		}
	}
	return strings.Join(goals, " AND ")
}

const matchingPlaces = "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid LIMIT ?2 + 0"

// together returns the first places of the index that match all goals but common words, up to most.
func (s *textSearch) together(most int) ([]wordindex.Place, error) {
	var lists [][]wordindex.Place
	enough := true
	for i, g := range s.goals {
		if !g.Common {
			enough = enough && s.found[i].all
			lists = append(lists, s.found[i].list)
		}
	}
	switch {
	case len(lists) == 1 && len(lists[0]) >= most:
	case !enough:
		return s.places(s.match(), most)
	case len(lists) == 0:
		return nil, nil
	}
	slices.SortStableFunc(lists, func(a, b []wordindex.Place) int { return len(a) - len(b) })
	list := lists[0]
	for _, other := range lists[1:] {
		list = slices.DeleteFunc(slices.Clone(list), func(at wordindex.Place) bool {
			n, is := slices.BinarySearch(other, at)
			other = other[n:]
			return !is
		})
	}
	return list[:min(len(list), most)], nil
}

// places returns the first places of the index that match, up to most. For a reader who may not see everything these are
// places of texts that it may see: others must not stand in their way.
func (s *textSearch) places(match string, most int) (list []wordindex.Place, err error) {
	if s.conn.sight != nil {
		if s.unseen[match] {
			return nil, nil
		}
		_, err := s.eachSeen(match, math.MaxInt64, func(at wordindex.Place) bool {
			list = append(list, at)
			return len(list) < most
		})
		return list, err
	}
	err = s.rows(s.ctx, matchingPlaces, func(row *stmt.Stmt) (bool, error) {
		list = append(list, wordindex.Place(row.ColumnInt64(0)))
		return true, nil
	}, match, most)
	return list, err
}

// placesOf reads the first places of a goal in the index. The weights of the words, the texts with some of them and mostly those
// with all are made of these, so that the index is asked once for each word.
func (s *textSearch) placesOf(goal int) (err error) {
	found := &s.found[goal]
	if found.read {
		return nil
	}
	g := &s.goals[goal]
	most := textsWeighed
	if words := g.Words(); words != nil && s.conn.sight == nil {
		if len(s.search.Classes) > 0 || len(s.goals) > 1 { // the places are compared with others
			most = textsOfClasses
		}
		index, failed := s.index()
		if failed != nil {
			return failed
		}
		found.list, err = index.Places(s.ctx, words, most)
	} else {
		found.list, err = s.places(g.Match(), most)
	}
	found.read, found.all = err == nil, len(found.list) < most
	return err
}

// any returns the texts that have most of the words, by weight.
func (s *textSearch) any() ([]inline.TermID, error) {
	lists := make([][]wordindex.Place, len(s.goals))
	for i, g := range s.goals {
		if g.Common {
			continue
		}
		if err := s.placesOf(i); err != nil {
			return nil, err
		}
		lists[i] = slices.Clip(s.found[i].weighed())
		s.more = s.more || len(lists[i]) == textsWeighed
		for _, f := range s.freshHaving(s.fresh, g) { // newer than all of the index, and of no class
			lists[i] = append(lists[i], wordindex.LongTexts|wordindex.Place(f.id))
		}
	}
	most := textsRanked
	if len(s.search.Classes) > 0 {
		most = textsTried
	}
	ids, all := heaviest(s.goals, lists, most)
	s.more = s.more || !all
	return ids, nil
}

// someWords are the texts of one length class that have the same ones of some goals, which all weigh the same.
type someWords struct {
	weight float64
	ids    []inline.TermID
}

// heaviest returns the texts with the greatest weights, at most so many, by the sorted places of each goal; all reports
// that there are no others. Texts are sorted by what they have, and not one by one: few of all combinations of words occur.
func heaviest(goals []fulltext.Goal, lists [][]wordindex.Place, most int) (ids []inline.TermID, all bool) {
	type having struct {
		goals uint64
		class int64
	}
	groups := map[having]*someWords{}
	next, of := having{}, (*someWords)(nil)
	for lists = slices.Clone(lists); ; {
		at := wordindex.Place(math.MaxInt64)
		for _, list := range lists {
			if len(list) > 0 {
				at = min(at, list[0])
			}
		}
		if at == math.MaxInt64 {
			break
		}
		has := having{0, at.Class()}
		for i, list := range lists {
			if len(list) > 0 && list[0] == at {
				has.goals |= 1 << i
				lists[i] = list[1:]
			}
		}
		if of == nil || has != next {
			if next, of = has, groups[has]; of == nil {
				of = &someWords{}
				for i, g := range goals {
					if has.goals&(1<<i) != 0 {
						of.weight += g.Weight * (1 + 0.1*float64(2-has.class))
					}
				}
				groups[has] = of
			}
		}
		of.ids = append(of.ids, at.Term())
	}
	order := slices.SortedFunc(maps.Values(groups), func(a, b *someWords) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.ids[0], b.ids[0]))
	})
	for from := 0; from < len(order); {
		alike := len(ids)
		for at := from; from < len(order) && order[from].weight == order[at].weight; from++ {
			ids = append(ids, order[from].ids...)
		}
		slices.Sort(ids[alike:])
		if len(ids) > most || len(ids) == most && from < len(order) {
			return ids[:most], false
		}
	}
	return ids, true
}

// ofFew replaces the found texts by the texts of the classes' instances, if these are few. It is for words that occur
// in more texts than can be looked at, most of which may belong to other classes.
func (s *textSearch) ofFew(found []inline.TermID, matching Matching) (ids []inline.TermID, err error) {
	var instances []inline.TermID
	all := project(s.selected(s.ctx, Selection{Classes: s.search.Classes}), varS)
	err = s.askIDs(s.ctx, slice(all, instancesRead+1, 0), []sparql.Var{varS}, func(row []inline.TermID) bool {
		instances = append(instances, row[0])
		return true
	})
	if err != nil || len(instances) > instancesRead {
		return found, err
	}
	values := sparql.Join{Left: amongIDs(varS, instances), Right: bgp(triplePattern(nil, nil, nil))}
	seen := map[inline.TermID]bool{}
	failed := s.askIDs(s.ctx, slice(values, valuesRead+1, 0), []sparql.Var{varO}, func(row []inline.TermID) bool {
		var t rdf.Term
		if id := row[0]; id > 0 && !seen[id] {
			seen[id] = true
			if t, err = s.dict.Peek(id); err == nil && rdf.IsLiteral(t) {
				score := s.scorer.Of(rdf.Lexical(t))
				if score.All || matching == MatchAny && score.Any() {
					ids = append(ids, id)
				}
			}
		}
		return err == nil
	})
	s.more = len(seen) > valuesRead
	return ids, cmp.Or(err, failed)
}

// subjects looks up the subjects of the texts, and passes them on.
func (s *textSearch) subjects(ids []inline.TermID, matching Matching, take func([]TextHit) (bool, error)) error {
	s.tried = len(ids)
	read, ranked := 0, 0
	for chunk := range slices.Chunk(ids, textsTogether) {
		if read > textBytesRead || matching == MatchAny && ranked >= textsRanked {
			s.more = true
			return nil
		}
		who, err := s.having(chunk)
		if err != nil {
			return err
		}
		for i, id := range chunk {
			if s.passed[id] {
				who[i] = nil
			}
		}
		texts, err := s.readTexts(chunk, who)
		if err != nil {
			return err
		}
		var hits []TextHit
		for i, id := range chunk {
			text := texts[i]
			if text == nil {
				continue
			}
			lexical := rdf.Lexical(text)
			read += len(lexical)
			score := s.scorer.Of(lexical)
			if matching == MatchAll && !score.All || !score.Any() {
				continue
			}
			ranked++
			s.passed[id] = true
			for _, at := range who[i] {
				hit := TextHit{Text: text, Score: score, Shared: len(who[i])}
				if hit.Subject, err = s.dict.Term(at.subject); err != nil {
					return err
				}
				p, err := s.dict.Term(at.property)
				if err != nil {
					return err
				}
				hit.Property, _ = p.(rdf.IRI)
				hits = append(hits, hit)
			}
		}
		if more, err := take(hits); err != nil || !more {
			s.more = s.more || !more
			return err
		}
	}
	return nil
}

// readTexts reads the texts that nodes have. It reads the pages of the dictionary: a statement of SQL for each would take three
// times as long.
func (s *textSearch) readTexts(ids []inline.TermID, who [][]bearer) ([]rdf.Term, error) {
	p, err := s.conn.Pages()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	rows, err := dictionary.NewReader(p)
	if err != nil {
		return nil, unreadable(err)
	}
	texts := make([]rdf.Term, len(ids))
	for i, id := range ids {
		if len(who[i]) == 0 {
			continue
		}
		whole, err := rows.Read(int64(id))
		if err != nil {
			return nil, unreadable(err)
		}
		if whole {
			texts[i], err = s.dict.OnPage(&rows.Row)
		} else {
			texts[i], err = s.dict.Peek(id)
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// textsWith counts the texts with a word that a statement of the default graph has, up to most.
func (s *textSearch) textsWith(word string, most int64) (int64, error) {
	var n int64
	var err error
	if match := fulltext.Quote(word); s.conn.sight != nil {
		n, err = s.countSeen(match, most)
	} else {
		n, err = s.textsUsed(word, most)
	}
	for _, f := range s.freshHaving(s.fresh, fulltext.Goal{Ways: [][][]string{{{word}}}}) {
		if err != nil || n >= most {
			break
		}
		var used int64
		used, err = s.conn.Int64(s.conn.text(leaf.TextUsed), f.id)
		n += used
	}
	return n, err
}

// textsUsed is textsWith for the texts of the index, and for a reader who may see everything.
func (s *textSearch) textsUsed(word string, most int64) (n int64, err error) {
	index, err := s.index()
	if err != nil {
		return 0, err
	}
	places, err := index.Places(s.ctx, []string{word}, textsWeighed)
	if err != nil || len(places) == 0 {
		return 0, err
	}
	p, err := s.conn.Pages()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	rows, err := s.conn.leaf(p, leaf.OSP)
	if err != nil {
		return 0, err
	}
	cursor := scan.NewCursor(rows)
	for _, at := range places {
		used, err := saidInDefault(cursor, int64(at.Term()))
		if err != nil {
			return n, unreadable(err)
		}
		if used {
			n++
		}
		if n == most {
			break
		}
	}
	return n, nil
}

// Spelling returns the word of a text in the default graph that a misspelt word most likely means. It returns "" if a
// text has the word itself, if it contains a digit, or if none is similar. Of equally similar words it takes the one
// that most texts have.
func (r *Reader) Spelling(ctx context.Context, word string) (string, error) {
	if err := r.ready(ctx); err != nil {
		return "", r.fail(ctx, "spell", err)
	}
	s := &textSearch{Reader: r, ctx: ctx}
	meant, err := s.spelling(word)
	return meant, r.fail(ctx, "spell", err)
}

func (s *textSearch) spelling(word string) (string, error) {
	if err := s.readFresh(); err != nil {
		return "", err
	}
	most := fulltext.Edits(utf8.RuneCountInString(word))
	if most == 0 || strings.ContainsAny(word, "0123456789") {
		return "", nil // an unknown identifier does not stand for another one
	}
	if n, err := s.textsWith(word, 1); err != nil || n > 0 {
		return "", err
	}
	near := fulltext.NewNear(word, most)
	nearest := make([][]string, most+1) // by the number of mistakes; the word itself, with none, is in no text that is left
	// A mistake in the first letter is only considered if the second letter stands before or instead of it. Trying
	// all letters would mean to read the whole vocabulary.
	runes := []rune(word)
	for _, first := range slices.Compact([]string{string(runes[:1]), string(runes[1:2])}) {
		var passed []byte // no similar word begins like this
		err := s.eachWord(first, spellingPages, func(other []byte) bool {
			if len(passed) > 0 && bytes.HasPrefix(other, passed) {
				return true
			}
			edits, ok, prefix := near.Distance(other)
			passed = append(passed[:0], other[:prefix]...)
			if ok && edits > 0 && !slices.Contains(nearest[edits], string(other)) {
				nearest[edits] = append(nearest[edits], string(other))
			}
			return s.ctx.Err() == nil
		})
		if err != nil {
			return "", err
		}
	}
	for _, words := range nearest {
		best, having := "", int64(0)
		for _, other := range words[:min(len(words), spellingsWeighed)] {
			n, err := s.textsWith(other, textsTogether)
			if err != nil {
				return "", err
			}
			if n > having {
				best, having = other, n
			}
		}
		if best != "" {
			return best, nil
		}
	}
	return "", nil
}
