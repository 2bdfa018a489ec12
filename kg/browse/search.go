package browse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/text/fulltext"
)

// Search is a search for nodes of the default graph by the words of their texts.
type Search struct {
	// Text is what a person asks for: words, identifiers and "phrases" in quotation
	// marks. The last word may be the beginning of one, unless a space follows it. There
	// are no operators.
	Text string
	// Types, when there are any, keep the instances of these and of their subtypes.
	Types []*schema.Type
	// Limit is the maximum number of nodes, 10 if it is 0; Offset skips the first ones, for the next page.
	Limit, Offset int
	// Vector is the unit vector of Text, of the model that made those of the file. Nodes with embedded texts that are near to
	// it are found, too, and fused with those found by words; without one nodes are found by words alone. It must only be
	// given where [Reader.SearchesMeaning].
	Vector []float32
	// Explain fills [SearchHit.Why].
	Explain bool
}

// Matching says how the words were matched.
type Matching string

const (
	// MatchedAll means that one text has all words, each in some form: one of each hit but those that are Partial.
	MatchedAll Matching = "all"
	// MatchedCorrected is MatchedAll after unknown words were replaced by similar ones; see
	// [SearchResult.Corrections].
	MatchedCorrected Matching = "corrected"
	// MatchedAny says that no text had all words; the hits have some of them.
	MatchedAny Matching = "any"
	// MatchedMeaning says that hits by words and by meaning are fused: a hit may have some of the words, or none.
	MatchedMeaning Matching = "meaning"
)

// SearchResult is the result of a search, best hits first.
type SearchResult struct {
	Hits []SearchHit
	// More reports that there is another page. It begins at the offset of this one plus its number of hits.
	More bool
	// Bounded reports that there may be other nodes than those of all pages: the work of a search is bounded, and it did not
	// look at all texts with its words.
	Bounded bool
	// Matching says how the words were taken.
	Matching Matching
	// Corrections are the words that were replaced, in the order of the text.
	Corrections []Correction
	// Refused is how many texts of the file have no vector, because the endpoint of embeddings has refused them. It is counted by a
	// search by meaning.
	Refused int64
	// Phrases are those of a search that finds nothing, if it finds nodes without their quotation marks.
	Phrases []string
	// Left says in sentences which values of properties were not looked at, so that there may be other nodes.
	Left  []string
	query fulltext.Query
}

// ToldNothing says why a search finds nothing, and what to do.
func (r SearchResult) ToldNothing() string {
	if len(r.Phrases) == 0 {
		return "nothing has any of these words; try others, or list a type"
	}
	what, others := "the phrase ", ""
	if len(r.Phrases) > 1 {
		what = "any of the phrases "
	}
	if len(r.query.Terms) > len(r.Phrases) {
		others = ", nor any of the other words"
	}
	return "no text has " + what + strings.Join(r.Phrases, ", ") + others + "; leave the quotation marks out, and texts with some of the words are found"
}

// ToldRefused says of how many texts a search by meaning had no vector, "" if of none.
func (r SearchResult) ToldRefused() string {
	if r.Refused == 0 {
		return ""
	}
	return fmt.Sprintf("%d texts were refused by the endpoint, and are found by words alone; trails doctor says which, and trails embed FILE --refused asks again", r.Refused)
}

// Correction is a word of the text and its replacement.
type Correction struct{ Word, Instead string }

// SearchHit is a node that a search found.
type SearchHit struct {
	// Described has the node's IRI, id, label and most special type.
	Described
	// Classes are the node's types that the schema does not know, when it knows none.
	Classes []rdf.IRI
	// Property is the predicate of the best text, and PropertyName its name for people. They are empty if the node's
	// id matched.
	Property     rdf.IRI
	PropertyName string
	// Text is the whole best text; nil if the id matched. See [SearchResult.Snippet].
	Text rdf.Term
	// Partial means that no text of the node has all words. Such hits fill the page, after all others.
	Partial bool
	// Score orders the hits that are Partial and those that are not, and means nothing else.
	Score float64
	// Why says why the hit stands where it does; nil unless the search asks for it.
	Why *Why
}

