package admin

import "encoding/json"

// What the calls answer, as far as pages show it. A cell is a value with what is
// needed to show it; its text is already cut.

type cell struct {
	Text     string `json:"text"`
	Datatype string `json:"datatype"`
	Lang     string `json:"lang"`
	Ref      *node  `json:"ref"`
	Length   int64  `json:"length"`
}

type node struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	IRI    string `json:"iri"`
	Label  string `json:"label"`
	Exists bool   `json:"exists"`
}

type commit struct {
	ID            string `json:"id"`
	Parent        string `json:"parent"`
	Author        string `json:"author"`
	Time          string `json:"time"`
	Message       string `json:"message"`
	SchemaVersion int64  `json:"schema_version"`
	Added         int64  `json:"added"`
	Removed       int64  `json:"removed"`
}

type activity struct {
	Capability string `json:"capability"`
	Agent      string `json:"agent"`
	Via        string `json:"via"`
	Started    string `json:"started"`
	Ended      string `json:"ended"`
	Outcome    string `json:"outcome"`
	TraceID    string `json:"trace_id"`
	// Listed reports that the capability has a page; see [asker.list].
	Listed bool `json:"-"`
}

type change struct {
	Property string `json:"property"`
	Old      []cell `json:"old"`
	New      []cell `json:"new"`
}

type nodeChange struct {
	Node    node     `json:"node"`
	What    string   `json:"what"`
	Changes []change `json:"changes"`
}

// schemaDocument is the answer of schema_get as JSON.
type schemaDocument struct {
	Base     string            `json:"base"`
	Prefixes map[string]string `json:"prefixes"`
	Types    []schemaType      `json:"types"`
}

type schemaType struct {
	Name        string           `json:"name"`
	IRI         string           `json:"iri"`
	Description string           `json:"description"`
	Label       string           `json:"label"`
	Key         []string         `json:"key"`
	Unique      [][]string       `json:"unique"`
	Mint        string           `json:"mint"`
	Extends     []string         `json:"extends"`
	Abstract    bool             `json:"abstract"`
	Properties  []schemaProperty `json:"properties"`
}

type schemaProperty struct {
	Name        string            `json:"name"`
	IRI         string            `json:"iri"`
	Description string            `json:"description"`
	Type        string            `json:"type"`
	Class       string            `json:"class"`
	Required    bool              `json:"required"`
	Many        bool              `json:"many"`
	MinCount    int               `json:"min_count"`
	MaxCount    *int              `json:"max_count"`
	MinLength   *int              `json:"min_length"`
	MaxLength   *int              `json:"max_length"`
	Pattern     string            `json:"pattern"`
	OneOf       []json.RawMessage `json:"one_of"`
	MinValue    json.RawMessage   `json:"min_value"`
	MaxValue    json.RawMessage   `json:"max_value"`
	HasValue    json.RawMessage   `json:"has_value"`
	Unique      bool              `json:"unique"`
	Default     json.RawMessage   `json:"default"`
	Dim         *int              `json:"dim"`
	Search      *bool             `json:"search"`
}

// find returns the type of this name.
func (d schemaDocument) find(name string) (schemaType, bool) {
	for _, t := range d.Types {
		if t.Name == name {
			return t, true
		}
	}
	return schemaType{}, false
}

// family returns the name and those of every type that it extends, the nearest first.
func (d schemaDocument) family(name string) []string {
	out, seen := []string{name}, map[string]bool{name: true}
	for i := 0; i < len(out); i++ {
		t, _ := d.find(out[i])
		for _, super := range t.Extends {
			if !seen[super] {
				seen[super] = true
				out = append(out, super)
			}
		}
	}
	return out
}

// properties returns what instances of the type have, inherited ones last.
func (d schemaDocument) properties(name string) []schemaProperty {
	var out []schemaProperty
	for _, n := range d.family(name) {
		t, _ := d.find(n)
		out = append(out, t.Properties...)
	}
	return out
}

// referring lists the types that have a property which refers to the type, and
// the type itself: what its instances' pages show.
func (d schemaDocument) referring(name string) []string {
	family := map[string]bool{}
	for _, n := range d.family(name) {
		family[n] = true
	}
	var out []string
	for _, t := range d.Types {
		refers := t.Name == name
		for _, p := range d.properties(t.Name) {
			refers = refers || family[p.Class]
		}
		if refers {
			out = append(out, t.Name)
		}
	}
	return out
}
