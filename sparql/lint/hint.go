package lint

import (
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
	"trails/sparql"
)

// noValue warns that no statement has a value, and says which one was probably meant. If none is close, it warns only
// if plain is set.
func (r *run) noValue(at any, lead string, property rdf.IRI, t rdf.Term, plain bool) bool {
	way := ""
	if near := r.meant(property, t); near != nil {
		way = fmt.Sprintf("; did you mean %s?", r.uncut(near))
	} else if iri := r.nodeOf(values{types: r.everything}, rdf.Lexical(t)); isText(t) && strings.Contains(rdf.Lexical(t), "/") && iri != "" {
		way = fmt.Sprintf("; VALUES ?node { %s } is the node of this id", r.name(iri))
	} else if !plain {
		return false
	}
	w := Warning{Text: fmt.Sprintf("%s: no %s is %s%s", lead, r.short(property), r.term(t), way), About: property, at: at}
	w.Empties = plain
	r.add(&r.misfits, w)
	return true
}

// meant returns the value of a property that a literal was probably meant to be: the same value in another form, or a
// similar text.
func (r *run) meant(property rdf.IRI, t rdf.Term) rdf.Term {
	likely := forms(rdf.Lexical(t), rdf.DatatypeOf(t))
	if canonical, ok := xsd.Canonical(rdf.Lexical(t), rdf.DatatypeOf(t)); ok {
		likely = append(likely, canonical)
	}
	for _, form := range likely {
		other := rdf.Literal(form, rdf.DatatypeOf(t))
		if other != t && !isText(t) && same(other, t) && r.has(property, other) {
			return other
		}
	}
	if xsd.IsNumeric(rdf.DatatypeOf(t)) {
		if q, ok, _ := r.first(rdf.Quad{Predicate: property}, func(q rdf.Quad) bool { return q.Label == nil && q.Object != t && same(q.Object, t) }); ok {
			return q.Object
		}
	}
	key := rdf.Quad{Predicate: property, Object: t}
	near, known := r.alikes[key]
	if known || !isText(t) || r.err != nil || r.lookups > maxLookups {
		return near
	}
	r.lookups += searchCosts
	if near, r.err = r.data.Alike(r.ctx, property, rdf.Lexical(t)); near == t {
		near = nil
	}
	r.alikes[key] = near
	return near
}

// searchCosts is how many look-ups a search is charged as.
const searchCosts = 50

// has reports that the default graph has a statement with this value.
func (r *run) has(property rdf.IRI, t rdf.Term) bool {
	_, ok, _ := r.first(rdf.Quad{Predicate: property, Object: t}, func(q rdf.Quad) bool { return q.Label == nil })
	return ok
}

// nodeOf returns the node of some that a text names, or "": a class or property by its name, an entity by its id, key
// or label.
func (r *run) nodeOf(nodes values, text string) rdf.IRI {
	fits := func(iri rdf.IRI) bool { return nodes.any || !r.constant(iri).and(nodes).empty() }
	if iri := r.nameOf(text); iri != "" && (nodes.any || nodes.other) {
		return iri
	}
	found, looked := r.nodes[text]
	if !looked && r.err == nil && r.lookups <= maxLookups && text != "" {
		r.lookups += searchCosts
		found, r.err = r.data.Named(r.ctx, text)
		r.nodes[text] = found
	}
	if i := slices.IndexFunc(found, fits); i >= 0 {
		return found[i]
	}
	return ""
}

// nameOf returns the class or property that a text names in the form in which answers show it, or "".
func (r *run) nameOf(text string) rdf.IRI {
	prefix, local, prefixed := strings.Cut(text, ":")
	if !prefixed {
		prefix, local = "", text
	}
	namespace, known := r.schema.TurtlePrefixes()[prefix]
	if !known || local == "" {
		return ""
	}
	iri := rdf.IRI(namespace + local)
	if r.schema.TypeByIRI(iri) != nil || len(r.declared[iri]) > 0 {
		return iri
	}
	if t := r.schema.Type(local); !prefixed && t != nil {
		return t.IRI
	}
	return ""
}

// name writes an IRI as a query may write it; entities are written in full.
func (r *run) name(iri rdf.IRI) string { return r.short(iri) }

func same(a, b rdf.Term) bool {
	equal, known := xsd.Equal(a, b)
	return equal || !known && a == b
}

func isText(t rdf.Term) bool {
	d := rdf.DatatypeOf(t)
	return d == rdf.XSDString || d == rdf.RDFLangString
}

// illFormed reports that the text of a literal is not valid for its datatype.
func (r *run) illFormed(t rdf.Term) bool {
	d := rdf.DatatypeOf(t)
	return samples[d] != nil && d != rdf.RDFLangString && d != node && d != schema.Vector && !xsd.Valid(rdf.Lexical(t), d)
}

// rewritten returns a literal in the form of one of these datatypes, or "" if there is none. A date that can be read
// in two ways is shown in both.
func (r *run) rewritten(t rdf.Term, datatypes []rdf.IRI) string {
	for _, d := range datatypes {
		if d == rdf.XSDString && rdf.DatatypeOf(t) == d || d == schema.Vector || d == rdf.RDFLangString { // its language is not known
			continue
		}
		var ways []string
		for _, form := range forms(rdf.Lexical(t), d) {
			if way := r.uncut(rdf.Literal(form, d)); !slices.Contains(ways, way) {
				ways = append(ways, way)
			}
		}
		if len(ways) > 0 {
			return "; write " + strings.Join(ways, " or ")
		}
	}
	return ""
}

