package validate

import (
	"context"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// languageIn lists the languages that values may be in (SHACL section 4.4.4).
func languageIn(p parameter) (constraint, error) {
	list, err := p.graph.list(p.value)
	if err != nil {
		return nil, err
	}
	languages := make([]string, len(list))
	for i, term := range list {
		if languages[i] = rdf.Lexical(term); rdf.DatatypeOf(term) != rdf.XSDString {
			return nil, fault.New(fault.InvalidData, "sh:languageIn must list strings, not %s", label(term))
		}
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			tag, tagged := rdf.LangOf(v)
			if tagged && slices.ContainsFunc(languages, func(wanted string) bool { return rdf.LangMatches(tag, wanted) }) {
				continue
			}
			e.report(p.component, v, languages, "must be in %s, not %s", strings.Join(languages, ", "), e.show(v))
		}
		return nil
	}, nil
}

// uniqueLang asks that no two values have one language (SHACL section 4.4.5). Tags that differ
// in case alone are one already.
func uniqueLang(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		var seen []string
		for i, v := range values {
			tag, tagged := rdf.LangOf(v)
			if !tagged || slices.Contains(seen, tag) {
				continue
			}
			seen = append(seen, tag)
			n := 1
			for _, other := range values[i+1:] {
				if same, _ := rdf.LangOf(other); same == tag {
					n++
				}
			}
			if n > 1 {
				e.report(p.component, nil, true, "must have one value in each language, and has %d in %s", n, tag)
			}
		}
		return nil
	}, nil
}
