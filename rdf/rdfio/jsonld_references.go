package rdfio

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/text/jsontext"
	"trails/text/quote"
)

// references hides relative IRI references from json-gold, which resolves them by net/url: that
// escapes characters, and drops empty fragments and queries. A base becomes mark://HEX/, a
// reference mark-HEX-, a relative base mark-HEX-/ and a relative vocabulary mark-HEX-/: (names
// follow the colon). net/url joins these without changing them, so expansion's result shows
// which reference was resolved against which base; [references.reveal] then resolves them by
// [rdf.ResolveIRI].
type references struct {
	mark     string // a text that the document does not contain
	document string // the document's initial base
	load     ContextLoader
	terms    map[string]bool // defined by contexts, and looked up by name
	graphs   map[string]bool // @graph, and the terms that mean it
	nests    map[string]bool // @nest, and the terms that mean it
	seen     map[string]bool // remote contexts whose terms are in terms
	later    string          // syntax of RDF 1.2 found in the document; "" for none
	vocab    bool            // a context has a vocabulary
	partial  bool            // a context holds for a part of the document
	moved    bool            // expansion moves members to another node, or adds some
	members  int             // of the document's nodes, without contexts and nulls
	kept     map[string]int  // how many of them expansion kept, by the place of their node; nil if it was not counted
	missing  string          // the vocabulary where a context takes one away; "" for none
	unknown  bool            // a member is in no context
	path     []string        // to the part that is being hidden
	leftOut  LeftOut         // members and values that mean nothing in JSON-LD
}

func newReferences(text []byte, base string, load ContextLoader) *references {
	digest := sha256.Sum256(text)
	return &references{mark: "x" + hex.EncodeToString(digest[:8]), document: base, load: load, terms: map[string]bool{}, graphs: map[string]bool{"@graph": true}, nests: map[string]bool{"@nest": true}, seen: map[string]bool{}}
}

func (r *references) base(iri string) string {
	if iri == "" {
		return ""
	}
	return r.mark + "://" + hex.EncodeToString([]byte(iri)) + "/"
}

func (r *references) reference(text string) string {
	return r.mark + "-" + hex.EncodeToString([]byte(text)) + "-"
}

// collect records the terms of all contexts in the document, or in a part of it.
func (r *references) collect(document any, part bool) {
	switch v := document.(type) {
	case []any:
		for _, item := range v {
			r.collect(item, true)
		}
	case map[string]any:
		for key, member := range v {
			if key == "@context" {
				r.partial = r.partial || part
				r.collectTerms(member)
				continue
			}
			r.moved = r.moved || key == "@reverse"
			r.collect(member, true)
		}
	}
}

func (r *references) collectTerms(context any) {
	switch v := context.(type) {
	case nil:
		r.partial = true
	case []any:
		for _, item := range v {
			r.collectTerms(item)
		}
	case string:
		iri, err := rdf.ResolveIRI(r.document, v)
		if err != nil || r.load == nil || r.seen[iri] || len(r.seen) == maxContexts {
			return
		}
		r.seen[iri] = true
		text, ok := r.load(iri)
		if !ok {
			return // refused later, when it is needed
		}
		if document, err := decodeJSON(text); err == nil {
			r.collect(document, false)
		}
	case map[string]any:
		for key, member := range v {
			if key == "@import" || key == "@context" {
				r.collectTerms(member)
				continue
			}
			r.terms[key] = true
			r.vocab = r.vocab || key == "@vocab" && member != nil
			r.partial = r.partial || key == "@vocab" && member == nil
			definition, isDefinition := member.(map[string]any)
			if isDefinition {
				if scoped, has := definition["@context"]; has {
					r.partial = true
					r.collectTerms(scoped)
				}
				r.moved = r.moved || moves(definition)
				member = definition["@id"]
			}
			r.graphs[key] = r.graphs[key] || member == "@graph"
			r.nests[key] = r.nests[key] || member == "@nest"
			r.moved = r.moved || member == "@nest" || member == "@reverse"
		}
	}
}

// moves reports whether the values of a term get members from their keys, or name the node as their value.
func moves(definition map[string]any) bool {
	_, reversed := definition["@reverse"]
	_, indexed := definition["@index"]
	return reversed || indexed || slices.ContainsFunc(parts(definition["@container"]), func(c any) bool { return c == "@id" || c == "@type" || c == "@index" })
}