// Snippet returns the part of a hit's text to show: the some 160 characters that say most of what was searched, with
// an ellipsis where it is cut.
func (r SearchResult) Snippet(h SearchHit) string {
	if h.Text == nil {
		return ""
	}
	return fulltext.Snippet(rdf.Lexical(h.Text), r.query)
}

// Bounds of a search.
const (
	defaultHits = 10
	maxHits     = 100
	maxOffset   = 1_000
)

// The weights of a text, besides its words.
const (
	labelBoost  = 2.0  // factor of the words of a label
	exactID     = 1000 // the node's id is the whole search text
	exactLabel  = 500
	exactText   = 200
	beginsLabel = 40
	wholeLabel  = 10 // all words are in the label
)

// Search finds nodes by their texts, which are all strings and texts with a language that
// nodes have, but for the properties of which the schema says search: false; and by their
// ids. First it takes nodes of which one text has all words; when there are none, it
// corrects words that are in no text. When the page is not full, nodes with some of the words
// follow, unless the text is the id or the label of a node. Common words, such as "the",
// need not be there. A number, a day, a month or a year is found as a value of properties, too,
// as if it stood in each text of the node.
//
// Among those with all words and among the others, the best come first: those whose id or label is the text, then by how rare the words are
// and how much of a text they make up (BM25), labels before other texts. Equal ones are in
// the order of their IRIs. The work is bounded whatever the words; see Bounded. A text without
// words, of more than 2,000 bytes or 50 words, a limit above 100 and an offset above 1,000
// are fault.InvalidArguments.
func (s *Reader) Search(ctx context.Context, search Search) (SearchResult, error) {
	if search.Limit == 0 {
		search.Limit = defaultHits
	}
	if search.Limit < 0 || search.Limit > maxHits {
		return SearchResult{}, fault.Argument("limit", fault.MaxValue, search.Limit, "limit must lie between 1 and 100")
	}
	if search.Offset < 0 || search.Offset > maxOffset {
		return SearchResult{}, fault.Argument("offset", fault.MaxValue, search.Offset, "offset must lie between 0 and 1000; narrow the search instead")
	}
	f, all, out, err := s.found(ctx, search)
	if err == nil && len(all) == 0 {
		out.Phrases, err = s.withoutQuotes(ctx, search)
	}
	if err != nil {
		return SearchResult{}, err
	}
	out.Hits, err = f.page(ctx, all)
	out.More = len(all) > search.Offset+len(out.Hits)
	return out, err
}

// withoutQuotes returns the phrases of a search that finds nothing, each in quotation marks, if it finds nodes without these.
func (s *Reader) withoutQuotes(ctx context.Context, search Search) (phrases []string, err error) {
	query, err := fulltext.Parse(search.Text)
	for _, t := range query.Terms {
		if t.Phrase {
			phrases = append(phrases, `"`+strings.TrimSpace(t.Text)+`"`)
		}
	}
	if err != nil || len(phrases) == 0 {
		return nil, err
	}
	search.Text, search.Offset = strings.ReplaceAll(search.Text, `"`, " "), 0
	if _, err := fulltext.Parse(search.Text); err != nil {
		return nil, nil // more words than a search takes
	}
	if _, all, _, err := s.found(ctx, search); err != nil || len(all) == 0 {
		return nil, err
	}
	return phrases, nil
}