// matched is [run.rewritten] for a pattern, which matches only values that are written alike. A number that no
// statement writes this way should be compared instead.
func (r *run) matched(t rdf.Term, property rdf.IRI, datatypes []rdf.IRI) string {
	for _, d := range datatypes {
		if d == rdf.RDFLangString {
			if near := r.meant(property, t); rdf.DatatypeOf(near) == d {
				return "; write " + r.uncut(near)
			}
		}
		for _, form := range forms(rdf.Lexical(t), d) {
			number := d == rdf.XSDDecimal || d == rdf.XSDDouble || d == rdf.XSDFloat
			if one := rdf.Literal(form, d); number && !r.has(property, one) {
				if other := r.meant(property, one); other != nil {
					return "; write " + r.uncut(other)
				}
				return fmt.Sprintf("; compare it: %s ?value FILTER(?value = %s)", r.short(property), r.uncut(one))
			}
		}
	}
	return r.rewritten(t, datatypes)
}

// forms returns the valid text of a datatype that a text was probably meant to be, or two for an ambiguous date.
func forms(text string, d rdf.IRI) []string {
	plain := strings.TrimSpace(text)
	if d == rdf.XSDString {
		return []string{text}
	}
	for _, form := range candidates(plain, d) {
		if !xsd.Valid(form, d) {
			continue
		}
		if d == rdf.XSDBoolean {
			form, _ = xsd.Canonical(form, d)
		}
		return []string{form}
	}
	days := daysOf(plain)
	var out []string
	for _, day := range days {
		if form := dayAs(day, d); form != "" {
			out = append(out, form)
		}
	}
	return out
}

// candidates returns texts of a datatype that a text may stand for, the likeliest first.
func candidates(text string, d rdf.IRI) []string {
	day, clock, _ := strings.Cut(text, "T")
	lower := strings.ToLower(text)
	number := strings.ReplaceAll(text, ",", "")
	switch d {
	case rdf.XSDBoolean:
		if i := slices.Index([]string{"yes", "no", "y", "n", "t", "f", "on", "off"}, lower); i >= 0 {
			return []string{[]string{"true", "false"}[i%2]}
		}
		number, _, _ = strings.Cut(number, ".")
		return []string{lower, number}
	case rdf.XSDInteger:
		whole, fraction, _ := strings.Cut(number, ".")
		whole, _, _ = strings.Cut(whole, "e")
		if strings.Trim(fraction, "0e") == "" {
			return []string{text, number, whole}
		}
		return []string{text, number}
	case rdf.XSDDecimal:
		return []string{text, number, strings.TrimSuffix(number, "e0")}
	case rdf.XSDDouble, rdf.XSDFloat:
		if strings.ContainsAny(text, "eE") {
			return []string{text}
		}
		return []string{text + "e0", number + "e0"}
	case rdf.XSDDate:
		return []string{text, day, text + "-01", text + "-01-01"}
	case rdf.XSDDateTime:
		return []string{text, text + "T00:00:00Z", strings.Replace(text, " ", "T", 1), strings.Replace(text, " ", "T", 1) + "Z", text + ":00Z", strings.Replace(text, " ", "T", 1) + ":00Z", text + "-01T00:00:00Z", text + "-01-01T00:00:00Z"}
	case rdf.XSDTime:
		return []string{text, clock, text + ":00"}
	case rdf.XSDGYear:
		year, _, _ := strings.Cut(text, "-")
		return []string{text, year}
	}
	return []string{text}
}

// daysOf returns the dates that a text such as 1/2/2024 may mean, as year, month and day.
func daysOf(text string) (days []string) {
	parts := strings.FieldsFunc(text, func(c rune) bool { return c == '/' || c == '.' || c == '-' })
	if len(parts) != 3 {
		return nil
	}
	add := func(year, month, day string) {
		if len(month) == 1 {
			month = "0" + month
		}
		if len(day) == 1 {
			day = "0" + day
		}
		if iso := year + "-" + month + "-" + day; xsd.Valid(iso, rdf.XSDDate) && !slices.Contains(days, iso) {
			days = append(days, iso)
		}
	}
	if len(parts[0]) == 4 {
		add(parts[0], parts[1], parts[2])
	} else if len(parts[2]) == 4 {
		add(parts[2], parts[1], parts[0])
		add(parts[2], parts[0], parts[1])
	}
	return days
}

// dayAs writes a date as a datatype has it, or "" if it does not.
func dayAs(day string, d rdf.IRI) string {
	switch d {
	case rdf.XSDDate:
		return day
	case rdf.XSDDateTime:
		return day + "T00:00:00Z"
	case rdf.XSDGYear:
		return day[:4]
	}
	return ""
}

// classHint says which class a text was probably meant for.
func (g *group) classHint(p sparql.TriplePattern, text string) string {
	iri := g.nameOf(text)
	if iri == "" {
		var names []string
		for _, t := range g.schema.Types {
			names = append(names, t.Name)
		}
		t := g.schema.Type(fault.Nearest(text, names))
		if t == nil {
			return "; there is " + listed(g.shorts(g.concrete))
		}
		iri = t.IRI
	}
	return fmt.Sprintf("; write %s a %s", g.operand(p.Subject), g.short(iri))
}