// values counts what stands among the nodes of a document or a graph and is none: expansion
// drops it. at is the place of the nodes.
func (r *references) values(nodes any, at string) {
	list, isList := nodes.([]any)
	if !isList {
		list = []any{nodes}
	}
	for i, item := range list {
		here := at
		if isList {
			here += "/" + strconv.Itoa(i)
		}
		object, isObject := item.(map[string]any)
		value, isValue := object["@value"]
		members, isOrdered := object["@list"]
		switch {
		case isValue && value != nil:
			item = value
		case isOrdered:
			item = members
		case isObject || isValue || item == nil:
			continue
		}
		if nested, isNested := item.([]any); isNested && !isOrdered {
			r.values(nested, here)
			continue
		}
		text, _ := json.Marshal(item) // it was decoded from JSON
		out := besideNodes(text)
		out.Message += placed(here)
		r.leftOut.Add(out)
	}
}

func besideNodes(value any) Omission {
	return Omission{Message: fmt.Sprintf("the value %s stands beside nodes, as the value of no member", quote.Line(fmt.Sprintf("%s", value), excerptBytes))}
}

// hide returns the document with its references hidden.
func (r *references) hide(document any) any {
	switch v := document.(type) {
	case []any:
		for i, item := range v {
			v[i] = r.hideAt(strconv.Itoa(i), item)
		}
	case string:
		if r.isReference(v) {
			return r.reference(v)
		}
	case map[string]any:
		var references []string
		_, isValue := v["@value"]
		for key, member := range v {
			if !isValue && isMember(key, member) {
				r.members++
			}
			if _, embedded := member.(map[string]any); key == "@annotation" || key == "@id" && embedded {
				r.later = "a triple as a term, or an annotation,"
			}
			switch key {
			case "@context":
				v[key] = r.hideInContext(member)
			case "@value", "@language", "@direction", "@index":
			default:
				if r.graphs[key] {
					r.values(member, pointer(append(r.path, key)))
				}
				v[key] = r.hideAt(key, member)
				r.unknown = r.unknown || !r.isKnown(key)
				if r.isReference(key) {
					references = append(references, key)
				} else if isLikeKeyword(key) && !keywords[key] {
					r.leftOut.AddPart(fmt.Sprintf("the member %q, which is no keyword of JSON-LD, says nothing%s", quoted(key), nearKeyword(key)), 1)
				}
			}
		}
		for _, key := range references {
			v[r.reference(key)] = v[key]
			delete(v, key)
		}
	}
	return document
}

// hideAt hides a part of a document, whose name or index there is the token.
func (r *references) hideAt(token string, part any) any {
	r.path = append(r.path, token)
	part = r.hide(part)
	r.path = r.path[:len(r.path)-1]
	return part
}

// pointer returns the JSON Pointer of a path.
func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteString("/" + jsontext.PointerToken(token))
	}
	return b.String()
}

// hideInContext returns a context with its bases, vocabularies and references to other contexts
// hidden.
func (r *references) hideInContext(context any) any {
	switch v := context.(type) {
	case nil:
		if r.missing != "" {
			return []any{nil, map[string]any{"@vocab": r.missing}}
		}
	case []any:
		all := make([]any, 0, len(v))
		for _, item := range v {
			if parts, several := r.hideInContext(item).([]any); several {
				all = append(all, parts...)
			} else {
				all = append(all, item)
			}
		}
		return all
	case string:
		if !rdf.IsAbsoluteIRI(v) {
			return r.reference(v)
		}
	case map[string]any:
		for key, member := range v {
			text, isText := member.(string)
			definition, isDefinition := member.(map[string]any)
			switch {
			case key == "@base" && isText && rdf.IsAbsoluteIRI(text):
				v[key] = r.base(text)
			case key == "@base" && isText:
				v[key] = r.reference(text) + "/"
			case key == "@vocab" && member == nil && r.missing != "":
				v[key] = r.missing
			case key == "@vocab" && isText && !r.isKnown(text) && r.missing != "":
				v[key] = "urn:named:" // a relative one would be within ours
			case key == "@vocab" && isText && !r.isKnown(text):
				v[key] = r.reference(text) + "/:"
			case key == "@import" && isText && !rdf.IsAbsoluteIRI(text):
				v[key] = r.reference(text)
			case key == "@context":
				v[key] = r.hideInContext(member)
			case isDefinition:
				if scoped, has := definition["@context"]; has {
					definition["@context"] = r.hideInContext(scoped)
				}
			}
		}
	}
	return context
}

