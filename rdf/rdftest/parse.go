package rdftest

import (
	"errors"
	"fmt"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// Parse returns a function that runs tests of a format's reader: negative tests must end in a syntax error,
// positive ones without error and, if the test has a result, with the same dataset.
func Parse(read NewReader) func(Test) error {
	return func(test Test) error {
		quads, err := test.Manifest.ReadWith(test.Action, read)
		switch {
		case test.Positive() && err != nil:
			return fmt.Errorf("refused: %w", err)
		case test.Positive() && test.Result != nil:
			return compare(test, quads)
		case test.Positive():
			return nil
		case err == nil:
			return fmt.Errorf("accepted %d quads of what is no such document", len(quads))
		}
		if syntax := (*rdfio.SyntaxError)(nil); !errors.As(err, &syntax) {
			return fmt.Errorf("got %w, want a syntax error", err)
		}
		return nil
	}
}

func compare(test Test, got []rdf.Quad) error {
	want, err := test.Manifest.Read(test.Result)
	if err != nil {
		return fmt.Errorf("expected result: %w", err)
	}
	if !rdf.Isomorphic(want, got) {
		return fmt.Errorf("another dataset:\ngot\n%swant\n%s", lines(got), lines(want))
	}
	return nil
}

func lines(quads []rdf.Quad) string {
	var text []byte
	for _, q := range quads {
		text = append(rdf.AppendQuad(text, q), '\n')
	}
	return string(text)
}
