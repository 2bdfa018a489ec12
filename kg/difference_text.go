package kg

import (
	"fmt"
	"strings"

	"trails/db"
	"trails/db/history"
	"trails/fault"
	"trails/rdf"
	"trails/text/jsontext"
)

// DifferenceText is a text that makes one state of another.
type DifferenceText interface {
	// Add adds a statement, unless it takes more than room characters within a JSON string, and returns how many it takes.
	Add(change db.Change, room int) (int, error)
	// String returns the text of those added so far.
	String() string
}

// UpdateText returns an empty SPARQL 1.1 update.
func (c *Comparison) UpdateText() DifferenceText { return &updateText{} }

// PatchText returns an empty RDF Patch, https://afs.github.io/rdf-patch/.
func (c *Comparison) PatchText() DifferenceText { return &patchText{from: c.From, to: c.To} }

// updateText is a SPARQL update: the statements that it removes, and those that it adds.
type updateText struct{ removes, adds strings.Builder }

// Add implements DifferenceText. Blank nodes are the fault InvalidArguments.
func (u *updateText) Add(change db.Change, room int) (int, error) {
	for _, t := range []rdf.Term{change.Subject, change.Object, change.Label} {
		if _, blank := t.(rdf.BNode); blank {
			return 0, fault.Argument("form", fault.OneOf, "update", "the difference has blank nodes, which an update cannot name: take the form patch, or a node without them")
		}
	}
	to := &u.removes
	if change.Op == history.OpAdd {
		to = &u.adds
	}
	line := string(rdf.AppendTerm(nil, change.Subject)) + " " + string(rdf.AppendTerm(nil, change.Predicate)) + " " + string(rdf.AppendTerm(nil, change.Object)) + " ."
	if change.Label != nil {
		line = "GRAPH " + string(rdf.AppendTerm(nil, change.Label)) + " { " + line + " }"
	}
	return addTo(to, "  "+line+"\n", room), nil
}

// String returns the update.
func (u *updateText) String() string {
	var operations []string
	for _, one := range []struct{ name, block string }{{"DELETE DATA", u.removes.String()}, {"INSERT DATA", u.adds.String()}} {
		if one.block != "" {
			operations = append(operations, one.name+" {\n"+one.block+"}")
		}
	}
	return strings.Join(operations, " ;\n") + "\n"
}

// patchText is an RDF Patch of one transaction. Its header names the commits.
type patchText struct {
	from, to Commit
	rows     strings.Builder
}

// Add implements DifferenceText.
func (p *patchText) Add(change db.Change, room int) (int, error) {
	row := []byte("A ")
	if change.Op == history.OpRemove {
		row[0] = 'D'
	}
	return addTo(&p.rows, string(rdf.AppendQuad(row, change.Quad))+"\n", room), nil
}

// String returns the patch.
func (p *patchText) String() string {
	head := fmt.Sprintf("H id %s .\n", p.to.ID.IRI())
	if !p.from.ID.IsZero() {
		head += fmt.Sprintf("H prev %s .\n", p.from.ID.IRI())
	}
	return head + "TX .\n" + p.rows.String() + "TC .\n"
}

// addTo adds text to another unless it takes more than room characters within a JSON string, and returns how many it takes.
func addTo(to *strings.Builder, text string, room int) int {
	size := jsontext.Size(text)
	if size <= room {
		to.WriteString(text)
	}
	return size
}