// found are all nodes that a search finds, the best first.
func (s *Reader) found(ctx context.Context, search Search) (*finding, []*nodeFound, SearchResult, error) {
	query, err := fulltext.Parse(search.Text)
	if err != nil {
		return nil, nil, SearchResult{}, err
	}
	f := &finding{Reader: s, search: search, labels: s.labelProperties(), unsearched: s.unsearched()}
	if err := f.byID(ctx, strings.TrimSpace(search.Text)); err != nil {
		return nil, nil, SearchResult{}, err
	}
	out := SearchResult{Matching: MatchedAll, query: query}
	texts, err := f.finder(ctx, query)
	if err != nil {
		return nil, nil, SearchResult{}, err
	}
	more, err := f.byWords(ctx, texts, query)
	if err == nil && len(f.found) == 0 {
		out.Matching = MatchedAny
		corrected, corrections, failed := s.Corrected(ctx, query)
		if err = failed; err == nil && len(corrections) > 0 {
			out.Corrections, out.query = corrections, corrected
			if texts, err = f.finder(ctx, corrected); err == nil {
				more, err = f.byWords(ctx, texts, corrected)
			}
			if len(f.found) > 0 {
				out.Matching = MatchedCorrected
			}
		}
	}
	whole := search.Offset + search.Limit
	if len(search.Vector) > 0 {
		whole = max(whole, fulltext.Deepest) // so that ranks are the same on each page
	}
	if err == nil && len(f.found) <= whole && out.query.Several() && !f.named() {
		f.partial = true
		others, failed := f.byText(ctx, texts, db.MatchAny)
		more, err = more || others, failed
	}
	if err != nil {
		return nil, nil, SearchResult{}, err
	}
	f.addValues()
	if texts != nil {
		f.goals = texts.Goals()
	}
	all := f.ranked()
	if len(search.Vector) > 0 && !f.named() {
		var near []*nodeFound
		if near, out.Refused, err = f.nearest(ctx); err != nil {
			return nil, nil, SearchResult{}, err
		}
		if len(near) > 0 {
			all, out.Matching = fuse(all, near), MatchedMeaning
		}
	}
	if out.Bounded, out.Left = more, f.values.left; len(all) > maxOffset {
		all, out.Bounded = all[:maxOffset], true
	}
	return f, all, out, nil
}

// labelProperties are the predicates that label instances of some type.
func (s *Reader) labelProperties() map[rdf.IRI]bool {
	labels := map[rdf.IRI]bool{rdf.Label: true}
	for _, t := range s.schema.Types {
		if p := s.schema.Property(t, s.schema.LabelOf(t)); p != nil {
			labels[p.IRI] = true
		}
	}
	return labels
}

// unsearched maps each predicate that some types exclude from search to these types and their subtypes.
func (s *Reader) unsearched() map[rdf.IRI][]*schema.Type {
	out := map[rdf.IRI][]*schema.Type{}
	for _, t := range s.schema.Types {
		for _, p := range t.Properties {
			if p.Unsearched {
				out[p.IRI] = append(out[p.IRI], s.schema.Subtypes(t)...)
			}
		}
	}
	return out
}

// Corrected replaces the words of a query that no text has by those that are near.
func (s *Reader) Corrected(ctx context.Context, q fulltext.Query) (fulltext.Query, []Correction, error) {
	var list []Correction
	text := q.Text
	for _, t := range q.Terms {
		if t.Common || t.Phrase || len(t.Parts) > 1 {
			continue
		}
		instead, err := s.source.Spelling(ctx, t.Parts[0])
		if err != nil {
			return q, nil, err
		}
		if instead != "" {
			list = append(list, Correction{t.Text, instead})
			text = strings.Replace(text, t.Text, instead, 1)
		}
	}
	if len(list) == 0 {
		return q, nil, nil
	}
	corrected, err := fulltext.Parse(text)
	return corrected, list, err
}

// finding collects the nodes that a search finds.
type finding struct {
	*Reader
	search     Search
	labels     map[rdf.IRI]bool
	unsearched map[rdf.IRI][]*schema.Type
	found      map[rdf.Term]*nodeFound
	partial    bool // texts with some of the words are taken
	goals      []fulltext.Goal
	values     valuesNamed
}

