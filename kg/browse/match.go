package browse

import (
	"context"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/text/fulltext"
)

// MaxMatches is the maximum number of nodes that a [Match] finds.
const MaxMatches = 1000

// Match is a search for nodes whose hits are bindings of a query: see [Search] for Text, Types and Vector, and the words.
type Match struct {
	Search
	// By says what finds nodes.
	By MatchBy
}

// MatchBy is what finds nodes for a [Match].
type MatchBy string

const (
	// MatchByBoth is by words, and by meaning where there is a vector.
	MatchByBoth MatchBy = ""
	// MatchByMeaning is by the vector alone.
	MatchByMeaning MatchBy = "meaning"
	// MatchByAllWords leaves out nodes of which no text has all words.
	MatchByAllWords MatchBy = "allWords"
)

// Matched are the nodes that a [Match] finds, the best first.
type Matched struct {
	Nodes []NodeMatched
	// SearchResult has no hits. More reports that there are or may be other nodes.
	SearchResult
	// Partial are so many of the nodes of which no text has all words, and that were found by words.
	Partial int
}

// NodeMatched is a node that a [Match] finds.
type NodeMatched struct {
	Node rdf.Term
	// Score is greater the better, above 0 and at most 1. It is made of the node's places among those that the reader sees,
	// so that it tells nothing of others.
	Score float64
	// Passage is the part of the best text that [SearchResult.Snippet] shows, in the language of the text, and Property its
	// predicate; nil and empty if the id of the node was found.
	Passage  rdf.Term
	Property rdf.IRI
}

// Matches finds nodes as [Reader.Search] does, up to Limit from the first on, without describing them. A limit outside of 1 to
// 1,000 is fault.InvalidArguments.
func (s *Reader) Matches(ctx context.Context, m Match) (out Matched, err error) {
	if m.Limit < 1 || m.Limit > MaxMatches {
		return out, fault.Argument("limit", fault.MaxValue, m.Limit, "limit must lie between 1 and 1000")
	}
	m.Offset = 0
	var all []*nodeFound
	if m.By == MatchByMeaning {
		all, out.SearchResult, err = s.meant(ctx, m.Search)
	} else {
		_, all, out.SearchResult, err = s.found(ctx, m.Search)
		if err == nil && len(all) == 0 {
			out.Phrases, err = s.withoutQuotes(ctx, m.Search)
		}
	}
	if err != nil {
		return out, err
	}
	out.More = out.Bounded || len(out.Left) > 0
	for place, n := range all {
		if m.By == MatchByAllWords && (n.partial || out.Matching == MatchedAny) {
			continue
		}
		if len(out.Nodes) == m.Limit {
			out.More = true
			break
		}
		one := NodeMatched{Node: n.node, Score: n.fused, Property: n.property}
		if one.Score == 0 {
			one.Score = fulltext.Worth(place)
		}
		if text, found := n.text.(rdf.LangString); found {
			one.Passage = rdf.LangLiteral(fulltext.Snippet(string(text.Value), out.query), string(text.Lang))
		} else if n.text != nil {
			one.Passage = rdf.Literal(fulltext.Snippet(rdf.Lexical(n.text), out.query), "")
		}
		if out.Nodes = append(out.Nodes, one); n.partial || out.Matching == MatchedAny {
			out.Partial++
		}
	}
	return out, nil
}

// meant are the nodes that a search finds by its vector alone, the nearest first.
func (s *Reader) meant(ctx context.Context, search Search) ([]*nodeFound, SearchResult, error) {
	out := SearchResult{Matching: MatchedMeaning}
	var err error
	if out.query, err = fulltext.Parse(strings.TrimSpace(search.Text)); err != nil {
		return nil, out, err
	}
	f := &finding{Reader: s, search: search}
	near, refused, err := f.nearest(ctx)
	out.Refused = refused
	out.Bounded = len(near) == fulltext.Deepest
	return near, out, err
}
