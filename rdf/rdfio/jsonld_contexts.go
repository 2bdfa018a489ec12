package rdfio

import (
	"bytes"
	"encoding/json"

	"github.com/piprate/json-gold/ld"

	"trails/fault"
)

// ContextLoader returns the JSON document of a remote context's IRI; ok is false when it is not
// known. A nil loader knows none. This package never uses the network: an unknown context is a
// Missing fault.
type ContextLoader func(iri string) (document []byte, ok bool)

// maxContexts is how many remote contexts a document may load. It also stops a context that
// includes itself, which json-gold does not detect.
const maxContexts = 100

// contexts is the document loader that json-gold gets.
type contexts struct {
	load       ContextLoader
	references *references // of the document being read; nil for none
	loaded     int
}

func (c *contexts) LoadDocument(iri string) (*ld.RemoteDocument, error) {
	if c.references != nil {
		iri = c.references.revealed(iri)
	}
	if c.loaded++; c.loaded > maxContexts {
		return nil, fault.New(fault.TooLarge, "the document needs more than %d remote contexts; does <%s> include itself?", maxContexts, iri)
	}
	var text []byte
	ok := c.load != nil
	if ok {
		text, ok = c.load(iri)
	}
	if !ok {
		return nil, fault.New(fault.Missing, "the JSON-LD context <%s> is not known here, and none is fetched from the network: put it into the document, or load it with the data as --context %s=FILE (argument contexts)", iri, iri).With("context", iri)
	}
	document, err := decodeJSON(text)
	if err != nil {
		return nil, fault.New(fault.Malformed, "the JSON-LD context <%s> is no JSON: %v", iri, err)
	}
	object, _ := document.(map[string]any)
	if _, ok := object["@context"]; !ok {
		return nil, fault.New(fault.Malformed, "the JSON-LD context <%s> must be a JSON object with the member \"@context\"", iri)
	}
	if c.references != nil {
		object["@context"] = c.references.hideInContext(object["@context"])
	}
	return &ld.RemoteDocument{DocumentURL: iri, Document: document}, nil
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(text []byte) (document any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&document); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, &json.SyntaxError{Offset: dec.InputOffset() + 1}
	}
	return plainVersions(document), nil
}

// plainVersions makes each @version a float64, the only type in which json-gold recognizes 1.1.
func plainVersions(document any) any {
	switch v := document.(type) {
	case []any:
		for i, item := range v {
			v[i] = plainVersions(item)
		}
	case map[string]any:
		for key, member := range v {
			if n, ok := member.(json.Number); ok && key == "@version" {
				f, _ := n.Float64() // json-gold refuses other versions
				v[key] = f
			} else {
				v[key] = plainVersions(member)
			}
		}
	}
	return document
}

func jsonldOptions(base string, contexts *contexts) *ld.JsonLdOptions {
	options := ld.NewJsonLdOptions(base)
	options.ProcessingMode = ld.JsonLd_1_1
	options.DocumentLoader = contexts
	return options
}

// guarded runs a step of json-gold and turns its panics into errors. A fault, such as a refused
// context, is returned unchanged; any other error is reported as one of the document.
func guarded(step func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.New(fault.Malformed, "JSON-LD that cannot be processed: %v", r)
		}
	}()
	if err = step(); err == nil || fault.Of(err).Kind != fault.Internal {
		return err
	}
	return fault.New(fault.Malformed, "no JSON-LD: %v", err)
}
