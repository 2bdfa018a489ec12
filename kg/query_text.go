package kg

import "trails/sparql"

// ParseQuery is [sparql.Parse] with a base. The graph remembers what was parsed last,
// so the query is shared: nobody changes it.
func (g *Graph) ParseQuery(text, base string) (*sparql.Query, error) {
	return g.texts.Parse(text, base)
}