// named reports whether the text is the id or the label of a node. Then nothing else is meant.
func (f *finding) named() bool {
	for _, n := range f.found {
		if n.boost >= exactLabel {
			return true
		}
	}
	return false
}

// nodeFound is a node with the best that its texts say of each word.
type nodeFound struct {
	node     rdf.Term
	terms    []termFound
	boost    float64
	boostFor Boost
	best     float64 // score of the text that is shown
	property rdf.IRI
	text     rdf.Term
	partial  bool // no text has all words
	// What meaning adds: the similarity of the nearest text and its property, the places in both rankings, 0 for none, and
	// the fused score.
	similarity         float64
	similar            rdf.IRI
	byWords, byMeaning int
	fused              float64
}

// termFound is the best score of one word, and the property of the text or value that has it. weight is that of a value.
type termFound struct {
	score    float64
	property rdf.IRI
	weight   float64
}

func (n *nodeFound) score() float64 {
	sum := n.boost
	for _, term := range n.terms {
		sum += term.score
	}
	return sum
}

// tier is 0 for a node of which a text has all words, and 1 for one that has some; the former come first.
func (n *nodeFound) tier() int {
	if n.partial {
		return 1
	}
	return 0
}

func (f *finding) node(node rdf.Term) *nodeFound {
	if f.found == nil {
		f.found = map[rdf.Term]*nodeFound{}
	}
	n := f.found[node]
	if n == nil {
		n = &nodeFound{node: node, best: -1, partial: f.partial}
		f.found[node] = n
	}
	return n
}

// byID finds the nodes whose id within a type, or whose whole IRI, is the text.
func (f *finding) byID(ctx context.Context, id string) error {
	types := f.search.Types
	if len(types) == 0 {
		types = f.schema.Types
	}
	for _, t := range types {
		for _, node := range f.candidates(t, id) {
			found, err := f.DeclaredTypes(ctx, node)
			if err != nil {
				return err
			}
			if f.anyOf(t, found) {
				n := f.node(node)
				n.boost, n.boostFor = exactID, BoostID
			}
		}
	}
	return nil
}

// finder prepares the search for the texts of the nodes; nil means that no node can be of the types.
func (f *finding) finder(ctx context.Context, q fulltext.Query) (*db.TextFinder, error) {
	search := db.TextSearch{Query: q, Classes: f.classes()}
	if len(f.search.Types) > 0 && len(search.Classes) == 0 {
		return nil, nil // abstract types without subtypes
	}
	return f.source.FindTexts(ctx, search)
}

// classes are those of the types that are searched; none if all are.
func (f *finding) classes() (list []rdf.IRI) {
	for _, t := range f.search.Types {
		for _, own := range f.schema.Concrete(t) {
			list = append(list, own.IRI)
		}
	}
	return list
}

// byWords finds the nodes with all words of a query, in one text or as values of properties, too.
func (f *finding) byWords(ctx context.Context, texts *db.TextFinder, query fulltext.Query) (more bool, err error) {
	more, err = f.byText(ctx, texts, db.MatchAll)
	if err != nil {
		return false, err
	}
	others, err := f.byValue(ctx, texts, query)
	return more || others, err
}

