package rdfio_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// turtleReader reads the Turtle that the writer emits, by the grammar's own
// productions and nothing of the package under test.
type turtleReader struct {
	text     string
	prefixes map[string]string
	quads    []rdf.Quad
	fresh    int
}

var (
	blankToken    = regexp.MustCompile(`^\s+`)
	prefixToken   = regexp.MustCompile(`^@prefix ([A-Za-z][A-Za-z0-9_-]*)?: <([^>]*)> \.`)
	iriToken      = regexp.MustCompile("^<((?:[^\\x00-\\x20<>\"{}|^`\\\\]|\\\\u[0-9A-Fa-f]{4})*)>")
	nameToken     = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)?:([A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?)`)
	labelToken    = regexp.MustCompile(`^_:([\pL\d_](?:[\pL\d_.-]*[\pL\d_-])?)`)
	doubleToken   = regexp.MustCompile(`^[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[eE][+-]?[0-9]+`)
	decimalToken  = regexp.MustCompile(`^[+-]?[0-9]*\.[0-9]+`)
	integerToken  = regexp.MustCompile(`^[+-]?[0-9]+`)
	booleanToken  = regexp.MustCompile(`^(?:true|false)\b`)
	longToken     = regexp.MustCompile(`^"""((?:"{0,2}(?:[^"\\]|\\[tbnrf"'\\]|\\u[0-9A-Fa-f]{4}))*)"""`)
	shortToken    = regexp.MustCompile(`^"((?:[^"\\\n\r]|\\[tbnrf"'\\]|\\u[0-9A-Fa-f]{4})*)"`)
	langToken     = regexp.MustCompile(`^@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)`)
	escapePattern = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|.)`)
)

type turtleSyntax struct{ expected, at string }

// readTurtle returns the triples of a document, or an error.
func readTurtle(text string) (quads []rdf.Quad, err error) {
	r := &turtleReader{text: text, prefixes: map[string]string{}}
	defer func() {
		if e, ok := recover().(turtleSyntax); ok {
			err = fmt.Errorf("expected %s at %.60q", e.expected, e.at)
		}
	}()
	for r.space(); r.text != ""; r.space() {
		if m := r.token(prefixToken); m != nil {
			r.prefixes[m[1]] = unescapeTurtle(m[2])
			continue
		}
		r.properties(r.subject())
		r.want(".")
	}
	return r.quads, nil
}

func (r *turtleReader) space() { r.token(blankToken) }

func (r *turtleReader) token(pattern *regexp.Regexp) []string {
	m := pattern.FindStringSubmatch(r.text)
	if m != nil {
		r.text = r.text[len(m[0]):]
	}
	return m
}

func (r *turtleReader) take(s string) bool {
	r.space()
	rest, ok := strings.CutPrefix(r.text, s)
	r.text = rest
	return ok
}

func (r *turtleReader) want(s string) {
	if !r.take(s) {
		panic(turtleSyntax{s, r.text})
	}
}

func (r *turtleReader) add(s, p, o rdf.Term) {
	r.quads = append(r.quads, rdf.Quad{Subject: s, Predicate: p, Object: o})
}

func (r *turtleReader) newNode() rdf.Term {
	r.fresh++
	return rdf.BNode(fmt.Sprintf("nested%d", r.fresh))
}

func (r *turtleReader) properties(subject rdf.Term) {
	for {
		verb := rdf.Term(rdf.Type)
		if !r.take("a ") {
			verb = r.iri()
		}
		r.add(subject, verb, r.object())
		for r.take(",") {
			r.add(subject, verb, r.object())
		}
		if !r.take(";") {
			return
		}
	}
}

func (r *turtleReader) subject() rdf.Term {
	if r.take("[]") {
		return r.newNode()
	}
	if t := r.node(); t != nil {
		return t
	}
	panic(turtleSyntax{"a subject", r.text})
}

func (r *turtleReader) node() rdf.Term {
	r.space()
	if m := r.token(labelToken); m != nil {
		return rdf.BNode(m[1])
	}
	if strings.HasPrefix(r.text, "<") || nameToken.MatchString(r.text) {
		return r.iri()
	}
	return nil
}

func (r *turtleReader) iri() rdf.Term {
	r.space()
	if m := r.token(iriToken); m != nil {
		return rdf.IRI(unescapeTurtle(m[1]))
	}
	if m := r.token(nameToken); m != nil {
		if namespace, ok := r.prefixes[m[1]]; ok {
			return rdf.IRI(namespace + m[2])
		}
	}
	panic(turtleSyntax{"an IRI", r.text})
}

func (r *turtleReader) object() rdf.Term {
	switch {
	case r.take("[]"):
		return r.newNode()
	case r.take("["):
		node := r.newNode()
		r.properties(node)
		r.want("]")
		return node
	case r.take("("):
		return r.list()
	}
	if t := r.node(); t != nil {
		return t
	}
	return r.literal()
}

func (r *turtleReader) list() rdf.Term {
	if r.take(")") {
		return rdf.Nil
	}
	cell := r.newNode()
	r.add(cell, rdf.First, r.object())
	r.add(cell, rdf.Rest, r.list())
	return cell
}

func (r *turtleReader) literal() rdf.Term {
	for _, bare := range []struct {
		pattern  *regexp.Regexp
		datatype rdf.IRI
	}{{doubleToken, rdf.XSDDouble}, {decimalToken, rdf.XSDDecimal}, {integerToken, rdf.XSDInteger}, {booleanToken, rdf.XSDBoolean}} {
		if m := r.token(bare.pattern); m != nil {
			return rdf.Literal(m[0], bare.datatype)
		}
	}
	m := r.token(longToken)
	if m == nil {
		m = r.token(shortToken)
	}
	if m == nil {
		panic(turtleSyntax{"a literal", r.text})
	}
	text := unescapeTurtle(m[1])
	if lang := r.token(langToken); lang != nil {
		return rdf.LangLiteral(text, lang[1])
	}
	if strings.HasPrefix(r.text, "^^") {
		r.text = r.text[2:]
		return rdf.Literal(text, r.iri().(rdf.IRI))
	}
	return quad.String(text)
}

func unescapeTurtle(s string) string {
	return escapePattern.ReplaceAllStringFunc(s, func(e string) string {
		if e[1] == 'u' {
			n, _ := strconv.ParseUint(e[2:], 16, 32)
			return string(rune(n))
		}
		return map[string]string{"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", `"`: `"`, "'": "'", `\`: `\`}[e[1:]]
	})
}
