// Package example is a small graph of this project's own, its components,
// requirements, decisions and standards, embedded so that it runs anywhere. The
// tour below it works on it, `trails demo` serves it, and so do tests that need
// some real data.
package example

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"iter"
)

// Schema is the example's schema in YAML.
//
//go:embed schema.yaml
var Schema []byte

// Data is the example's data: 46 nodes and 47 edges, one JSON object a line.
//
//go:embed data.ndjson
var Data []byte

//go:embed story.ndjson
var story []byte

// Step is one call that was made after the data were loaded.
type Step struct {
	// Who made it, with which program.
	Who, With string
	// Capability and Arguments are the call's, Message is its commit's.
	Capability string
	Arguments  map[string]any
	Message    string
}

// Story is what happened to the example after it was loaded, so that a graph made
// from it has a history to look at.
func Story() iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		lines := json.NewDecoder(bytes.NewReader(story))
		for n := 1; lines.More(); n++ {
			var s Step
			err := lines.Decode(&s)
			if err != nil {
				err = fmt.Errorf("step %d of the example's story: %w", n, err)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}
