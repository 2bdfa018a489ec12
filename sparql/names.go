package sparql

import (
	"strings"

	"trails/rdf"
)

// Name is an IRI that a text names in brackets or with a prefix. Those of PREFIX and BASE
// are none.
type Name struct {
	IRI rdf.IRI
	// Start and End are its place, as bytes of the text.
	Start, End int
	// Prefix is what stands before the colon of a prefixed name, and Namespace what the text
	// itself declares it to be, "" when [Options] does.
	Prefix, Namespace string
	// Bracketed means that it stands in brackets.
	Bracketed bool
}

// Names returns the IRIs that a query or an update names, in the order of the text. A text
// that is neither is a [*fault.SyntaxError].
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

// name notes the IRI of a token, where names are asked for.
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

// Rename returns a text that means under after what the given one means under before, but
// for the IRIs for which becomes has another one. All but these names stays as it is,
// comments and spaces included. It also returns how many it wrote anew.
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

// PlaceOf returns the byte of a text at which a keyword in capitals, such as INSERT, or a
// variable with its mark, such as ?x, first stands, from a byte on; -1 where none does.
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
