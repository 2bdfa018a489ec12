package admin

import (
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"trails/builtin/view"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// How much of a text a cell shows: folded, and unfolded.
const (
	cellShown = 160
	cellMost  = 10_000
	textsMost = 20_000 // of all cells that are unfolded; further ones have their beginning alone
)

// namedMost is how many IRIs are looked up for one answer.
const namedMost = 1000

// sparqlCell is a term as the table shows it; the zero cell is an unbound variable.
type sparqlCell struct {
	Kind string // uri, literal or bnode
	Text string // a literal's, or how an IRI is written
	IRI  string
	// Type and ID are those of an entity of the graph, Href is the address of another
	// IRI that a browser may be sent to.
	Type, ID, Href string
	// At is the earlier commit that the entity is shown at, "" for the newest.
	At             string
	Lang, Datatype string
	// Size is how many characters the whole text has, Whole those that are shown unfolded, "" for none.
	Size  int64
	Whole string
}

// naming knows the entities behind the IRIs of one answer.
type naming struct {
	schema   *schema.Schema
	prefixes []prefix
	types    map[string]string // of the entities among them
	asked    map[string]bool
	colours  *typeColours
	at       string // the commit of the answer, "" for the newest
	room     int    // characters that cells may still have unfolded
	begun    int    // cells that have the beginning of their text alone
}

type prefix struct{ name, namespace string }

// naming looks up all IRIs of an answer with one query, so that existing entities are linked and others are not; if
// that fails nothing is linked. The text's prefixes come before those of the schema, because the reader knows them,
// and longer ones first.
func (a *asker) naming(text string, rows [][]view.Term) *naming {
	n := &naming{schema: schema.Empty(""), types: map[string]string{}, asked: map[string]bool{}, colours: a.colours, room: textsMost}
	if s, err := a.graphSchema(); err == nil {
		n.schema = s
	}
	all := n.schema.TurtlePrefixes()
	if q, err := sparql.Parse(text, sparql.Options{Base: "urn:trails:"}); err == nil {
		maps.Copy(all, q.Prefixes)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != "" {
			n.prefixes = append(n.prefixes, prefix{name, all[name]})
		}
	}
	sort.SliceStable(n.prefixes, func(i, j int) bool { return len(n.prefixes[i].namespace) > len(n.prefixes[j].namespace) })
	var values strings.Builder
	for _, row := range rows {
		for _, t := range row {
			if t.Type == "uri" && !n.asked[t.Value] && len(n.asked) < namedMost && schema.CheckIRI(t.Value) == nil {
				n.asked[t.Value] = true
				values.WriteString(" <" + t.Value + ">")
			}
		}
	}
	var answer queryAnswer
	if values.Len() > 0 {
		query := "SELECT ?node ?type { VALUES ?node {" + values.String() + " } ?node a ?type }"
		if err := a.ask("query", map[string]any{"query": query, "limit": sparqlMax, "format": "sparql-json"}, &answer); err != nil {
			return n
		}
	}
	for _, row := range answer.Rows {
		node, t := row["node"].Value, n.schema.TypeByIRI(rdf.IRI(row["type"].Value))
		if t == nil {
			continue
		}
		local, _, _ := n.schema.Local(rdf.IRI(node))
		if _, known := n.types[node]; !known || local == t.Name {
			n.types[node] = t.Name
		}
	}
	return n
}

// entity is the type and the id of an IRI's page; those that were too many to look
// up go by their name.
func (n *naming) entity(iri string) (typeName, id string) {
	if typeName, ok := n.types[iri]; ok {
		return typeName, n.schema.IDOf(n.schema.Type(typeName), rdf.IRI(iri))
	}
	if !n.asked[iri] {
		typeName, id, _ = n.schema.Local(rdf.IRI(iri))
	}
	return typeName, id
}

// cell returns a term as the table shows it.
func (n *naming) cell(t view.Term) sparqlCell {
	c := sparqlCell{Kind: t.Type, Lang: t.Lang, Text: t.Value, At: n.at}
	switch t.Type {
	case "uri":
		c.IRI, c.Text = t.Value, n.short(t.Value)
		if c.Type, c.ID = n.entity(t.Value); c.ID == "" {
			c.Href = webURL(t.Value)
		}
	case "bnode":
		c.Text = "_:" + t.Value
	case "literal":
		if t.Datatype != "" {
			c.Datatype = n.short(t.Datatype)
		}
		if c.Size = int64(utf8.RuneCountInString(t.Value)); c.Size > cellShown || strings.ContainsAny(t.Value, "\n\r") {
			n.unfold(&c)
		}
	}
	return c
}

// unfold gives a cell as much of its text as there is room for.
func (n *naming) unfold(c *sparqlCell) {
	size := min(int(c.Size), cellMost)
	if size > cellShown && size > n.room {
		n.begun++
		return
	}
	if c.Whole = firstRunes(c.Text, cellMost); size > cellShown {
		n.room -= size
	}
}

// plainLocal is what may follow a prefix without an escape.
var plainLocal = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_-]*$`)

// short writes an IRI with a prefix, or whole.
func (n *naming) short(iri string) string {
	for _, p := range n.prefixes {
		if local, ok := strings.CutPrefix(iri, p.namespace); ok && plainLocal.MatchString(local) {
			return p.name + ":" + local
		}
	}
	return iri
}

// IsCut reports that the cell does not hold the whole text.
func (c sparqlCell) IsCut() bool { return c.Size > cellMost }

// Label is how an entity is called: as everywhere, by type and id.
func (c sparqlCell) Label() string {
	if strings.Contains(c.ID, ":") {
		return c.Text
	}
	return c.Type + "/" + c.ID
}
