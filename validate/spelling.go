package validate

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"trails/rdf"
)

// A text may have several encodings in Unicode: é is one character, or e followed by an accent. Unique values are
// compared in form NFC (Unicode Standard Annex 15), but the graph stores texts as given and finds them by bytes. So
// all encodings of a text are looked up.

// maxSpellings bounds them, because each letter with two encodings doubles their number. Beyond it only the given
// text and its NFC and NFD forms are used.
const maxSpellings = 64

// spellings are the pairs with all encodings of their texts, the given ones first.
func spellings(pairs []rdf.PredicateObject) [][]rdf.PredicateObject {
	all, forms := [][]rdf.PredicateObject{nil}, 1
	for _, pair := range pairs {
		terms := spelled(pair.O)
		if forms *= len(terms); forms > maxSpellings {
			return [][]rdf.PredicateObject{pairs, inForm(norm.NFC, pairs), inForm(norm.NFD, pairs)}
		}
		var longer [][]rdf.PredicateObject
		for _, begun := range all {
			for _, t := range terms {
				longer = append(longer, append(slices.Clip(begun), rdf.PredicateObject{P: pair.P, O: t}))
			}
		}
		all = longer
	}
	return all
}

func inForm(form norm.Form, pairs []rdf.PredicateObject) []rdf.PredicateObject {
	out := slices.Clone(pairs)
	for i, pair := range out {
		out[i].O = withText(pair.O, form.String(rdf.Lexical(pair.O)))
	}
	return out
}

// spelled are a literal with all encodings of its text, the given one first; if there are more than [maxSpellings],
// some of them.
func spelled(t rdf.Term) []rdf.Term {
	text := rdf.Lexical(t)
	isASCII := !slices.ContainsFunc([]byte(text), func(c byte) bool { return c >= utf8.RuneSelf })
	if !rdf.IsLiteral(t) || isASCII {
		return []rdf.Term{t}
	}
	all := []string{""}
	var letters norm.Iter
	letters.InitString(norm.NFD, text)
	for at := 0; !letters.Done() && len(all) <= maxSpellings; at = letters.Pos() {
		decomposed := string(letters.Next())
		ways := []string{text[at:letters.Pos()]}
		for _, way := range []string{norm.NFC.String(decomposed), decomposed} {
			if !slices.Contains(ways, way) {
				ways = append(ways, way)
			}
		}
		longer := make([]string, 0, len(all)*len(ways))
		for _, begun := range all {
			for _, way := range ways {
				longer = append(longer, begun+way)
			}
		}
		all = longer
	}
	terms := make([]rdf.Term, len(all))
	for i, text := range all {
		terms[i] = withText(t, text)
	}
	return terms
}

// withText is a literal with another text and the same datatype and language; other terms are unchanged.
func withText(t rdf.Term, text string) rdf.Term {
	switch t := t.(type) {
	case rdf.String:
		return rdf.String(text)
	case rdf.LangString:
		t.Value = rdf.String(text)
		return t
	case rdf.TypedString:
		t.Value = rdf.String(text)
		return t
	}
	return t
}
