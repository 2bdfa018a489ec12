package naive

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// functions are the functions of section 17.4 that depend only on their arguments.
var functions = map[sparql.Func]func([]rdf.Term) (rdf.Term, error){
	"SAMETERM":  func(a []rdf.Term) (rdf.Term, error) { return boolean(identical(a[0], a[1])), nil },
	"ISIRI":     func(a []rdf.Term) (rdf.Term, error) { return boolean(isIRI(a[0])), nil },
	"ISURI":     func(a []rdf.Term) (rdf.Term, error) { return boolean(isIRI(a[0])), nil },
	"ISBLANK":   func(a []rdf.Term) (rdf.Term, error) { return boolean(isBlank(a[0])), nil },
	"ISLITERAL": func(a []rdf.Term) (rdf.Term, error) { return boolean(rdf.IsLiteral(a[0])), nil },
	"ISNUMERIC": func(a []rdf.Term) (rdf.Term, error) { return boolean(kindOf(a[0]) == numeric), nil },
	"STR":       str,
	"LANG":      lang,
	"DATATYPE":  datatype,
	"STRDT":     strdt,
	"STRLANG":   strlang,

	"STRLEN":         strlen,
	"SUBSTR":         substr,
	"UCASE":          mapped(func(s string) string { return cases.Upper(language.Und).String(s) }),
	"LCASE":          mapped(func(s string) string { return cases.Lower(language.Und).String(s) }),
	"STRSTARTS":      compares(strings.HasPrefix),
	"STRENDS":        compares(strings.HasSuffix),
	"CONTAINS":       compares(strings.Contains),
	"STRBEFORE":      strbefore,
	"STRAFTER":       strafter,
	"ENCODE_FOR_URI": encode,
	"CONCAT":         concat,
	"LANGMATCHES":    langMatches,
	"REGEX":          regex,
	"REPLACE":        replace,

	"ABS":   func(a []rdf.Term) (rdf.Term, error) { return rounded(a[0], math.Abs, absRat) },
	"ROUND": func(a []rdf.Term) (rdf.Term, error) { return rounded(a[0], roundFloat, roundRat) },
	"CEIL":  func(a []rdf.Term) (rdf.Term, error) { return rounded(a[0], math.Ceil, ceilRat) },
	"FLOOR": func(a []rdf.Term) (rdf.Term, error) { return rounded(a[0], math.Floor, floorRat) },

	"YEAR":     field(func(m moment) rdf.Term { return plain(m.year) }),
	"MONTH":    field(func(m moment) rdf.Term { return plain(m.month) }),
	"DAY":      field(func(m moment) rdf.Term { return plain(m.day) }),
	"HOURS":    field(func(m moment) rdf.Term { return plain(m.hours) }),
	"MINUTES":  field(func(m moment) rdf.Term { return plain(m.minutes) }),
	"SECONDS":  field(moment.wholeSeconds),
	"TIMEZONE": field(moment.timezone),
	"TZ":       field(func(m moment) rdf.Term { return simple(m.zone) }),

	"MD5":    hash(func(b []byte) []byte { s := md5.Sum(b); return s[:] }),
	"SHA1":   hash(func(b []byte) []byte { s := sha1.Sum(b); return s[:] }),
	"SHA256": hash(func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }),
	"SHA384": hash(func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }),
	"SHA512": hash(func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }),
}

// special are the functions that depend on more than their arguments.
func (e *evaluator) special(f sparql.Func, args []rdf.Term, s scope) (rdf.Term, error) {
	switch f {
	case "IRI", "URI":
		return e.iri(args[0])
	case "BNODE":
		return e.bnode(args, s)
	case "NOW":
		return rdf.Literal(e.now.Format("2006-01-02T15:04:05.000Z07:00"), rdf.XSDDateTime), nil
	case "RAND":
		n, err := rand.Int(rand.Reader, big.NewInt(1<<53))
		if err != nil {
			return nil, err
		}
		return number{kind: doubleKind, floating: float64(n.Int64()) / (1 << 53)}.term(), nil
	case "UUID":
		return rdf.IRI("urn:uuid:" + uuid()), nil
	case "STRUUID":
		return simple(uuid()), nil
	default:
		return nil, errType
	}
}

