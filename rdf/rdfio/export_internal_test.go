package rdfio

import (
	"io"

	"trails/rdf"
	"trails/text/jsontext"
)

// WriteExpandedJSONLD writes what [WriteJSONLD] compacts, as the suite wants it.
func WriteExpandedJSONLD(w io.Writer, quads []rdf.Quad) error {
	var text []byte
	err := guarded(func() (err error) {
		text, err = jsontext.Marshal(expandedJSONLD(quads))
		return err
	})
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
