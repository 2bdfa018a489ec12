package naive

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"trails/rdf"
)

// asString is the argument "string literal" of section 17.4.3: a simple literal, an
// xsd:string, or one with a language.
func asString(t rdf.Term) (string, error) {
	switch rdf.DatatypeOf(t) {
	case rdf.XSDString, rdf.RDFLangString:
		return rdf.Lexical(t), nil
	}
	return "", errType
}

// asSimple is the argument "simple literal".
func asSimple(t rdf.Term) (string, error) {
	if rdf.DatatypeOf(t) != rdf.XSDString {
		return "", errType
	}
	return rdf.Lexical(t), nil
}

// like returns a string literal with the language of t (section 17.4.3.1.1).
func like(t rdf.Term, text string) rdf.Term {
	if lang, ok := rdf.LangOf(t); ok {
		return rdf.LangLiteral(text, lang)
	}
	return rdf.String(text)
}

// compatibleStrings is section 17.4.3.1.2, argument compatibility.
func compatibleStrings(a, b rdf.Term) (x, y string, err error) {
	if x, err = asString(a); err != nil {
		return "", "", err
	}
	if y, err = asString(b); err != nil {
		return "", "", err
	}
	if lang, tagged := rdf.LangOf(b); tagged && lang != tag(a) {
		return "", "", errType
	}
	return x, y, nil
}

// strlen is section 17.4.3.2, in code points.
func strlen(a []rdf.Term) (rdf.Term, error) {
	text, err := asString(a[0])
	return integer(utf8.RuneCountInString(text)), err
}

// substr is section 17.4.3.3, fn:substring: the characters at positions p, from 1,
// with round(start) <= p < round(start) + round(length).
func substr(a []rdf.Term) (rdf.Term, error) {
	text, err := asString(a[0])
	if err != nil {
		return nil, err
	}
	start, err := roundedDouble(a[1])
	if err != nil {
		return nil, err
	}
	end := math.Inf(1)
	if len(a) == 3 {
		length, err := roundedDouble(a[2])
		if err != nil {
			return nil, err
		}
		end = start + length
	}
	var out strings.Builder
	position := 0.0
	for _, r := range text {
		position++
		if start <= position && position < end {
			out.WriteRune(r)
		}
	}
	return like(a[0], out.String()), nil
}

func roundedDouble(t rdf.Term) (float64, error) {
	n, err := asNumber(t)
	if err != nil {
		return 0, err
	}
	return roundFloat(n.promoted(doubleKind).floating), nil
}

// mapped is UCASE or LCASE (17.4.3.4, 17.4.3.5).
func mapped(change func(string) string) func([]rdf.Term) (rdf.Term, error) {
	return func(a []rdf.Term) (rdf.Term, error) {
		text, err := asString(a[0])
		return like(a[0], change(text)), err
	}
}

// compares is STRSTARTS, STRENDS or CONTAINS (17.4.3.6 to 17.4.3.8).
func compares(holds func(text, part string) bool) func([]rdf.Term) (rdf.Term, error) {
	return func(a []rdf.Term) (rdf.Term, error) {
		x, y, err := compatibleStrings(a[0], a[1])
		return boolean(holds(x, y)), err
	}
}

// strbefore is section 17.4.3.9; without a match the result is an empty simple literal.
func strbefore(a []rdf.Term) (rdf.Term, error) {
	x, y, err := compatibleStrings(a[0], a[1])
	before, _, found := strings.Cut(x, y)
	if !found {
		return simple(""), err
	}
	return like(a[0], before), err
}

// strafter is section 17.4.3.10.
func strafter(a []rdf.Term) (rdf.Term, error) {
	x, y, err := compatibleStrings(a[0], a[1])
	_, after, found := strings.Cut(x, y)
	if !found {
		return simple(""), err
	}
	return like(a[0], after), err
}

