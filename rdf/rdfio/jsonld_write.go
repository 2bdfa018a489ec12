package rdfio

import (
	"fmt"
	"io"

	"github.com/piprate/json-gold/ld"

	"trails/fault"
	"trails/rdf"
)

// WriteJSONLD writes a dataset as one JSON-LD 1.1 document, compacted with a context: JSON text
// of an object, an array, or an IRI that load knows; nil is the empty context. Literals stay
// exact, because numbers and booleans are written as strings with a datatype. RDF lists become
// JSON-LD lists.
func WriteJSONLD(w io.Writer, quads []rdf.Quad, context []byte, load ContextLoader) error {
	ctx := any(map[string]any{})
	if context != nil {
		var err error
		if ctx, err = decodeJSON(context); err != nil {
			return fault.New(fault.InvalidArguments, "the JSON-LD context is no JSON: %v", err)
		}
	}
	options := jsonldOptions("", &contexts{load: load})
	var document any
	err := guarded(func() (err error) {
		document, err = ld.NewJsonLdProcessor().Compact(expandedJSONLD(quads), ctx, options)
		return err
	})
	if err != nil {
		return err
	}
	text, err := encodeJSONLD(document)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write JSON-LD: %w", err)
	}
	return nil
}
