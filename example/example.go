// Package example is a small graph of this project's own, its components,
// requirements, decisions and standards, embedded so that it runs anywhere. The
// tour below it works on it, and so do tests that need some real data.
package example

import _ "embed"

// Schema is the example's schema in YAML.
//
//go:embed schema.yaml
var Schema []byte

// Data is the example's data: 46 nodes and 47 edges, one JSON object a line.
//
//go:embed data.ndjson
var Data []byte