// encode is section 17.4.3.11, fn:encode-for-uri: all but unreserved characters.
func encode(a []rdf.Term) (rdf.Term, error) {
	text, err := asString(a[0])
	if err != nil {
		return nil, err
	}
	const hex, unreserved = "0123456789ABCDEF", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(unreserved, c) >= 0 {
			out.WriteByte(c)
		} else {
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return simple(out.String()), nil
}

// concat is section 17.4.3.12: the result has a language if all arguments have the same.
func concat(a []rdf.Term) (rdf.Term, error) {
	all := ""
	lang, agree := "", len(a) > 0
	for i, t := range a {
		text, err := asString(t)
		if err != nil {
			return nil, err
		}
		all += text
		if i == 0 {
			lang = tag(t)
		}
		agree = agree && tag(t) == lang
	}
	if agree && lang != "" {
		return rdf.LangLiteral(all, lang), nil
	}
	return simple(all), nil
}

// langMatches is section 17.4.3.13, basic filtering of RFC 4647 section 3.3.1.
func langMatches(a []rdf.Term) (rdf.Term, error) {
	lang, err := asSimple(a[0])
	if err != nil {
		return nil, err
	}
	want, err := asSimple(a[1])
	if err != nil {
		return nil, err
	}
	lang, want = strings.ToLower(lang), strings.ToLower(want)
	if want == "*" {
		return boolean(lang != ""), nil
	}
	return boolean(lang == want || want != "" && strings.HasPrefix(lang, want+"-")), nil
}

// regex is section 17.4.3.14, fn:matches.
func regex(a []rdf.Term) (rdf.Term, error) {
	text, err := asString(a[0])
	if err != nil {
		return nil, err
	}
	re, err := compiled(a[1], a[2:])
	if err != nil {
		return nil, err
	}
	return boolean(re.MatchString(text)), nil
}

// compiled is a regular expression of XPath Functions section 5.6.1 with its flags.
func compiled(pattern rdf.Term, rest []rdf.Term) (*regexp.Regexp, error) {
	text, err := asSimple(pattern)
	if err != nil {
		return nil, err
	}
	flags := ""
	if len(rest) > 0 {
		if flags, err = asSimple(rest[0]); err != nil {
			return nil, err
		}
	}
	prefix := ""
	for _, f := range flags {
		switch f {
		case 'i', 's', 'm':
			prefix += "(?" + string(f) + ")"
		case 'x':
			text = strings.Join(strings.Fields(text), "")
		case 'q':
		default:
			return nil, errType
		}
	}
	if strings.Contains(flags, "q") {
		text = regexp.QuoteMeta(text)
	}
	re, err := regexp.Compile(prefix + text)
	if err != nil {
		return nil, errType
	}
	return re, nil
}

// replace is section 17.4.3.15, fn:replace. A pattern that matches the empty string is an error.
func replace(a []rdf.Term) (rdf.Term, error) {
	text, err := asString(a[0])
	if err != nil {
		return nil, err
	}
	re, err := compiled(a[1], a[3:])
	if err != nil || re.MatchString("") {
		return nil, errType
	}
	with, err := asSimple(a[2])
	if err != nil {
		return nil, err
	}
	quoted := len(a) == 4 && strings.Contains(rdf.Lexical(a[3]), "q")
	var out strings.Builder
	at := 0
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		part := with
		if !quoted {
			if part, err = replacement(with, text, m); err != nil {
				return nil, err
			}
		}
		out.WriteString(text[at:m[0]] + part)
		at = m[1]
	}
	out.WriteString(text[at:])
	return like(a[0], out.String()), nil
}

// replacement replaces $1, $2 and so on by groups, reading as many digits as there are groups for. \$ and \\ stand
// for the characters; a backslash before any other character is an error.
func replacement(with, text string, m []int) (string, error) {
	groups := len(m)/2 - 1
	var out strings.Builder
	for i := 0; i < len(with); i++ {
		switch c := with[i]; {
		case c == '\\':
			i++
			if i == len(with) || with[i] != '\\' && with[i] != '$' {
				return "", errType
			}
			out.WriteByte(with[i])
		case c == '$':
			if i+1 == len(with) || !isDigit(with[i+1]) {
				return "", errType
			}
			i++
			n := int(with[i] - '0')
			for i+1 < len(with) && isDigit(with[i+1]) && n*10+int(with[i+1]-'0') <= groups {
				i++
				n = n*10 + int(with[i]-'0')
			}
			if n <= groups && m[2*n] >= 0 {
				out.WriteString(text[m[2*n]:m[2*n+1]])
			}
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
