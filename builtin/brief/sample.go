package brief

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/capability"
	"trails/invoke"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Bounds on what examples show.
const (
	sampleNodes  = 5   // nodes that are examined to find a suitable one
	sampleID     = 48  // bytes of an id
	sampleValue  = 40  // characters of a value
	sampleValues = 3   // values of one property
	sampleCall   = 400 // bytes of a call's arguments
)

// sample is an existing node of a type, for examples. If there is none, it has no id and no values.
type sample struct {
	of     *schema.Type
	id     string
	values map[string][]any // as JSON, of required properties and of enumerations
}

// sampleOf finds a node of exactly this type with a suitable id, among the first ones.
func sampleOf(ctx context.Context, r *invoke.Request, t *schema.Type) (sample, rdf.IRI, error) {
	found := sample{of: t, values: map[string][]any{}}
	nodes, err := r.Snapshot.Instances(ctx, t.IRI, sampleNodes)
	if err != nil {
		return found, "", err
	}
	for _, node := range nodes {
		iri, _ := node.(rdf.IRI)
		name, local, ours := r.Snapshot.Schema().Local(iri)
		if ours && name == t.Name && quote.IsPlain(local, sampleID) {
			found.id = local
			return found, iri, nil
		}
	}
	return found, "", nil
}

// filledSample is sampleOf with the node's values.
func filledSample(ctx context.Context, r *invoke.Request, t *schema.Type) (sample, error) {
	found, iri, err := sampleOf(ctx, r, t)
	if err != nil || found.id == "" {
		return found, err
	}
	for _, p := range r.Snapshot.Schema().PropertiesOf(t) {
		if !p.Required() && len(p.OneOf) == 0 {
			continue
		}
		if found.values[p.Name], err = firstValues(ctx, r, iri, p); err != nil {
			return found, err
		}
	}
	return found, nil
}

func firstValues(ctx context.Context, r *invoke.Request, node rdf.IRI, p *schema.Property) ([]any, error) {
	var out []any
	for q, err := range r.Snapshot.Match(ctx, rdf.Quad{Subject: node, Predicate: p.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return nil, err
		}
		if out = append(out, r.Snapshot.Schema().JSONValue(p, q.Object)); len(out) == sampleValues {
			break
		}
	}
	return out, nil
}

// callExample is the JSON of a create's required arguments, with values of the sample, and the names of arguments
// that did not fit.
func (s sample) callExample(shape capability.Shape, most int) (args string, left []string) {
	var members []string
	size := len("{}")
	for _, f := range shape.Fields {
		if !f.Required {
			continue
		}
		member := fmt.Sprintf("%q:%s", f.Name, s.example(f))
		if size += len(member) + 1; size > most {
			left = append(left, f.Name)
			continue
		}
		members = append(members, member)
	}
	return "{" + strings.Join(members, ",") + "}", left
}

// example is a value of the field as JSON.
func (s sample) example(f capability.Field) string {
	values := slices.Clone(s.values[f.Name]) // others show the values as they are
	if len(values) == 0 {
		for range max(1, least(f)) {
			values = append(values, placeholder(f))
		}
	}
	for i, v := range values {
		if text, ok := v.(string); ok {
			values[i] = quote.Unmarked(text, sampleValue)
		}
	}
	var v any = values
	if !f.Many {
		v = values[0]
	}
	text, err := jsontext.Marshal(v)
	if err != nil || len(text) > sampleCall {
		return `"…"`
	}
	return string(text)
}

// least is how many values an example of the field has.
func least(f capability.Field) int {
	if f.MinCount == nil {
		return 0
	}
	return min(*f.MinCount, sampleValues)
}

// placeholder is a value of the field if no node has one.
func placeholder(f capability.Field) any {
	switch v, known := capability.Examples[f.Type]; {
	case f.HasValue != nil:
		return f.HasValue
	case len(f.OneOf) > 0:
		return f.OneOf[0]
	case f.NodeType != "":
		return f.NodeType + "/…"
	case f.MinValue != nil:
		return f.MinValue
	case known:
		return v
	}
	return "…"
}
