package view

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
)

// Paths is what the capability paths answers: the ways from one node to another.
type Paths struct {
	From  Node   `json:"from"`
	To    Node   `json:"to"`
	Paths []Path `json:"paths" doc:"The shortest first."`
	Note  string `json:"note,omitempty" doc:"What was not looked at, or that there is no path."`
	Read  int    `json:"read" doc:"How many links were read."`
}

// Path is one way: each link leads from a node to the next one.
type Path struct {
	Text  string     `json:"text" doc:"The path in one line."`
	Nodes []Node     `json:"nodes"`
	Links []PathLink `json:"links"`
}

// PathLink is a link between two neighbours on a path.
type PathLink struct {
	Property string `json:"property"`
	Back     bool   `json:"back" doc:"The link leads from the later node to the earlier one."`
}

// PathsBetween returns up to limit paths of up to so many steps between two nodes, and says what was left out.
func PathsBetween(ctx context.Context, r *invoke.Request, from, to browse.Described, steps, limit int) (*Paths, error) {
	found, err := r.Snapshot.Paths(ctx, from, to, steps, limit)
	if err != nil {
		return nil, err
	}
	out := &Paths{From: viewNode(from), To: viewNode(to), Paths: []Path{}, Read: found.Read}
	for _, p := range found.Paths {
		one := Path{Nodes: viewNodes(p.Nodes)}
		for _, s := range p.Steps {
			one.Links = append(one.Links, PathLink(s))
		}
		one.Text = one.line()
		out.Paths = append(out.Paths, one)
	}
	var notes []string
	if len(out.Paths) == 0 {
		notes = append(notes, fmt.Sprintf("No path of up to %s was found, by links of any kind in either direction.", fault.Counted(steps, "step")))
	}
	if found.More {
		notes = append(notes, fmt.Sprintf("There are more paths than these %d, as long as the last one or longer; a higher limit lists more.", len(out.Paths)))
	}
	if found.Whole < steps {
		notes = append(notes, fmt.Sprintf("Paths of more than %s may be missing: %d links were read, and a node on the way has more links than are followed.", fault.Counted(found.Whole, "step"), found.Read))
	}
	out.Note = strings.Join(notes, " ")
	return out, nil
}

// line writes a path in one line: Ana —manages→ Ben ←member of— Team X.
func (p Path) line() string {
	var b strings.Builder
	for i, n := range p.Nodes {
		if i > 0 {
			b.WriteString(p.Links[i-1].Arrow())
		}
		b.WriteString(strings.Join(strings.Fields(cmp.Or(n.Label, n.ID, n.IRI)), " "))
	}
	return b.String()
}

// Arrow is a link as it stands in a line, with spaces around it.
func (l PathLink) Arrow() string {
	if l.Back {
		return " ←" + l.Property + "— "
	}
	return " —" + l.Property + "→ "
}
