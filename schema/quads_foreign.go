package schema

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// Foreign is a subject of the schema graph with statements that the schema language cannot express: a separate shape,
// or another predicate on a type's shape. No form of the schema contains it, and a new schema removes it.
type Foreign struct {
	Subject string   // as N-Triples write it
	Says    []string // the predicates, in order
}

// Foreign returns the statements beyond the schema among the quads that it was read from; empty if it was not read
// from quads.
func (s *Schema) Foreign() []Foreign { return s.foreign }

// RefuseForeign returns fault.InvalidData if there are such statements, with an entry for each subject.
func (s *Schema) RefuseForeign() error {
	var problems []fault.FieldError
	for _, f := range s.foreign {
		problems = append(problems, fault.FieldError{
			Field: f.Subject, Code: fault.Shape, Value: strings.Join(f.Says, ", "),
			Message: f.Subject + " in the graph <" + string(rdf.SchemaGraph) + "> says " + strings.Join(f.Says, ", ") + ", which the schema language has no words for, so that it would be shown nowhere; take it out of the export, and give the property of the type the constraint with schema apply",
		})
	}
	if problems == nil {
		return nil
	}
	return fault.Invalid(problems)
}

// foreign returns the quads that were read and that s does not have, by subject. Blank nodes are compared by content,
// numbers by value, and property shapes by type and name; the numbers that order shapes are ignored.
func (r *quadReader) foreign(s *Schema) []Foreign {
	own := map[rdf.Quad]bool{}
	written := newQuadReader(s.Quads())
	for _, quads := range written.about {
		for _, q := range quads {
			own[written.named(q)] = true
		}
	}
	says := map[rdf.Term]map[string]bool{}
	for _, quads := range r.about {
		for _, q := range quads {
			if own[r.named(q)] || r.saysNothing(q) {
				continue
			}
			subject := r.owner(q.Subject)
			if says[subject] == nil {
				says[subject] = map[string]bool{}
			}
			predicate, _ := q.Predicate.(rdf.IRI)
			says[subject][foreignWord(predicate)] = true
		}
	}
	var out []Foreign
	for subject, words := range says {
		out = append(out, Foreign{Subject: string(rdf.AppendTerm(nil, subject)), Says: slices.Sorted(maps.Keys(words))})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Subject < out[j].Subject })
	return out
}

// saysNothing reports whether a quad has no effect: an ordering number, the class of a property shape, or a minimum
// count of 0.
func (r *quadReader) saysNothing(q rdf.Quad) bool {
	shape, _ := q.Subject.(rdf.IRI)
	if r.known[shape] == "" {
		return false
	}
	return q.Predicate == shOrder ||
		q.Predicate == rdf.Type && q.Object == shPropertyShape ||
		q.Predicate == shMinCount && rdf.Lexical(canonical(q.Object)) == "0"
}

// named returns a quad with canonical names for its nodes.
func (r *quadReader) named(q rdf.Quad) rdf.Quad {
	return rdf.Quad{Subject: r.name(q.Subject), Predicate: q.Predicate, Object: r.name(q.Object)}
}

func (r *quadReader) name(t rdf.Term) rdf.Term {
	switch v := t.(type) {
	case rdf.IRI:
		if is := r.known[v]; is != "" {
			return is
		}
		return v
	case rdf.BNode:
		if name, ok := r.blank[v]; ok {
			return name
		}
		r.blank[v] = v // while it is being described: a cycle leads back to it
		var content []string
		for _, q := range r.about[v] {
			content = append(content, string(rdf.AppendTerm(nil, q.Predicate))+" "+string(rdf.AppendTerm(nil, r.name(q.Object))))
		}
		slices.Sort(content)
		r.blank[v] = rdf.BNode("b" + digest(content...))
		return r.blank[v]
	}
	return canonical(t)
}

// owner returns the subject that a blank node belongs to: the first subject leading to it that is not itself a blank
// node.
func (r *quadReader) owner(t rdf.Term) rdf.Term {
	if len(r.owners) == 0 {
		for _, quads := range r.about {
			for _, q := range quads {
				if _, blank := q.Object.(rdf.BNode); blank {
					r.owners[q.Object] = q.Subject
				}
			}
		}
	}
	for range len(r.owners) {
		above, ok := r.owners[t]
		if _, blank := t.(rdf.BNode); !blank || !ok {
			break
		}
		t = above
	}
	return t
}

// foreignWord is a predicate as people write it: "sh:minLength", "rdf:type".
func foreignWord(predicate rdf.IRI) string {
	for _, known := range []struct{ prefix, namespace string }{
		{"sh:", rdf.SHNS}, {"trails:", rdf.TrailsNS}, {"rdfs:", rdf.RDFSNS}, {"rdf:", rdf.RDFNS}, {"owl:", rdf.OWLNS},
	} {
		if name, ok := strings.CutPrefix(string(predicate), known.namespace); ok {
			return known.prefix + name
		}
	}
	return "<" + string(predicate) + ">"
}
