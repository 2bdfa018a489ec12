package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"strings"

	"golang.org/x/text/cases"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

var (
	noArguments  = sparql.Arity{}
	oneArgument  = sparql.Arity{Min: 1, Max: 1}
	anyArguments = sparql.Arity{Min: 0, Max: -1}
)

// functions are the operators and built-in functions that evaluate all of their arguments first (sections 17.3 and
// 17.4). The others are in forms.
var functions = map[sparql.Func]function{
	sparql.Not: {arity: oneArgument, one: func(_ Env, v value) (value, error) {
		b, err := v.truth()
		if err != nil {
			return failed(err)
		}
		return ofBool(!b)
	}},
	sparql.Equal:          equality(true),
	sparql.NotEqual:       equality(false),
	sparql.Less:           comparison(func(o int) bool { return o < 0 }),
	sparql.Greater:        comparison(func(o int) bool { return o > 0 }),
	sparql.LessOrEqual:    comparison(func(o int) bool { return o <= 0 }),
	sparql.GreaterOrEqual: comparison(func(o int) bool { return o >= 0 }),
	sparql.Add:            arithmetic(xsd.Number.Add, xsd.AddTime),
	sparql.Subtract:       arithmetic(xsd.Number.Sub, xsd.SubTime),
	sparql.Multiply:       arithmetic(xsd.Number.Mul, xsd.MulTime),
	sparql.Divide:         arithmetic(xsd.Number.Div, xsd.DivTime),
	sparql.Negate:         negation,
	sparql.Plus:           numeric(func(n xsd.Number) xsd.Number { return n }),

	"ABS":   numeric(xsd.Number.Abs),
	"CEIL":  numeric(xsd.Number.Ceil),
	"FLOOR": numeric(xsd.Number.Floor),
	"ROUND": numeric(xsd.Number.Round),
	"RAND":  {arity: noArguments, none: func(env Env) (value, error) { return ofNumber(xsd.Double(env.Rand())) }},

	"SAMETERM":  binary(func(a, b rdf.Term) (value, error) { return ofBool(a == b) }),
	"ISIRI":     unary(isIRI),
	"ISURI":     unary(isIRI),
	"ISBLANK":   unary(func(t rdf.Term) (value, error) { return ofBool(kindRank(t) == 1) }),
	"ISLITERAL": unary(func(t rdf.Term) (value, error) { return ofBool(rdf.IsLiteral(t)) }),
	"ISNUMERIC": unary(func(t rdf.Term) (value, error) {
		iri := rdf.DatatypeOf(t)
		return ofBool(xsd.IsNumeric(iri) && xsd.Valid(rdf.Lexical(t), iri))
	}),
	"STR":      unary(str),
	"LANG":     unary(lang),
	"DATATYPE": unary(datatype),
	"IRI":      {arity: oneArgument, one: iri},
	"URI":      {arity: oneArgument, one: iri},
	"BNODE":    {arity: sparql.Arity{Min: 0, Max: 1}, many: bnode},
	"STRDT":    binary(strdt),
	"STRLANG":  binary(strlang),
	"UUID":     {arity: noArguments, none: func(env Env) (value, error) { return of(rdf.IRI("urn:uuid:" + env.NewUUID())) }},
	"STRUUID":  {arity: noArguments, none: func(env Env) (value, error) { return ofText(env.NewUUID()) }},

	"STRLEN":         unary(strlen),
	"SUBSTR":         {arity: sparql.Arity{Min: 2, Max: 3}, many: substr},
	"UCASE":          changeCase(strings.ToUpper, cases.Upper),
	"LCASE":          changeCase(strings.ToLower, cases.Lower),
	"STRSTARTS":      compatible(func(a, b literal) (value, error) { return ofBool(strings.HasPrefix(a.text, b.text)) }),
	"STRENDS":        compatible(func(a, b literal) (value, error) { return ofBool(strings.HasSuffix(a.text, b.text)) }),
	"CONTAINS":       compatible(func(a, b literal) (value, error) { return ofBool(strings.Contains(a.text, b.text)) }),
	"STRBEFORE":      beside(func(before, _ string) string { return before }),
	"STRAFTER":       beside(func(_, after string) string { return after }),
	"ENCODE_FOR_URI": unary(encodeForURI),
	"CONCAT":         {arity: anyArguments, many: concat},
	"LANGMATCHES":    binary(langMatches),

	"NOW": {arity: noArguments, none: func(env Env) (value, error) {
		return of(typed(env.Now().Format("2006-01-02T15:04:05.999999999Z07:00"), rdf.XSDDateTime))
	}},
	"YEAR":     ofMoment(hasDate, func(f xsd.Fields) (value, error) { return of(typed(f.Year, rdf.XSDInteger)) }),
	"MONTH":    ofMoment(hasDate, func(f xsd.Fields) (value, error) { return ofNumber(xsd.Integer(int64(f.Month))) }),
	"DAY":      ofMoment(hasDate, func(f xsd.Fields) (value, error) { return ofNumber(xsd.Integer(int64(f.Day))) }),
	"HOURS":    ofMoment(hasTime, func(f xsd.Fields) (value, error) { return ofNumber(xsd.Integer(int64(f.Hour))) }),
	"MINUTES":  ofMoment(hasTime, func(f xsd.Fields) (value, error) { return ofNumber(xsd.Integer(int64(f.Minute))) }),
	"SECONDS":  ofMoment(hasTime, func(f xsd.Fields) (value, error) { return of(typed(f.Second, rdf.XSDDecimal)) }),
	"TIMEZONE": ofMoment(hasZone, func(f xsd.Fields) (value, error) { return of(typed(f.ZoneDuration(), rdf.XSDNS+"dayTimeDuration")) }),
	"TZ":       unary(zone),

	"MD5":    hash(func(b []byte) []byte { h := md5.Sum(b); return h[:] }),
	"SHA1":   hash(func(b []byte) []byte { h := sha1.Sum(b); return h[:] }),
	"SHA256": hash(func(b []byte) []byte { h := sha256.Sum256(b); return h[:] }),
	"SHA384": hash(func(b []byte) []byte { h := sha512.Sum384(b); return h[:] }),
	"SHA512": hash(func(b []byte) []byte { h := sha512.Sum512(b); return h[:] }),
}
