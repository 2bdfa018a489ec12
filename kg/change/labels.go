package change

import (
	"crypto/rand"
	"encoding/base32"
	"regexp"
	"strings"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// Labels give the blank nodes of one change globally unique labels, which never change: in every branch, export and
// bundle. A label that is already of this form is kept, so that an export can be loaded again.
type Labels struct {
	// Prefix is the beginning of every new label.
	Prefix string
}

var uniqueLabel = regexp.MustCompile(`^g[a-z2-7]{13}-.`)

// NewLabels returns labels that no other change gives.
func NewLabels() Labels {
	var seed [8]byte
	rand.Read(seed[:]) // never fails: crypto/rand ends the process instead
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(seed[:])
	return Labels{Prefix: "g" + strings.ToLower(text) + "-"}
}

func (r Labels) term(t rdf.Term) rdf.Term {
	if b, ok := t.(rdf.BNode); ok && !uniqueLabel.MatchString(string(b)) {
		return rdf.BNode(r.Prefix + string(b))
	}
	return t
}

// Quad relabels q. Blank nodes of the schema are already named by their content, unless a reader named them.
func (r Labels) Quad(q rdf.Quad) rdf.Quad {
	if q.Label == rdf.SchemaGraph {
		q.Subject, q.Object = r.generated(q.Subject), r.generated(q.Object)
		return q
	}
	q.Subject, q.Object, q.Label = r.term(q.Subject), r.term(q.Object), r.term(q.Label)
	return q
}

func (r Labels) generated(t rdf.Term) rdf.Term {
	if b, ok := t.(rdf.BNode); ok && rdfio.IsGenerated(b) {
		return r.term(t)
	}
	return t
}

// Edit relabels the quad of e.
func (r Labels) Edit(e Edit) Edit {
	e.Quad = r.Quad(e.Quad)
	return e
}
