package rdfio

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/fault"
	"trails/rdf"
	"trails/text/jsontext"
)

// JSONLDContext gives the short names that a JSON-LD document uses. The zero value has none:
// every member is then a full IRI.
type JSONLDContext struct {
	// Terms gives the name of each predicate. The full IRI is written instead where the name is
	// already another predicate's, or could be misread by JSON-LD: empty, with ':' or '/',
	// beginning with '@', or equal to the scheme of an IRI in this context.
	Terms map[rdf.IRI]JSONLDTerm
	// Types gives the names of types. Only [JSONLDContext.Document] writes them; other
	// documents write types as full IRIs.
	Types map[rdf.IRI]string
	// Prefixes are copied into the @context, for readers that compact the document further. A
	// prefix that would change the meaning of an IRI in the document is left out.
	Prefixes map[string]string
	// Address is the URL of [JSONLDContext.Document]; a document then refers to it instead of
	// containing the context. If one of the document's IRIs would mean something else under
	// that context, the document contains the terms it uses. "" means there is no such URL.
	Address string
	// Used restricts the context of a document without an Address to the terms that the
	// document uses. The document is then short, and any processor can read it alone.
	Used bool
	// Ignored lists members without meaning, which a document with Used may have.
	Ignored []string
}

// JSONLDTerm is the name of a predicate.
type JSONLDTerm struct {
	Name string
	// Type is the meaning of a plain JSON string: a datatype, or "@id" for a reference. "" and
	// xsd:string mean a plain literal.
	Type rdf.IRI
	// Many writes the value as an array even when there is only one.
	Many bool
}

// Document returns the context alone, as a JSON-LD document to which others can refer.
func (c JSONLDContext) Document() ([]byte, error) {
	d := newDocument(c)
	for _, iri := range slices.Sorted(maps.Keys(c.Types)) {
		d.schemes[schemeOf(string(iri))] = true
	}
	context := d.context()
	for _, iri := range slices.Sorted(maps.Keys(c.Types)) {
		name := c.Types[iri]
		if _, taken := context[name]; !taken && isTermName(name) && !d.schemes[name] {
			context[name] = map[string]any{"@id": string(iri)}
		}
	}
	text, err := jsontext.Marshal(map[string]any{"@context": context})
	if err != nil {
		return nil, fmt.Errorf("encode JSON-LD context: %w", err)
	}
	return text, nil
}

// EntityJSONLD returns a JSON-LD 1.1 document (https://www.w3.org/TR/json-ld11/) of the quads,
// centred on one subject: its @id, its @type as full IRIs, and a member for each predicate.
// Other subjects among the quads, such as its blank nodes, follow under @included. Graph labels
// are ignored.
//
// The document means exactly the quads: a number or boolean is written as a JSON one only where
// JSON-LD reads it back with the same lexical form and datatype, so "01" stays a string. A
// JSON-LD processor may still change the case of language tags. The same quads give the same
// bytes in any order.
func EntityJSONLD(subject rdf.Term, quads []rdf.Quad, ctx JSONLDContext) ([]byte, error) {
	if !isNode(subject) {
		return nil, fault.New(fault.InvalidArguments, "a JSON-LD document is about an IRI or a blank node, not %v", subject)
	}
	d := newDocument(ctx)
	about := bySubject(quads)
	root := d.node(subject, about[subject])
	delete(about, subject)
	var included []any
	for _, s := range sortedTerms(about) {
		included = append(included, d.node(s, about[s]))
	}
	if included != nil {
		root["@included"] = included
	}
	root["@context"] = d.reference()
	return encodeJSONLD(root)
}

// encodeJSONLD writes JSON with sorted members, which puts keywords first.
func encodeJSONLD(v any) ([]byte, error) {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode JSON-LD: %w", err)
	}
	return text, nil
}

// GraphJSONLD returns a JSON-LD 1.1 document of the quads as a list under @graph: the given
// subjects in their order, then all other subjects; see [EntityJSONLD].
func GraphJSONLD(subjects []rdf.Term, quads []rdf.Quad, ctx JSONLDContext) ([]byte, error) {
	d := newDocument(ctx)
	about := bySubject(quads)
	list := make([]any, 0, len(about))
	for _, s := range append(slices.Clone(subjects), sortedTerms(about)...) {
		if !isNode(s) {
			return nil, fault.New(fault.InvalidArguments, "a JSON-LD document is about IRIs and blank nodes, not %v", s)
		}
		if quads, ok := about[s]; ok {
			list = append(list, d.node(s, quads))
			delete(about, s)
		}
	}
	return encodeJSONLD(map[string]any{"@context": d.reference(), "@graph": list})
}

