package db

import (
	"context"
	"slices"
	"strings"
	"sync"

	"trails/db/inline"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/text/fulltext"
)

// freshText is a text that is not in the index of words yet.
type freshText struct {
	id    inline.TermID
	text  string
	words []int32 // indexes into freshTexts.words
	known int     // number of words of this text and those before it
}

// freshTexts are texts that are not in the index of words, cut into words.
type freshTexts struct {
	after, last inline.TermID // the texts have ids after the term after, up to and including the term last
	list        []freshText   // sorted by id
	words       []string      // the distinct words of the texts, as the index would have them
	places      map[string]int32
}

// freshCache keeps the texts that are not in the index yet, so that a search only splits texts that are newer than
// the last search. What it returned does not change: it only appends.
type freshCache struct {
	mu    sync.Mutex
	texts *freshTexts
}

// indexed returns the last term and the last one up to which texts are in the index.
func (c *conn) indexed() (last, indexed inline.TermID, err error) {
	err = c.Exec("SELECT max(id), (SELECT term FROM words_until) FROM terms", func(row *stmt.Stmt) error {
		last, indexed = row.ID(0), row.ID(1)
		return nil
	})
	return last, indexed, err
}

// freshTexts returns the texts that are newer than the index, which has those up to after, among the terms up to the last one.
// Terms that can still be rolled back are not cached.
func (r *Reader) freshTexts(ctx context.Context, after, last inline.TermID) (list []freshText, words []string, err error) {
	if last <= after {
		return nil, nil, nil
	}
	fresh := &freshTexts{after: after, last: after, places: map[string]int32{}}
	if kept := r.caches.fresh; r.dict.MayShare(last) {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if kept.texts == nil || kept.texts.after < after {
			kept.texts = fresh
		}
		if kept.texts.after == after {
			fresh = kept.texts
		}
	}
	if err := fresh.read(ctx, r.conn, last); err != nil {
		return nil, nil, err
	}
	n, _ := slices.BinarySearchFunc(fresh.list, last+1, func(f freshText, id inline.TermID) int { return int(f.id - id) })
	if n == 0 {
		return nil, nil, nil
	}
	return fresh.list[:n:n], fresh.words[:fresh.list[n-1].known], nil
}

// read adds the texts up to a term.
func (f *freshTexts) read(ctx context.Context, c *conn, last inline.TermID) error {
	if last <= f.last {
		return nil
	}
	var entry fulltext.Entry
	err := c.Exec(wordindex.NewTexts, func(row *stmt.Stmt) error {
		t := freshText{id: row.ID(0), text: row.ColumnText(1)}
		for word := range strings.FieldsSeq(entry.Of(t.text)) {
			at, known := f.places[word]
			if !known {
				at = int32(len(f.words))
				f.words = append(f.words, word)
				f.places[word] = at
			}
			t.words = append(t.words, at)
		}
		t.known = len(f.words)
		f.list, f.last = append(f.list, t), t.id
		return ctx.Err()
	}, f.last)
	if err == nil {
		f.last = last
	}
	return err
}

// commonCache keeps how many texts of the index have a common word: nearly each question has some, which are in the most texts
// of all. It is of one state of the index, and has as many entries as there are common words.
type commonCache struct {
	mu      sync.Mutex
	indexed inline.TermID
	texts   map[string]int64 // by the query of the index
}

// commonTexts counts the texts of the index that a common word matches, up to textsWeighed.
func (s *textSearch) commonTexts(match string) (n int64, err error) {
	kept := s.caches.common
	if s.dict.MayShare(s.indexed) {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if kept.texts == nil || kept.indexed < s.indexed {
			kept.indexed, kept.texts = s.indexed, map[string]int64{}
		}
		if n, known := kept.texts[match]; known && kept.indexed == s.indexed {
			return n, nil
		}
	}
	n, err = s.conn.Int64("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ? + 0)", match, textsWeighed)
	if err == nil && s.dict.MayShare(s.indexed) && kept.indexed == s.indexed {
		kept.texts[match] = n
	}
	return n, err
}

// freshWith returns the unindexed texts that have all words, except common words.
func (s *textSearch) freshWith() []freshText {
	list := s.fresh
	for _, g := range s.goals {
		if !g.Common {
			list = s.freshHaving(list, g)
		}
	}
	return list
}

// freshHaving returns those of some texts that match a goal. For phrases the text itself is compared.
func (s *textSearch) freshHaving(list []freshText, g fulltext.Goal) (having []freshText) {
	var ways [][][]bool // for each part of each alternative, the words that may stand for it
	for _, way := range g.Ways {
		var parts [][]bool
		for _, words := range way {
			may := s.freshWords(words)
			if may == nil {
				parts = nil
				break
			}
			parts = append(parts, may)
		}
		if len(parts) > 0 {
			ways = append(ways, parts)
		}
	}
	if len(ways) == 0 { // so it is of most words, and no text must be looked at
		return nil
	}
	for _, f := range list {
		hasPart := func(may []bool) bool {
			return slices.ContainsFunc(f.words, func(at int32) bool { return may[at] })
		}
		for _, parts := range ways {
			if !slices.ContainsFunc(parts, func(may []bool) bool { return !hasPart(may) }) {
				having = append(having, f)
				break
			}
		}
	}
	return having
}

// freshWords returns which words of the unindexed texts are among the given ones, nil if none is.
func (s *textSearch) freshWords(words []string) (among []bool) {
	var first [256]bool // whether a given word begins with a byte: few others do
	whole, begins := map[string]bool{}, []string{}
	for _, word := range words {
		if begin, open := strings.CutSuffix(word, fulltext.Onward); open {
			begins = append(begins, begin)
		} else {
			whole[word] = true
		}
		first[(word + fulltext.Onward)[0]] = true
	}
	for i, own := range s.vocabulary {
		if !first[own[0]] || !whole[own] && !slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(own, begin) }) {
			continue
		}
		if among == nil {
			among = make([]bool, len(s.vocabulary))
		}
		among[i] = true
	}
	return among
}