// isKnown reports whether a text is a keyword, a blank node, a term, a compact IRI or an
// absolute IRI: none of these is resolved against a base.
func (r *references) isKnown(text string) bool {
	if strings.HasPrefix(text, "@") || strings.HasPrefix(text, "_:") || r.terms[text] {
		return true
	}
	prefix, _, compact := strings.Cut(text, ":")
	return compact && (r.terms[prefix] || rdf.IsAbsoluteIRI(text))
}

// keywords are those of JSON-LD 1.1 (section 1.7).
var keywords = map[string]bool{
	"@base": true, "@container": true, "@context": true, "@direction": true, "@graph": true, "@id": true, "@import": true, "@included": true, "@index": true,
	"@json": true, "@language": true, "@list": true, "@nest": true, "@none": true, "@prefix": true, "@propagate": true, "@protected": true, "@reverse": true,
	"@set": true, "@type": true, "@value": true, "@version": true, "@vocab": true,
}

// isLikeKeyword reports whether a name has the form of a keyword, which JSON-LD ignores if it is none.
func isLikeKeyword(name string) bool {
	return len(name) > 1 && name[0] == '@' && !strings.ContainsFunc(name[1:], func(c rune) bool { return c >= 0x80 || !rdf.IsLetter(byte(c)) })
}

func nearKeyword(name string) string {
	if near := fault.Nearest(name, slices.Sorted(maps.Keys(keywords))); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// isReference reports whether a text can be a relative reference that json-gold would change.
// Letters and digits alone never change; a text that is no valid reference is recognized by the
// escapes net/url adds.
func (r *references) isReference(text string) bool {
	plain := text != ""
	for i := range len(text) {
		switch c := text[i]; {
		case rdf.IRIStop[c]:
			return false
		case rdf.IsLetter(c), rdf.IsDigit(c), c == '-', c == '_':
		default:
			plain = false
		}
	}
	return !plain && !r.isKnown(text)
}

// reveal restores what hide replaced, in the result of expansion.
func (r *references) reveal(expanded any) any {
	switch v := expanded.(type) {
	case []any:
		for i, item := range v {
			v[i] = r.reveal(item)
		}
	case string:
		return r.revealed(v)
	case map[string]any:
		var hidden []string
		for key, member := range v {
			v[key] = r.reveal(member)
			if strings.Contains(key, r.mark) {
				hidden = append(hidden, key)
			}
			if language, tagged := member.(string); tagged && key == "@language" && v[key] != language {
				v[key] = strings.ToLower(r.revealed(language)) // as json-gold does with language tags that it knows
			}
		}
		slices.Sort(hidden)
		for _, key := range hidden {
			name, member := r.revealed(key), v[key]
			delete(v, key)
			others, both := v[name].([]any)
			if values, ok := member.([]any); ok && both {
				member = append(others, values...)
			}
			v[name] = member
		}
	}
	return expanded
}

func (r *references) revealed(text string) string {
	hidden, based := strings.CutPrefix(text, r.mark+"://")
	if !based {
		return r.replaced(text)
	}
	digits, rest, _ := strings.Cut(hidden, "/")
	base, err := hex.DecodeString(digits)
	if err != nil {
		return text
	}
	iri := string(base)
	for rest != "" {
		reference, suffix := rest, ""
		if after, marked := strings.CutPrefix(rest, r.mark+"-"); marked {
			var digits string
			digits, suffix, _ = strings.Cut(after, "-")
			text, _ := hex.DecodeString(digits)
			reference = string(text)
		} else if raw, err := url.PathUnescape(rest); err == nil {
			reference = raw
		}
		if iri, err = rdf.ResolveIRI(iri, reference); err != nil {
			return reference // the IRI stays relative
		}
		var isBase bool
		rest, isBase = strings.CutPrefix(suffix, "/")
		name, named := strings.CutPrefix(rest, ":")
		switch {
		case named:
			return iri + r.replaced(name)
		case !isBase:
			return iri + r.replaced(suffix)
		}
	}
	return iri
}

// replaced returns a text with its hidden references restored.
func (r *references) replaced(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, r.mark+"-")
		digits, rest, closed := strings.Cut(after, "-")
		reference, err := hex.DecodeString(digits)
		if !found || !closed || err != nil {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(before)
		out.Write(reference)
		if text = strings.TrimPrefix(rest, "/:"); text == "/" {
			text = "" // a base in a JSON literal
		}
	}
}
