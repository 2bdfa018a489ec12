package kg

import (
	"crypto/rand"
	"encoding/base32"
	"regexp"
	"strings"

	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// relabel gives the blank nodes of one change globally unique labels, which they
// keep for life: in every branch, export and bundle. A label that already is such
// a one is kept, so that an export can be loaded again.
type relabel struct{ prefix string }

var uniqueLabel = regexp.MustCompile(`^g[a-z2-7]{13}-.`)

func newRelabel() relabel {
	var seed [8]byte
	rand.Read(seed[:]) // never fails: crypto/rand ends the process instead
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(seed[:])
	return relabel{prefix: "g" + strings.ToLower(text) + "-"}
}

func (r relabel) term(t rdf.Term) rdf.Term {
	if b, ok := t.(rdf.BNode); ok && !uniqueLabel.MatchString(string(b)) {
		return rdf.BNode(r.prefix + string(b))
	}
	return t
}

// quad relabels q; the schema's blank nodes are named by their content already,
// unless a reader named them.
func (r relabel) quad(q rdf.Quad) rdf.Quad {
	if q.Label == rdf.SchemaGraph {
		q.Subject, q.Object = r.generated(q.Subject), r.generated(q.Object)
		return q
	}
	q.Subject, q.Object, q.Label = r.term(q.Subject), r.term(q.Object), r.term(q.Label)
	return q
}

func (r relabel) generated(t rdf.Term) rdf.Term {
	if b, ok := t.(rdf.BNode); ok && rdfio.IsGenerated(b) {
		return r.term(t)
	}
	return t
}

func (r relabel) edit(e change.Edit) change.Edit {
	e.Quad = r.quad(e.Quad)
	return e
}
