package validate

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/text/outline"
)

// in restricts values to a list (SHACL section 4.8.3).
func in(p parameter) (constraint, error) {
	list, err := p.graph.list(p.value)
	if err != nil {
		return nil, err
	}
	members := make(map[rdf.Term]bool, len(list))
	for _, member := range list {
		members[member] = true
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			if !members[v] {
				e.report(p.component, v, e.jsonList(list), "must be one of %s, not %s", e.showList(list), e.show(v))
			}
		}
		return nil
	}, nil
}

// hasValue requires one particular value (SHACL section 4.8.2).
func hasValue(p parameter) (constraint, error) {
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		if !slices.Contains(values, p.value) {
			e.report(p.component, nil, e.json(p.value), "must have the value %s", e.show(p.value))
		}
		return nil
	}, nil
}

// bound compares values with one end of a range (SHACL section 4.3). A value that cannot be compared violates it.
func bound(phrase string, inside func(order int) bool) func(parameter) (constraint, error) {
	return func(p parameter) (constraint, error) {
		if _, ok := xsd.Compare(p.value, p.value); !ok {
			return nil, fault.New(fault.InvalidData, "%s must be a value that has an order, not %s", word(p.name), label(p.value))
		}
		return func(_ context.Context, e *evaluation, values []rdf.Term) error {
			for _, v := range values {
				if order, ok := xsd.Compare(v, p.value); !ok || !inside(order) {
					e.report(p.component, v, e.json(p.value), "must be %s %s, not %s", phrase, e.show(p.value), e.show(v))
				}
			}
			return nil
		}, nil
	}
}

// maxPattern bounds the text of a pattern, in bytes.
const maxPattern = 4096

// pattern requires that a regular expression matches somewhere in a value's text; a blank node never matches (SHACL
// section 4.4.3). The syntax is RE2, whose time is linear in the text.
func pattern(p parameter) (constraint, error) {
	source := rdf.Lexical(p.value)
	if len(source) > maxPattern {
		return nil, fault.New(fault.InvalidData, "sh:pattern has %d bytes; the limit is %d", len(source), maxPattern)
	}
	flags, err := p.graph.one(p.shape.id, sh("flags"))
	if err != nil {
		return nil, err
	}
	expression, err := withFlags(source, rdf.Lexical(flags))
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fault.New(fault.InvalidData, "sh:pattern %s is no regular expression that RE2 understands: %v", quoted(source), err)
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			_, blank := v.(rdf.BNode)
			if blank || !re.MatchString(rdf.Lexical(v)) {
				e.report(p.component, v, source, "must match %s; %s does not", outline.Begin(source, maxShown), e.show(v))
			}
		}
		return nil
	}, nil
}

// withFlags converts the flags of SPARQL's REGEX to RE2. "q" makes the pattern literal; "x", which RE2 does not have,
// is refused.
func withFlags(source, flags string) (string, error) {
	for _, f := range flags {
		if !strings.ContainsRune("ismq", f) {
			return "", fault.New(fault.InvalidData, "sh:flags %q: %q is not supported; allowed are i, s, m and q", flags, f)
		}
	}
	if strings.Contains(flags, "q") {
		source, flags = regexp.QuoteMeta(source), strings.ReplaceAll(flags, "q", "")
	}
	if flags == "" {
		return source, nil
	}
	return "(?" + flags + ")" + source, nil
}
