package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/auth"
	"trails/fault"
	"trails/invoke"
	"trails/schema"
)

// Limits of an instance's page.
const (
	valuesShown  = 50
	valuesMax    = 1000
	historyFirst = 5
	historyLimit = 50
	historyMax   = 500
	longText     = 400 // characters from which a text is folded
)

// instanceAnswer is what entity_get answers.
type instanceAnswer struct {
	Node       node
	Types      []string
	Properties []property
	Other      []struct {
		Predicate string
		Values    []cell
	}
	Incoming []incoming
	Changed  *commit
	Made     *commit
}

type property struct {
	Name        string
	IRI         string
	Datatype    string
	Class       string
	Many        bool
	Required    bool
	Description string
	Values      []cell
	Total       int64
}

// incoming is a group of nodes that refer to the instance by one property.
type incoming struct {
	Type     string
	Property string
	Total    int64
	More     bool
	Nodes    []node
}

type instanceData struct {
	instanceAnswer
	Type, ID string
	Capacity string
	Links    []property // those that refer to nodes
	Texts    []property // the others
	History  historyAnswer
	Only     string // the one property that is paged through, or ""
	Pager    *pager
	URI      string
	Curl     string
	CLI      string
}

// instance answers the page of one node.
func (s *site) instance(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "property", "offset")
	offset := q.number("offset", 0, 0, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, data, err := a.instance(r, q.Get("property"), offset)
	if err != nil {
		return err
	}
	data.addSnippets(auth.Origin(r))
	return s.respond(w, r, http.StatusOK, "instance.html", page{
		Title: firstOf(line(data.Node.Label), data.ID), Nav: "types", Type: data.Type, Data: data, Scripts: graphScripts,
		Crumbs: []link{{data.Type, typeURL(data.Type)}}, Twins: twinsOf(kgURL(data.Type, data.ID), url.Values{}),
		Live: live{Mode: "types", Types: doc.referring(data.Type), Head: a.head},
	})
}

// instance asks for the node, or one property of it, and its latest history.
func (a *asker) instance(r *http.Request, only string, offset int) (doc schemaDocument, data instanceData, err error) {
	data = instanceData{Type: r.PathValue("type"), ID: r.PathValue("id"), Only: only}
	args := map[string]any{"type": data.Type, "id": data.ID, "limit": valuesShown}
	if only != "" {
		args["property"], args["offset"] = only, offset
	}
	if doc, err = a.schema(); err != nil {
		return doc, data, err
	}
	if _, ok := doc.find(data.Type); !ok {
		return doc, data, fault.New(fault.NotFound, "there is no type %s in the schema", line(data.Type))
	}
	if err = a.ask("entity_get", args, &data.instanceAnswer); err != nil {
		return doc, data, err
	}
	if data.Node.ID != "" {
		data.ID = data.Node.ID
	}
	data.Capacity = schema.SnakeName(data.Type)
	data.sort(doc.labelOf(data.Type), offset)
	if err = a.ask("entity_history", map[string]any{"type": data.Type, "id": data.ID, "limit": historyFirst}, &data.History); err != nil {
		return doc, data, err
	}
	return doc, data, a.listHistory(&data.History)
}

// sort parts references from other values, and leaves out what is empty and optional.
func (d *instanceData) sort(label string, offset int) {
	for _, p := range d.Properties {
		switch {
		case d.Only != "" && p.Name != d.Only:
			continue
		case p.Class != "":
			d.Links = append(d.Links, p)
		default:
			d.Texts = append(d.Texts, p)
		}
		if d.Only != "" {
			d.Pager = d.pagerOf(p, offset)
		}
	}
	slices.SortStableFunc(d.Texts, func(x, y property) int { return boolOrder(x.Name == label, y.Name == label) })
}

// boolOrder puts what is true first.
func boolOrder(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

func (d *instanceData) pagerOf(p property, offset int) *pager {
	shown := len(p.Values)
	at := func(offset int) string {
		q := url.Values{"property": {p.Name}}
		if offset > 0 {
			q.Set("offset", strconv.Itoa(offset))
		}
		return withQuery(nodeURL(d.Type, d.ID), q)
	}
	out := &pager{Text: count(int64(min(offset+1, offset+shown))) + "–" + count(int64(offset+shown)) + " of " + count(p.Total)}
	if offset > 0 {
		out.Previous = &link{"Previous", at(max(0, offset-valuesShown))}
	}
	if int64(offset+shown) < p.Total && shown > 0 {
		out.Next = &link{"Next", at(offset + shown)}
	}
	return out
}

func (d *instanceData) addSnippets(origin string) {
	d.URI = invoke.Address(d.Type, d.ID)
	d.Curl = "curl -s '" + origin + kgURL(d.Type, d.ID) + "'"
	d.CLI = "trails invoke FILE entity_get " + shellQuote("type="+d.Type) + " " + shellQuote("id="+d.ID)
}

// MorePath is where further values of a property are.
func (d instanceData) MorePath(name string) string {
	return withQuery(nodeURL(d.Type, d.ID), url.Values{"property": {name}})
}

// AllOf is where all nodes that refer to this one by a property are, in pages: the list
// of their type, or a query where no type declares the property.
func (d instanceData) AllOf(g incoming) string {
	if g.Type != "" && !strings.Contains(g.Property, ":") {
		return withQuery(typeURL(g.Type), url.Values{"where": {g.Property + "=" + referenceTo(d.Node)}})
	}
	return example{Query: "SELECT ?node WHERE {\n  ?node <" + g.Property + "> <" + d.Node.IRI + ">\n}\nORDER BY ?node\n"}.Href()
}

// NotAll reports that more refer to the instance than are listed.
func (g incoming) NotAll() bool { return g.More || g.Total > int64(len(g.Nodes)) }

// IsLong reports a text that is folded.
func (c cell) IsLong() bool { return max(c.Length, int64(len([]rune(c.Text)))) > longText }

// Size is how many characters the whole text has.
func (c cell) Size() int64 { return max(c.Length, int64(len([]rune(c.Text)))) }

// IsCut reports that the cell does not hold the whole text.
func (c cell) IsCut() bool { return c.Length > int64(len([]rune(c.Text))) }
