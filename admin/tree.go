package admin

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"trails/builtin/view"
	"trails/fault"
)

// treesURL is the page of the trees of a type.
const treesURL = "/admin/trees"

// treeData is what stands beneath a node by one relation, or the trees that the nodes of a type make by it.
type treeData struct {
	Node      view.Node // the zero node for the trees of a type
	Type      string
	By        string         // the property
	Direction string         // in: what refers to it, as with reports_to; out: what it refers to
	Relations []string       // properties that the tree can go by
	Doc       schemaDocument // has what people call them
	Roots     []branchOfTree // one, or those of a type
	Count     int            // nodes beneath it, or all of the trees
	Size      int            // nodes and links of the tree
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
	doc, _, err := a.typeNamed(r.PathValue("type"))
	if err != nil {
		return err
	}
	d.Type, d.Doc = r.PathValue("type"), doc
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
	d.grow(nodes, below, []string{g.Root})
	d.Count--
}

// grow makes the trees beneath roots, of each node those that are below it.
func (d *treeData) grow(nodes map[string]view.Node, below map[string][]string, roots []string) {
	first := map[string]string{} // the node above each one
	for _, root := range roots {
		if _, known := first[root]; known {
			continue
		}
		first[root] = ""
		for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
			for _, to := range below[queue[0]] {
				if _, known := first[to]; !known {
					first[to] = queue[0]
					queue = append(queue, to)
				}
			}
		}
	}
	d.Count = len(first)
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
	for _, root := range roots {
		if first[root] == "" {
			d.Roots = append(d.Roots, grow(root))
			first[root] = root // once
		}
	}
}

// treeRelation is a property by which the nodes of a type make trees. One of several values is taken to lead down, as parts
// do, and one of a single value up, as who somebody reports to does.
type treeRelation struct {
	Name, Title, Direction string // Title is the name for people
}

// treeRelations are the properties by which nodes of a type refer to nodes of the same type.
func (d schemaDocument) treeRelations(typeName string) (out []treeRelation) {
	for _, p := range d.properties(typeName) {
		if slices.Contains(d.family(typeName), p.Class) {
			out = append(out, treeRelation{p.Name, titleOf(p), textIf(p.Many, "out", "in")})
		}
	}
	return out
}

// treesAt is where the trees of a type are.
func treesAt(typeName, by, direction string) string {
	return withQuery(treesURL, url.Values{"type": {typeName}, "by": {by}, "direction": {direction}})
}

// trees answers the trees that the nodes of a type make by one relation.
func (s *site) trees(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "type", "by", "direction")
	d := treeData{Type: q.Get("type"), By: q.Get("by"), Direction: q.word("direction", "in", "out")}
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, t, err := a.typeNamed(d.Type)
	if err != nil {
		return err
	}
	d.Doc = doc
	for _, by := range doc.treeRelations(d.Type) {
		d.Relations = append(d.Relations, by.Name)
	}
	if !slices.Contains(d.Relations, d.By) {
		return fault.Argument("by", fault.OneOf, d.By, fmt.Sprintf("%s has no relation %s to nodes of the same type%s", t.Name, line(d.By), fault.DidYouMean(d.By, d.Relations)))
	}
	if err := d.readTrees(a); err != nil {
		return err
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: t.Name + " by " + doc.relation(d.By), Nav: "types", Type: t.Name, Main: d.main,
		Crumbs: []link{{t.Name, typeURL(t.Name)}}, Live: live{Mode: "any", Head: a.head},
	})
}

// readTrees reads the nodes that have the relation. What nothing stands above is a root; of a circle, what was read first.
func (d *treeData) readTrees(a *asker) error {
	v := listView{Type: d.Type, Where: []condition{{Property: d.By, Op: "not_empty"}}}
	args := v.arguments()
	args["columns"] = []string{d.By}
	nodes, below, beneath := map[string]view.Node{}, map[string][]string{}, map[string]bool{}
	var order []string
	add := func(n view.Node) {
		if _, known := nodes[n.IRI]; !known {
			nodes[n.IRI] = n
			order = append(order, n.IRI)
		}
	}
	done, last, err := view.EachPage(args, graphMax, func(args map[string]any) (t view.Table, err error) {
		return t, a.ask("entities_list", args, &t)
	}, func(page view.Table, _ []view.Column) error {
		for _, row := range page.Rows {
			for _, c := range row.Cells[d.By] {
				if c.Ref == nil {
					continue
				}
				above, under := *c.Ref, row.Node
				if d.Direction == "out" {
					above, under = under, above
				}
				add(above)
				add(under)
				below[above.IRI] = append(below[above.IRI], under.IRI)
				beneath[under.IRI] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.Truncated = last.TotalMore || last.Total > done
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Compare(map[bool]int{true: 1}[beneath[a]], map[bool]int{true: 1}[beneath[b]])
	})
	d.grow(nodes, below, order)
	return nil
}