// byText finds the nodes of which a text fits.
func (f *finding) byText(ctx context.Context, texts *db.TextFinder, matching db.Matching) (more bool, err error) {
	if texts == nil {
		return false, nil
	}
	return texts.Texts(matching, func(hits []db.TextHit) (bool, error) {
		for _, hit := range hits {
			if err := f.take(ctx, hit); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// isSearched reports whether a node's values of a property are searched, which some types may exclude.
func (f *finding) isSearched(ctx context.Context, node rdf.Term, property rdf.IRI) (bool, error) {
	kept := f.unsearched[property]
	if len(kept) == 0 {
		return true, nil
	}
	types, err := f.DeclaredTypes(ctx, node)
	return !slices.ContainsFunc(types, func(t *schema.Type) bool { return slices.Contains(kept, t) }), err
}

func (f *finding) take(ctx context.Context, hit db.TextHit) error {
	if is, err := f.isSearched(ctx, hit.Subject, hit.Property); err != nil || !is {
		return err
	}
	n := f.node(hit.Subject)
	if f.partial && !n.partial {
		return nil // its place among those with all words stays, whatever page is asked for
	}
	// A text shared by many nodes says little about each.
	share := 1 / (1 + math.Log(float64(hit.Shared)))
	boost, boostFor, text := 0.0, Boost(""), 0.0
	label := f.labels[hit.Property]
	if label {
		share *= labelBoost
	}
	switch {
	case label && hit.Score.Same:
		boost, boostFor = exactLabel, BoostLabel
	case hit.Score.Same:
		boost, boostFor = exactText/float64(hit.Shared), BoostText
	case label && hit.Score.Begins:
		boost, boostFor = beginsLabel, BoostBegins
	case label && hit.Score.All:
		boost, boostFor = wholeLabel, BoostWhole
	}
	if missing := len(hit.Score.Terms) - len(n.terms); missing > 0 {
		n.terms = append(n.terms, make([]termFound, missing)...)
	}
	for i, score := range hit.Score.Terms {
		if worth := share * score; worth > n.terms[i].score || worth == n.terms[i].score && hit.Property < n.terms[i].property {
			n.terms[i] = termFound{worth, hit.Property, 0}
		}
		text += share * score
	}
	if boost > n.boost {
		n.boost, n.boostFor = boost, boostFor
	}
	if text += boost; text > n.best || text == n.best && hit.Property < n.property {
		n.best, n.property, n.text = text, hit.Property, hit.Text
	}
	return nil
}

// ranked are the nodes found by words, the best first.
func (f *finding) ranked() []*nodeFound {
	type scored struct {
		*nodeFound
		score float64
	}
	list := make([]scored, 0, len(f.found))
	for _, n := range f.found {
		list = append(list, scored{n, n.score()})
	}
	slices.SortFunc(list, func(a, b scored) int {
		if by := cmp.Or(cmp.Compare(a.tier(), b.tier()), cmp.Compare(b.score, a.score)); by != 0 {
			return by
		}
		return cmp.Compare(nodeText(a.node), nodeText(b.node))
	})
	all := make([]*nodeFound, len(list))
	for i, n := range list {
		all[i] = n.nodeFound
	}
	return all
}

// page describes the nodes of the page that was asked for.
func (f *finding) page(ctx context.Context, all []*nodeFound) ([]SearchHit, error) {
	all = all[min(f.search.Offset, len(all)):]
	all = all[:min(f.search.Limit, len(all))]
	nodes := make([]rdf.Term, len(all))
	for i, n := range all {
		nodes[i] = n.node
	}
	described, err := f.DescribeAll(ctx, nodes)
	if err != nil {
		return nil, err
	}
	hits := make([]SearchHit, len(all))
	for i, n := range all {
		h := SearchHit{Described: described[i], Property: n.property, Text: n.text, Partial: n.partial, Score: n.score()}
		if n.text != nil {
			h.PropertyName = f.PropertyName(h.Type, n.property)
		}
		if f.search.Explain {
			h.Why = n.why(f.search.Offset+i+1, f.goals, func(property rdf.IRI) string { return f.PropertyName(h.Type, property) })
		}
		if h.Type == nil {
			classes, err := f.source.Values(ctx, n.node, rdf.Type, typesRead, 0)
			if err != nil {
				return nil, err
			}
			for _, class := range classes {
				if iri, ok := class.(rdf.IRI); ok {
					h.Classes = append(h.Classes, iri)
				}
			}
		}
		hits[i] = h
	}
	return hits, nil
}
