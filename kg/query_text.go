package kg

import "trails/sparql"

// ParseQuery is [sparql.Parse] with a base and the prefixes of the schema, which need no declaration (see
// [schema.Schema.TurtlePrefixes]). The result is cached and shared, and must not be changed.
func (s *Snapshot) ParseQuery(text, base string) (*sparql.Query, error) {
	return s.graph.texts.Parse(text, sparql.Options{Base: base, Prefixes: s.compiled.prefixes}, s.SchemaKey())
}

// ParseUpdate is [sparql.ParseUpdate] with a base and the prefixes of the schema.
func (s *Snapshot) ParseUpdate(text, base string) (*sparql.Update, error) {
	return sparql.ParseUpdate(text, sparql.Options{Base: base, Prefixes: s.compiled.prefixes})
}