// DatasetJSONLD returns a JSON-LD 1.1 document of a dataset: all subjects under @graph, sorted.
// A named graph is the @graph of the node that names it. See [EntityJSONLD].
func DatasetJSONLD(quads []rdf.Quad, ctx JSONLDContext) ([]byte, error) {
	graphs := map[rdf.Term][]rdf.Quad{nil: nil}
	for _, q := range quads {
		graphs[q.Label] = append(graphs[q.Label], q)
	}
	d := newDocument(ctx)
	about := bySubject(graphs[nil])
	for graph := range graphs {
		if _, there := about[graph]; !there && graph != nil {
			about[graph] = nil // a node without statements that names a graph
		}
	}
	list := make([]any, 0, len(about))
	for _, s := range sortedTerms(about) {
		node := d.node(s, about[s])
		if named, ok := graphs[s]; ok {
			node["@graph"] = d.nodes(named)
		}
		list = append(list, node)
	}
	return encodeJSONLD(map[string]any{"@context": d.reference(), "@graph": list})
}

func (d *document) nodes(quads []rdf.Quad) []any {
	about := bySubject(quads)
	list := make([]any, 0, len(about))
	for _, s := range sortedTerms(about) {
		list = append(list, d.node(s, about[s]))
	}
	return list
}

func isNode(t rdf.Term) bool {
	switch t.(type) {
	case rdf.IRI, rdf.BNode:
		return true
	}
	return false
}

// document is a JSON-LD document in construction.
type document struct {
	terms    map[rdf.IRI]JSONLDTerm
	prefixes map[string]string
	schemes  map[string]bool // schemes of the context's IRIs, and schemes in the document that are also prefixes
	address  string
	short    bool // the context holds only the used terms
	ignored  []string
	own      int              // how many of schemes come from the context
	used     map[rdf.IRI]bool // the predicates of the document
}

func newDocument(ctx JSONLDContext) *document {
	d := &document{terms: map[rdf.IRI]JSONLDTerm{}, prefixes: ctx.Prefixes, schemes: contextSchemes(ctx), address: ctx.Address, short: ctx.Used, ignored: ctx.Ignored, used: map[rdf.IRI]bool{}}
	d.own = len(d.schemes)
	taken := map[string]bool{}
	for _, iri := range slices.Sorted(maps.Keys(ctx.Terms)) {
		term := ctx.Terms[iri]
		if !isTermName(term.Name) || taken[term.Name] || d.schemes[term.Name] || iri == rdf.Type {
			continue
		}
		if term.Type == rdf.XSDString || term.Type != "@id" && !rdf.IsAbsoluteIRI(string(term.Type)) {
			term.Type = ""
		}
		taken[term.Name] = true
		d.terms[iri] = term
	}
	return d
}

// contextSchemes returns the schemes of the context's own IRIs. A term or prefix with such a
// name would make the context cyclic.
func contextSchemes(ctx JSONLDContext) map[string]bool {
	schemes := map[string]bool{}
	for iri, term := range ctx.Terms {
		schemes[schemeOf(string(iri))] = true
		schemes[schemeOf(string(term.Type))] = true
	}
	for _, namespace := range ctx.Prefixes {
		schemes[schemeOf(namespace)] = true
	}
	return schemes
}

func schemeOf(iri string) string {
	scheme, _, _ := strings.Cut(iri, ":")
	return scheme
}

func isTermName(name string) bool {
	return name != "" && name[0] != '@' && !strings.ContainsAny(name, ":/#?")
}

// iri returns an IRI as the document writes it, and records its scheme if that is also a
// prefix.
func (d *document) iri(iri rdf.IRI) string {
	scheme := schemeOf(string(iri))
	if _, isPrefix := d.prefixes[scheme]; isPrefix {
		d.schemes[scheme] = true
	}
	return string(iri)
}

func (d *document) id(node rdf.Term) string {
	if iri, ok := node.(rdf.IRI); ok {
		return d.iri(iri)
	}
	return "_:" + rdf.Lexical(node)
}

// reference returns the value of @context: the address, if there is one and no scheme in the
// document is also a prefix; else the context itself, restricted to the used terms when the
// document is short or was to use the address.
func (d *document) reference() any {
	if d.address != "" && len(d.schemes) == d.own {
		return d.address
	}
	if d.short || d.address != "" {
		maps.DeleteFunc(d.terms, func(iri rdf.IRI, _ JSONLDTerm) bool { return !d.used[iri] })
	}
	if !d.short {
		return d.context()
	}
	d.prefixes = nil
	context := d.context()
	for _, name := range d.ignored {
		context[name] = nil
	}
	return context
}

// context declares every term, so that documents of a type share one context.
func (d *document) context() map[string]any {
	ctx := map[string]any{"@version": json.Number("1.1")}
	for iri, term := range d.terms {
		ctx[term.Name] = d.declare(iri, term)
	}
	for prefix, namespace := range d.prefixes {
		_, taken := ctx[prefix]
		if !taken && isTermName(prefix) && !d.schemes[prefix] && rdf.IsAbsoluteIRI(namespace) {
			ctx[prefix] = map[string]any{"@id": namespace, "@prefix": true}
		}
	}
	return ctx
}

