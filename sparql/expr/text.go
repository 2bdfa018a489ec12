package expr

import (
	"math"
	"strings"
	"unicode/utf8"

	"trails/rdf"
	"trails/rdf/xsd"
)

// literal is a string literal (section 17.4.3): a plain text, or one with a tag.
type literal struct {
	text, tag string
	tagged    bool
}

func stringLiteral(t rdf.Term) (literal, bool) {
	switch t := t.(type) {
	case rdf.String:
		return literal{text: string(t)}, true
	case rdf.LangString:
		return literal{text: string(t.Value), tag: t.Lang, tagged: true}, true
	}
	return literal{}, false
}

// with returns a literal with another text and the same language.
func (l literal) with(text string) rdf.Term {
	if l.tagged {
		return rdf.LangLiteral(text, l.tag)
	}
	return rdf.String(text)
}

// compatible is a function of two string literals that are argument compatible (section 17.4.3.1.2): the second has
// no language, or the same as the first.
func compatible(f func(a, b literal) (value, error)) function {
	return binary(func(a, b rdf.Term) (value, error) {
		la, oka := stringLiteral(a)
		lb, okb := stringLiteral(b)
		if !oka || !okb || lb.tagged && !(la.tagged && la.tag == lb.tag) {
			return failed(ErrType)
		}
		return f(la, lb)
	})
}

// beside is STRBEFORE and STRAFTER: the part of the first text before or after the second.
func beside(part func(before, after string) string) function {
	return compatible(func(a, b literal) (value, error) {
		if before, after, found := strings.Cut(a.text, b.text); found {
			return of(a.with(part(before, after)))
		}
		return of(emptyText)
	})
}

func strlen(t rdf.Term) (value, error) {
	l, ok := stringLiteral(t)
	if !ok {
		return failed(ErrType)
	}
	return ofNumber(xsd.Integer(int64(utf8.RuneCountInString(l.text))))
}

// substr is fn:substring: the characters whose positions, from 1, are at least the
// rounded start and below it plus the rounded length.
func substr(_ Env, args []value) (value, error) {
	l, ok := stringLiteral(args[0].term)
	if !ok {
		return failed(ErrType)
	}
	start, ok := position(args[1])
	if !ok {
		return failed(ErrType)
	}
	end := math.Inf(1)
	if len(args) == 3 {
		length, ok := position(args[2])
		if !ok {
			return failed(ErrType)
		}
		end = start + length
	}
	return of(l.with(between(l.text, start, end)))
}

func position(v value) (float64, bool) {
	n, ok := v.number()
	if !ok {
		return 0, false
	}
	return n.Round().Float64(), true
}

func between(s string, start, end float64) string {
	at, from, to := 0.0, len(s), len(s)
	for i := range s {
		at++
		if from == len(s) && at >= start && at < end {
			from = i
		}
		if from < len(s) && at >= end {
			to = i
			break
		}
	}
	return s[from:to]
}

// concat is CONCAT (section 17.4.3.12): the result has a language if all arguments have the same.
func concat(_ Env, args []value) (value, error) {
	var out strings.Builder
	var first literal
	for i, arg := range args {
		l, ok := stringLiteral(arg.term)
		if !ok {
			return failed(ErrType)
		}
		if out.Len()+len(l.text) > MaxText {
			return failed(errTooLong("CONCAT"))
		}
		if i == 0 {
			first = l
		}
		first.tagged = first.tagged && l.tagged && first.tag == l.tag
		out.WriteString(l.text)
	}
	return of(first.with(out.String()))
}

// langMatches is basic filtering of RFC 4647, section 3.3.1.
func langMatches(tag, pattern rdf.Term) (value, error) {
	t, oka := isText(tag)
	p, okb := isText(pattern)
	if !oka || !okb {
		return failed(ErrType)
	}
	return ofBool(rdf.LangMatches(t, p))
}

const upperHex = "0123456789ABCDEF"

// encodeForURI is fn:encode-for-uri: all but the unreserved characters of RFC 3986.
func encodeForURI(t rdf.Term) (value, error) {
	l, ok := stringLiteral(t)
	if !ok {
		return failed(ErrType)
	}
	if len(l.text) > MaxText/3 {
		return failed(errTooLong("ENCODE_FOR_URI"))
	}
	out := make([]byte, 0, len(l.text)+16)
	for i := range len(l.text) {
		if c := l.text[i]; rdf.IsLetter(c) || rdf.IsDigit(c) || strings.IndexByte("-_.~", c) >= 0 {
			out = append(out, c)
		} else {
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return ofText(string(out))
}
