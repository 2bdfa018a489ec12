package kg

import "trails/sparql"

// ParseQuery is [sparql.Parse] with a base, and with the prefixes of the schema, which a
// text may use without declaring them (see [schema.Schema.TurtlePrefixes]). The graph
// remembers what was parsed last, so the query is shared: nobody changes it.
func (s *Snapshot) ParseQuery(text, base string) (*sparql.Query, error) {
	return s.graph.texts.Parse(text, sparql.Options{Base: base, Prefixes: s.compiled.prefixes}, s.SchemaKey())
}

// ParseUpdate is [sparql.ParseUpdate] with a base and the prefixes of the schema.
func (s *Snapshot) ParseUpdate(text, base string) (*sparql.Update, error) {
	return sparql.ParseUpdate(text, sparql.Options{Base: base, Prefixes: s.compiled.prefixes})
}