// declare returns an expanded term definition, because the short form could also make the term
// a prefix.
func (d *document) declare(iri rdf.IRI, term JSONLDTerm) map[string]any {
	def := map[string]any{"@id": d.iri(iri)}
	switch {
	case term.Type == "@id":
		def["@type"] = "@id"
	case term.Type != "":
		def["@type"] = d.iri(term.Type)
	}
	if term.Many {
		def["@container"] = "@set"
	}
	return def
}

// node returns the node object of one subject; quads are sorted and distinct.
func (d *document) node(subject rdf.Term, quads []rdf.Quad) map[string]any {
	values := map[string][]any{}
	many := map[string]bool{}
	for _, q := range quads {
		key, term := d.member(q)
		if key == "@type" {
			values[key] = append(values[key], d.id(q.Object))
			continue
		}
		values[key] = append(values[key], d.value(q.Object, term.Type))
		many[key] = term.Many
	}
	node := map[string]any{"@id": d.id(subject)}
	for key, all := range values {
		node[key] = all
		if len(all) == 1 && !many[key] {
			node[key] = all[0]
		}
	}
	return node
}

// member returns the name of a quad's predicate and its definition in the context.
func (d *document) member(q rdf.Quad) (string, JSONLDTerm) {
	predicate, _ := q.Predicate.(rdf.IRI)
	if predicate == rdf.Type && isNode(q.Object) {
		return "@type", JSONLDTerm{}
	}
	if term, ok := d.terms[predicate]; ok {
		d.used[predicate] = true
		return term.Name, term
	}
	return d.iri(predicate), JSONLDTerm{}
}

// value returns a term as JSON under a name whose plain strings have the type coerced.
func (d *document) value(t rdf.Term, coerced rdf.IRI) any {
	switch v := t.(type) {
	case quad.String:
		if coerced == "" {
			return string(v)
		}
		return map[string]any{"@value": string(v)}
	case quad.LangString:
		return map[string]any{"@value": string(v.Value), "@language": v.Lang}
	case quad.TypedString:
		return d.typedValue(string(v.Value), v.Type, coerced)
	}
	if coerced == "@id" {
		return d.id(t)
	}
	return map[string]any{"@id": d.id(t)}
}

func (d *document) typedValue(lexical string, datatype, coerced rdf.IRI) any {
	if coerced == "" || coerced == datatype {
		if v, ok := nativeValue(lexical, datatype, coerced != ""); ok {
			return v
		}
	}
	if coerced == datatype {
		return lexical
	}
	return map[string]any{"@value": lexical, "@type": d.iri(datatype)}
}

// wholeTypes are the datatypes whose canonical form is written like an integer.
var wholeTypes = map[rdf.IRI]bool{
	rdf.XSDInteger: true, rdf.XSDNS + "long": true, rdf.XSDNS + "int": true, rdf.XSDNS + "short": true, rdf.XSDNS + "byte": true,
	rdf.XSDNS + "unsignedLong": true, rdf.XSDNS + "unsignedInt": true, rdf.XSDNS + "unsignedShort": true, rdf.XSDNS + "unsignedByte": true,
	rdf.XSDNS + "nonNegativeInteger": true, rdf.XSDNS + "positiveInteger": true, rdf.XSDNS + "nonPositiveInteger": true, rdf.XSDNS + "negativeInteger": true,
}

const maxSafeInteger = 1<<53 - 1

// nativeValue returns the JSON number or boolean that JSON-LD reads back as this
// literal (JSON-LD 1.1 API section 8.2.2). Without a declared datatype a whole
// number is always an xsd:integer and any other an xsd:double.
func nativeValue(lexical string, datatype rdf.IRI, declared bool) (any, bool) {
	switch {
	case datatype == rdf.XSDBoolean:
		return lexical == "true", lexical == "true" || lexical == "false"
	case datatype == rdf.XSDInteger, declared && wholeTypes[datatype]:
		n, err := strconv.ParseInt(lexical, 10, 64)
		exact := err == nil && -maxSafeInteger <= n && n <= maxSafeInteger
		return n, exact && strconv.FormatInt(n, 10) == lexical
	case datatype == rdf.XSDDouble:
		f, err := strconv.ParseFloat(lexical, 64)
		if err != nil || jsonldDouble(f) != lexical || f == 0 && math.Signbit(f) {
			return nil, false
		}
		return f, declared || f != math.Trunc(f)
	}
	return nil, false
}

// jsonldDouble returns the canonical form that JSON-LD gives a number, with at most 16 digits,
// or "" for a value that JSON has no number for.
func jsonldDouble(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return ""
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', 15, 64), "E")
	mantissa = strings.TrimRight(mantissa, "0")
	if strings.HasSuffix(mantissa, ".") {
		mantissa += "0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}