func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// iri is section 17.4.2.8: relative IRIs resolve against the query's base.
func (e *evaluator) iri(t rdf.Term) (rdf.Term, error) {
	if isIRI(t) {
		return t, nil
	}
	if rdf.DatatypeOf(t) != rdf.XSDString {
		return nil, errType
	}
	iri, err := rdf.ResolveIRI(e.base, rdf.Lexical(t))
	if err != nil || notInIRIs.MatchString(iri) {
		return nil, errType
	}
	return rdf.IRI(iri), nil
}

// notInIRIs are the characters that the grammar's IRIREF excludes.
var notInIRIs = regexp.MustCompile("[<>\"{}|^`\\\\\\x00-\\x20]")

// bnode is section 17.4.2.9.
func (e *evaluator) bnode(args []rdf.Term, s scope) (rdf.Term, error) {
	if len(args) == 0 {
		return e.newBlank(), nil
	}
	if rdf.DatatypeOf(args[0]) != rdf.XSDString {
		return nil, errType
	}
	label := rdf.Lexical(args[0])
	if s.blanks[label] == nil {
		s.blanks[label] = e.newBlank()
	}
	return s.blanks[label], nil
}

// str is section 17.4.2.5.
func str(a []rdf.Term) (rdf.Term, error) {
	if isBlank(a[0]) {
		return nil, errType
	}
	return simple(rdf.Lexical(a[0])), nil
}

// lang is section 17.4.2.6.
func lang(a []rdf.Term) (rdf.Term, error) {
	if !rdf.IsLiteral(a[0]) {
		return nil, errType
	}
	return simple(tag(a[0])), nil
}

// datatype is section 17.4.2.7.
func datatype(a []rdf.Term) (rdf.Term, error) {
	if !rdf.IsLiteral(a[0]) {
		return nil, errType
	}
	return rdf.DatatypeOf(a[0]), nil
}

// strdt is section 17.4.2.10.
func strdt(a []rdf.Term) (rdf.Term, error) {
	if rdf.DatatypeOf(a[0]) != rdf.XSDString || !isIRI(a[1]) || a[1] == rdf.Term(rdf.RDFLangString) {
		return nil, errType
	}
	return rdf.Literal(rdf.Lexical(a[0]), rdf.IRI(rdf.Lexical(a[1]))), nil
}

// strlang is section 17.4.2.11.
func strlang(a []rdf.Term) (rdf.Term, error) {
	if rdf.DatatypeOf(a[0]) != rdf.XSDString || rdf.DatatypeOf(a[1]) != rdf.XSDString || !xsd.Valid(rdf.Lexical(a[1]), rdf.XSDNS+"language") {
		return nil, errType
	}
	return rdf.LangLiteral(rdf.Lexical(a[0]), rdf.Lexical(a[1])), nil
}

// hash is section 17.4.6, of the UTF-8 of a simple literal or xsd:string.
func hash(sum func([]byte) []byte) func([]rdf.Term) (rdf.Term, error) {
	return func(a []rdf.Term) (rdf.Term, error) {
		if rdf.DatatypeOf(a[0]) != rdf.XSDString {
			return nil, errType
		}
		return simple(hex.EncodeToString(sum([]byte(rdf.Lexical(a[0]))))), nil
	}
}

// field is one of the accessors of section 17.4.5; its argument is an xsd:dateTime.
func field(get func(moment) rdf.Term) func([]rdf.Term) (rdf.Term, error) {
	return func(a []rdf.Term) (rdf.Term, error) {
		m, ok := asMoment(a[0])
		if !ok {
			return nil, errType
		}
		if term := get(m); term != nil {
			return term, nil
		}
		return nil, errType
	}
}

// plain returns an xsd:integer without leading zeros, or nil if there are no digits.
func plain(digits string) rdf.Term {
	if digits == "" {
		return nil
	}
	canonical, _ := xsd.Canonical(digits, rdf.XSDInteger)
	return rdf.Literal(canonical, rdf.XSDInteger)
}
