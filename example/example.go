// Package example embeds a small graph of this project: components, requirements, decisions and standards. The
// tour, `trails demo` and tests use it.
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

// Step is one call made after the data was loaded.
type Step struct {
	// Who made it, with which program.
	Who, With string
	// Capability and Arguments are the call's, Message is its commit's.
	Capability string
	Arguments  map[string]any
	Message    string
}

// Story yields calls made after loading, so that a graph made from the example has a history.
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
