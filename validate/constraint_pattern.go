package validate

import (
	"context"
	"regexp"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// pattern asks that a value's text matches a regular expression somewhere; a blank
// node matches none (SHACL section 4.4.3). The syntax is RE2, which takes time in
// proportion to the text, whatever the pattern.
type pattern struct {
	source string
	re     *regexp.Regexp
}

// maxPattern bounds the text of a pattern, in bytes.
const maxPattern = 4096

func compilePattern(p parameter) (constraint, error) {
	source := rdf.Lexical(p.value)
	if len(source) > maxPattern {
		return nil, fault.New(fault.InvalidData, "sh:pattern has %d bytes; the limit is %d", len(source), maxPattern)
	}
	expression, err := withFlags(source, p.graph.text(p.shape.id, sh("flags")))
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fault.New(fault.InvalidData, "sh:pattern %s is no regular expression that RE2 understands: %w", quote(source), err)
	}
	return pattern{source, re}, nil
}

// withFlags writes the flags of SPARQL's REGEX as RE2 does. "q" makes the pattern
// plain text; "x", which RE2 does not know, is refused.
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

func (r pattern) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		_, blank := v.(rdf.BNode)
		if blank || !r.re.MatchString(rdf.Lexical(v)) {
			e.report(patternComponent, v, r.source, "must match %s; %s does not", shorten(r.source), e.show(v))
		}
	}
	return nil
}
