package schema

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// Vector is the datatype of embeddings; its lexical form is a compact JSON array of numbers.
const Vector = rdf.IRI(rdf.TrailsNS + "vector")

// JSONKind is the JSON type of a datatype's values, as in JSON Schema.
type JSONKind string

// The JSON types that values take.
const (
	JSONString  JSONKind = "string"
	JSONBoolean JSONKind = "boolean"
	JSONInteger JSONKind = "integer"
	JSONNumber  JSONKind = "number"
	JSONArray   JSONKind = "array"
	JSONObject  JSONKind = "object" // text with its language, see [LangValue]
)

// Datatype is the meaning of a datatype word in the schema.
type Datatype struct {
	Word   string
	IRI    rdf.IRI  // "" for references: the value is an IRI, not a literal
	JSON   JSONKind // JSON type of one value
	Format string   // JSON Schema's format, or ""
	// Text means that min_length, max_length and pattern apply.
	Text bool
	// Ordered means that min_value and max_value apply.
	Ordered bool
	// Example is an example JSON value for messages.
	Example string
	// Noun is the word for a value in messages.
	Noun string
	// As is the word whose form of values arguments and forms use; "" for Word itself.
	As string
	// Least and Most bound integer types of a fixed size; math.MinInt64 and math.MaxInt64 mean no bound.
	Least, Most int64
}

// Words with special treatment in code.
const (
	wordString     = "string"
	wordInteger    = "integer"
	wordBigInteger = "big_integer"
	wordDecimal    = "decimal"
	wordVector     = "vector"
	wordIRI        = "iri"
	wordLangString = "lang_string"
)

const (
	unbound = math.MinInt64
	endless = math.MaxInt64
)

