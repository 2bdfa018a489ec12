package admin

import (
	"net/http"
	"net/url"
	"slices"

	"trails/builtin/view"
)

// treeData is what stands beneath a node by one relation.
type treeData struct {
	Node      view.Node
	By        string   // the property
	Direction string   // in: what refers to it, as with reports_to; out: what it refers to
	Relations []string // properties that the tree can go by
	Root      branchOfTree
	Count     int // nodes beneath it
	Size      int // nodes and links of the tree
	Truncated bool
}

// branchOfTree is a node of a tree with what is beneath it. Again means that it stands elsewhere in the tree, with what
// is beneath it.
type branchOfTree struct {
	Node  view.Node
	Below []branchOfTree
	Again bool
}

// treeURL is where the tree of a node is.
func treeURL(n view.Node, by, direction string) string {
	q := url.Values{}
	if by != "" {
		q.Set("by", by)
		q.Set("direction", direction)
	}
	return withQuery(nodeURL(n.Type, n.ID)+"/tree", q)
}

// tree answers what stands beneath a node by one relation.
func (s *site) tree(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "by", "direction")
	d := treeData{By: q.Get("by"), Direction: q.word("direction", "in", "out")}
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	if _, _, err := a.typeNamed(r.PathValue("type")); err != nil {
		return err
	}
	v := graphView{Type: r.PathValue("type"), ID: r.PathValue("id"), Depth: depthMax, Limit: graphMax, Direction: d.Direction}
	found, err := a.graph(v)
	if err != nil {
		return err
	}
	d.read(found)
	name := labelOf(d.Node)
	return s.respond(w, r, http.StatusOK, page{
		Title: "Beneath " + name, Nav: "types", Type: v.Type, Main: d.main,
		Crumbs: []link{{v.Type, typeURL(v.Type)}, {name, nodeURL(v.Type, v.ID)}}, Live: live{Mode: "any", Head: a.head},
	})
}

// read makes a tree of a neighbourhood: of each node those that a link of the relation leads to, or comes from. A node
// stands where it was reached first, with the fewest steps.
func (d *treeData) read(g view.Graph) {
	nodes, below := map[string]view.Node{}, map[string][]string{}
	for _, n := range g.Nodes {
		nodes[n.IRI] = n.Node
	}
	for _, e := range g.Edges {
		if !slices.Contains(d.Relations, e.Property) {
			d.Relations = append(d.Relations, e.Property)
		}
	}
	slices.Sort(d.Relations)
	if d.By == "" && len(d.Relations) > 0 {
		d.By = d.Relations[0]
	}
	for _, e := range g.Edges {
		if e.Property != d.By {
			continue
		}
		from, to := e.From, e.To
		if d.Direction == "in" {
			from, to = to, from
		}
		below[from] = append(below[from], to)
	}
	d.Node, d.Truncated = nodes[g.Root], g.Truncated
	first := map[string]string{g.Root: ""} // the node above each one
	for queue := []string{g.Root}; len(queue) > 0; queue = queue[1:] {
		for _, to := range below[queue[0]] {
			if _, known := first[to]; !known {
				first[to] = queue[0]
				queue = append(queue, to)
			}
		}
	}
	d.Count = len(first) - 1
	var grow func(iri string) branchOfTree
	grow = func(iri string) branchOfTree {
		b := branchOfTree{Node: nodes[iri]}
		d.Size += 1 + len(below[iri])
		for _, to := range below[iri] {
			if first[to] == iri {
				b.Below = append(b.Below, grow(to))
			} else {
				b.Below = append(b.Below, branchOfTree{Node: nodes[to], Again: true})
			}
		}
		return b
	}
	d.Root = grow(g.Root)
}
