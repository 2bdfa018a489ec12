package sparql

import (
	"strings"

	"trails/rdf"
)

// Name is an IRI that occurs in a text, in brackets or with a prefix. The IRIs of PREFIX and BASE declarations do not
// count.
type Name struct {
	IRI rdf.IRI
	// Start and End are its byte offsets in the text.
	Start, End int
	// Prefix is the part before the colon of a prefixed name. Namespace is the text's own declaration of it, "" when
	// only [Options] declares it.
	Prefix, Namespace string
	// Bracketed reports that the IRI is written in brackets.
	Bracketed bool
}

// Names returns the IRIs of a query or an update, in the order of the text. A text that is neither is a
// [*fault.SyntaxError].
func Names(text string, opts Options) ([]Name, error) {
	form := FormOf(text)
	p, err := newParser(text, opts)
	if err != nil {
		return nil, err
	}
	p.naming = true
	if form != "" {
		p.query()
	} else {
		p.update()
	}
	p.expectEnd("the end of the text")
	if p.failed != nil {
		return nil, p.failed
	}
	return p.names, nil
}

// name records the IRI of a token, if naming is set.
func (p *parser) name(tok token, iri rdf.IRI) {
	if !p.naming || p.failed != nil {
		return
	}
	n := Name{IRI: iri, Start: p.writtenAt(tok.start), End: p.writtenAt(tok.end), Bracketed: tok.kind == iriRef}
	if !n.Bracketed {
		n.Prefix, _, _ = strings.Cut(tok.text, ":")
		n.Namespace = p.declared[n.Prefix]
	}
	p.names = append(p.names, n)
}

// Rename rewrites a text that is read with the options before into one that means the same under the options after,
// except that becomes may replace IRIs. Everything but IRIs stays, including comments and white space. It also
// returns the number of IRIs that were rewritten.
func Rename(text string, before, after Options, becomes func(Name) rdf.IRI) (string, int, error) {
	names, err := Names(text, before)
	if err != nil {
		return "", 0, err
	}
	var out strings.Builder
	end, renamed := 0, 0
	for _, n := range names {
		now := becomes(n)
		namespace, known := n.Namespace, n.Namespace != ""
		if !known && !n.Bracketed {
			namespace, known = after.Prefixes[n.Prefix]
		}
		written := text[n.Start:n.End]
		_, local, _ := strings.Cut(written, ":")
		switch stays := string(now) == namespace+unescapeLocal(local); {
		case n.Bracketed && now == n.IRI && (rdf.IsAbsoluteIRI(written[1:len(written)-1]) || before.Base == after.Base):
			continue
		case !n.Bracketed && known && stays:
			continue
		}
		written = "<" + string(now) + ">"
		if rest, within := strings.CutPrefix(string(now), namespace); known && within && isPlainLocal(rest) {
			written = n.Prefix + ":" + rest
		}
		out.WriteString(text[end:n.Start])
		out.WriteString(written)
		end, renamed = n.End, renamed+1
	}
	out.WriteString(text[end:])
	return out.String(), renamed, nil
}

// PlaceOf returns the first byte at or after from where a keyword in capitals, such as INSERT, or a variable with its
// mark, such as ?x, stands; -1 if there is none.
func PlaceOf(text, word string, from int) int {
	src, failed := unescapeCodepoints(text)
	if failed != nil {
		return -1
	}
	l := lexer{source: src}
	for tok := l.scan(); tok.kind != atEnd; tok = l.scan() {
		is := tok.kind == symbol && tok.text == word || tok.kind == variable && "?"+tok.text == word
		if at := l.writtenAt(tok.start); is && at >= from {
			return at
		}
	}
	return -1
}