// table has every datatype in RDF 1.1 Concepts section 5 and two of ours, the usual ones first. The others have the
// standard's names in lower snake case, except for integers of a fixed size, because many write int for any integer.
var table = []Datatype{
	{Word: wordString, IRI: rdf.XSDString, JSON: JSONString, Text: true, Example: `"text"`, Noun: "a string"},
	{Word: wordLangString, IRI: rdf.RDFLangString, JSON: JSONObject, Text: true, Example: `{"value":"text","lang":"en"}`, Noun: "text with a language"},
	{Word: "boolean", IRI: rdf.XSDBoolean, JSON: JSONBoolean, Example: `true`, Noun: "true or false"},
	{Word: wordInteger, IRI: rdf.XSDInteger, JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number", Least: unbound, Most: endless},
	{Word: wordBigInteger, IRI: rdf.XSDInteger, JSON: JSONString, Ordered: true, Example: `"9007199254740993"`, Noun: "a whole number"},
	{Word: wordDecimal, IRI: rdf.XSDDecimal, JSON: JSONNumber, Ordered: true, Example: `19.95`, Noun: "a decimal number"},
	{Word: "number", IRI: rdf.XSDDouble, JSON: JSONNumber, Ordered: true, Example: `0.5`, Noun: "a number"},
	{Word: "float", IRI: rdf.XSDFloat, JSON: JSONNumber, Ordered: true, Example: `0.5`, Noun: "a number", As: "number"},
	{Word: "date", IRI: rdf.XSDDate, JSON: JSONString, Format: "date", Ordered: true, Example: `"2024-05-31"`, Noun: "a date such as 2024-05-31"},
	{Word: "datetime", IRI: rdf.XSDDateTime, JSON: JSONString, Format: "date-time", Ordered: true, Example: `"2024-05-31T12:00:00Z"`, Noun: "a date and time such as 2024-05-31T12:00:00Z"},
	{Word: "time", IRI: rdf.XSDTime, JSON: JSONString, Ordered: true, Example: `"12:00:00Z"`, Noun: "a time such as 12:00:00"},
	{Word: "duration", IRI: rdf.XSDDuration, JSON: JSONString, Format: "duration", Example: `"P1DT2H"`, Noun: "a duration such as P1DT2H"},
	{Word: "year", IRI: rdf.XSDGYear, JSON: JSONString, Ordered: true, Example: `"2024"`, Noun: "a year such as 2024"},
	{Word: "uri", IRI: rdf.XSDAnyURI, JSON: JSONString, Format: "uri", Text: true, Example: `"https://example.org/"`, Noun: "a URI"},
	{Word: "bytes", IRI: rdf.XSDBase64Binary, JSON: JSONString, Example: `"aGVsbG8="`, Noun: "base64"},
	{Word: wordVector, IRI: Vector, JSON: JSONArray, Example: `[0.1, 0.2]`, Noun: "an array of numbers"},
	{Word: wordIRI, JSON: JSONString, Format: "iri", Text: true, Example: `"https://example.org/a"`, Noun: "an IRI"},

	{Word: "year_month", IRI: rdf.XSDNS + "gYearMonth", JSON: JSONString, Ordered: true, Example: `"2024-05"`, Noun: "a month of a year such as 2024-05", As: wordString},
	{Word: "month", IRI: rdf.XSDNS + "gMonth", JSON: JSONString, Ordered: true, Example: `"--05"`, Noun: "a month such as --05", As: wordString},
	{Word: "month_day", IRI: rdf.XSDNS + "gMonthDay", JSON: JSONString, Ordered: true, Example: `"--05-31"`, Noun: "a day of a month such as --05-31", As: wordString},
	{Word: "day", IRI: rdf.XSDNS + "gDay", JSON: JSONString, Ordered: true, Example: `"---31"`, Noun: "a day of any month such as ---31", As: wordString},
	{Word: "datetime_stamp", IRI: rdf.XSDNS + "dateTimeStamp", JSON: JSONString, Format: "date-time", Ordered: true, Example: `"2024-05-31T12:00:00Z"`, Noun: "a date and time with a zone such as 2024-05-31T12:00:00Z", As: "datetime"},
	{Word: "year_month_duration", IRI: rdf.XSDYearMonthDuration, JSON: JSONString, Ordered: true, Example: `"P1Y6M"`, Noun: "a duration in years and months such as P1Y6M", As: "duration"},
	{Word: "day_time_duration", IRI: rdf.XSDDayTimeDuration, JSON: JSONString, Ordered: true, Example: `"P1DT2H"`, Noun: "a duration in days and time such as P1DT2H", As: "duration"},
	{Word: "int8", IRI: rdf.XSDNS + "byte", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number of 8 bits", As: wordInteger, Least: math.MinInt8, Most: math.MaxInt8},
	{Word: "int16", IRI: rdf.XSDNS + "short", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number of 16 bits", As: wordInteger, Least: math.MinInt16, Most: math.MaxInt16},
	{Word: "int32", IRI: rdf.XSDNS + "int", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number of 32 bits", As: wordInteger, Least: math.MinInt32, Most: math.MaxInt32},
	{Word: "int64", IRI: rdf.XSDNS + "long", JSON: JSONString, Ordered: true, Example: `"9007199254740993"`, Noun: "a whole number of 64 bits", As: wordBigInteger},
	{Word: "uint8", IRI: rdf.XSDNS + "unsignedByte", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number from 0 of 8 bits", As: wordInteger, Most: math.MaxUint8},
	{Word: "uint16", IRI: rdf.XSDNS + "unsignedShort", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number from 0 of 16 bits", As: wordInteger, Most: math.MaxUint16},
	{Word: "uint32", IRI: rdf.XSDNS + "unsignedInt", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number from 0 of 32 bits", As: wordInteger, Most: math.MaxUint32},
	{Word: "uint64", IRI: rdf.XSDNS + "unsignedLong", JSON: JSONString, Ordered: true, Example: `"9007199254740993"`, Noun: "a whole number from 0 of 64 bits", As: wordBigInteger},
	{Word: "positive_integer", IRI: rdf.XSDNS + "positiveInteger", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number from 1", As: wordInteger, Least: 1, Most: endless},
	{Word: "non_negative_integer", IRI: rdf.XSDNS + "nonNegativeInteger", JSON: JSONInteger, Ordered: true, Example: `42`, Noun: "a whole number from 0", As: wordInteger, Most: endless},
	{Word: "negative_integer", IRI: rdf.XSDNS + "negativeInteger", JSON: JSONInteger, Ordered: true, Example: `-42`, Noun: "a whole number below 0", As: wordInteger, Least: unbound, Most: -1},
	{Word: "non_positive_integer", IRI: rdf.XSDNS + "nonPositiveInteger", JSON: JSONInteger, Ordered: true, Example: `-42`, Noun: "a whole number up to 0", As: wordInteger, Least: unbound},
	{Word: "hex_binary", IRI: rdf.XSDNS + "hexBinary", JSON: JSONString, Example: `"68656C6C6F"`, Noun: "bytes in hexadecimal", As: wordString},
	{Word: "language", IRI: rdf.XSDNS + "language", JSON: JSONString, Text: true, Example: `"en"`, Noun: "a language tag such as en-GB", As: wordString},
	{Word: "normalized_string", IRI: rdf.XSDNS + "normalizedString", JSON: JSONString, Text: true, Example: `"text"`, Noun: "text without line breaks and tabs", As: wordString},
	{Word: "token", IRI: rdf.XSDNS + "token", JSON: JSONString, Text: true, Example: `"text"`, Noun: "text with single blanks between words", As: wordString},
	{Word: "nmtoken", IRI: rdf.XSDNS + "NMTOKEN", JSON: JSONString, Text: true, Example: `"text"`, Noun: "an XML name token", As: wordString},
	{Word: "name", IRI: rdf.XSDNS + "Name", JSON: JSONString, Text: true, Example: `"text"`, Noun: "an XML name", As: wordString},
	{Word: "ncname", IRI: rdf.XSDNS + "NCName", JSON: JSONString, Text: true, Example: `"text"`, Noun: "an XML name without a colon", As: wordString},
	{Word: "html", IRI: rdf.RDFNS + "HTML", JSON: JSONString, Text: true, Example: `"<b>text</b>"`, Noun: "HTML", As: wordString},
	{Word: "xml_literal", IRI: rdf.RDFNS + "XMLLiteral", JSON: JSONString, Text: true, Example: `"<b>text</b>"`, Noun: "XML", As: wordString},
}

// Datatypes maps each word a schema may use as a property's type to its meaning.
// It is read only.
var Datatypes = func() map[string]Datatype {
	byWord := make(map[string]Datatype, len(table))
	for _, d := range table {
		byWord[d.Word] = d
	}
	return byWord
}()

// words are the keys of Datatypes, the usual ones first.
var words = func() []string {
	list := make([]string, len(table))
	for i, d := range table {
		list[i] = d.Word
	}
	return list
}()

// wordOf maps IRIs to words; big_integer also needs trails:word.
var wordOf = func() map[rdf.IRI]string {
	byIRI := make(map[rdf.IRI]string, len(table))
	for _, d := range slices.Backward(table) {
		byIRI[d.IRI] = d.Word
	}
	return byIRI
}()

// Noun is what messages call a value of a datatype; "" when no word means it.
func Noun(datatype rdf.IRI) string {
	if datatype == "" {
		return ""
	}
	return Datatypes[wordOf[datatype]].Noun
}

// wordFor returns the word for a name: the word itself, or the standard's name, CURIE or IRI of its datatype. The
// name int by itself is refused, because most mean any integer by it.
func wordFor(name string) string {
	if _, known := Datatypes[name]; known || name == "" || name == "int" {
		return name
	}
	for _, iri := range []string{name, rdf.XSDNS + name, rdf.RDFNS + name, rdf.XSDNS + strings.TrimPrefix(name, "xsd:"), rdf.RDFNS + strings.TrimPrefix(name, "rdf:")} {
		if word := wordOf[rdf.IRI(iri)]; word != "" {
			return word
		}
	}
	return name
}

// elsewhere are names of datatypes in other languages.
var elsewhere = map[string]string{
	"int": wordInteger, "bigint": wordBigInteger, "smallint": "int16", "tinyint": "int8", "bigserial": wordBigInteger, "serial": wordInteger, "count": wordInteger, "i32": "int32", "i64": "int64", "u32": "uint32", "u64": "uint64",
	"str": wordString, "text": wordString, "varchar": wordString, "char": wordString, "keyword": wordString, "email": wordString, "uuid": wordString, "enum": wordString,
	"bool": "boolean", "flag": "boolean", "bit": "boolean",
	"real": "number", "float32": "float", "float64": "number", "numeric": wordDecimal, "money": wordDecimal, "currency": wordDecimal,
	"timestamp": "datetime", "timestamptz": "datetime_stamp", "instant": "datetime", "interval": "duration", "timedelta": "duration",
	"url": "uri", "link": wordIRI, "ref": wordIRI, "reference": wordIRI, "node": wordIRI,
	"binary": "bytes", "blob": "bytes", "bytea": "bytes", "base64": "bytes", "hex": "hex_binary", "embedding": wordVector,
	"localized": wordLangString, "translated": wordLangString, "multilingual": wordLangString, "langtext": wordLangString, "i18n": wordLangString, "xml": "xml_literal",
}

// besides are what is said of some of them besides.
var besides = map[string]string{
	"enum": "; the values stand in one_of",
	"link": besideReference, "ref": besideReference, "reference": besideReference, "node": besideReference,
}

const besideReference = "; a reference says class: Type in its place"

// suggestWord suggests a word for an unknown one.
func suggestWord(name string) string {
	lower := strings.ToLower(name)
	for _, spelled := range []string{lower, strings.ReplaceAll(lower, "_", "")} {
		if word := elsewhere[spelled]; word != "" {
			return besides[spelled] + fault.DidYouMean(word, []string{word})
		}
		for _, d := range table {
			local := string(d.IRI[strings.LastIndexByte(string(d.IRI), '#')+1:])
			if d.IRI != "" && (strings.ToLower(local) == spelled || strings.ReplaceAll(d.Word, "_", "") == spelled) {
				return fault.DidYouMean(d.Word, []string{d.Word})
			}
		}
	}
	if hint := fault.DidYouMean(name, words); hint != "" {
		return hint
	}
	return "; there is " + someWords()
}

// usual are the words listed in messages.
var usual = words[:slices.Index(words, wordIRI)+1]

func someWords() string {
	return fmt.Sprintf("%s and %d more", strings.Join(usual, ", "), len(words)-len(usual))
}

// isReference reports whether the property's values are IRIs.
func (p *Property) isReference() bool { return p.Datatype == wordIRI }

// datatypeIRI returns the IRI of the property's datatype; "" for references.
func (p *Property) datatypeIRI() rdf.IRI { return Datatypes[p.Datatype].IRI }
