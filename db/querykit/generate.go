package querykit

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"trails/rdf"
)

// generator yields triples until there are as many as requested. Its random numbers are the same in each run.
type generator struct {
	yield func(rdf.Quad) bool
	left  int // triples still to generate
	rand  *rand.Rand
	unit  int // thousands of triples
}

func newGenerator(n int, seed uint64, yield func(rdf.Quad) bool) *generator {
	return &generator{yield: yield, left: n, rand: rand.New(rand.NewPCG(4, seed)), unit: n / 1000}
}

// say yields a triple. A property without a prefix is one of [Vocabulary].
func (g *generator) say(s rdf.IRI, property string, o rdf.Term) {
	if g.left == 0 {
		return
	}
	g.left--
	p := rdf.IRI(Vocabulary + property)
	if property == "a" {
		p = rdf.Type
	} else if prefix, local, ok := strings.Cut(property, ":"); ok {
		p = rdf.IRI(namespace(prefix) + local)
	}
	if !g.yield(rdf.Quad{Subject: s, Predicate: p, Object: o}) {
		g.left = 0
	}
}

func entity(kind string, i int) rdf.IRI { return rdf.IRI(Base + kind + "/" + strconv.Itoa(i)) }

func class(name string) rdf.IRI { return rdf.IRI(Vocabulary + name) }

func integer(i int) rdf.Term { return rdf.Literal(strconv.Itoa(i), rdf.XSDInteger) }

func moment(at time.Time) rdf.Term { return rdf.Literal(at.Format(momentForm), rdf.XSDDateTime) }

// skewed draws low numbers often and high ones rarely.
func (g *generator) skewed(n int) *rand.Zipf { return rand.NewZipf(g.rand, 1.1, 10, uint64(n-1)) }

// chance returns true with a probability in percent.
func (g *generator) chance(of int) bool { return g.rand.IntN(100) < of }

func (g *generator) one(of []string) string { return of[g.rand.IntN(len(of))] }

// links draws the targets of some links of a node. A target that is drawn twice is linked once.
func (g *generator) links(s rdf.IRI, property, kind string, to *rand.Zipf, draws int) {
	known := map[uint64]bool{}
	for range draws {
		if k := to.Uint64(); !known[k] {
			known[k] = true
			g.say(s, property, entity(kind, int(k)))
		}
	}
}

// date draws a day from January of one year to December of another, later days more often.
func (g *generator) date(from, to int) rdf.Term {
	years := to - from + 1
	year := from + max(g.rand.IntN(years), g.rand.IntN(years))
	return rdf.Literal(time.Date(year, 1, 1+g.rand.IntN(365), 0, 0, 0, 0, time.UTC).Format(time.DateOnly), rdf.XSDDate)
}

// sentence draws at least four words, sixteen on average.
func (g *generator) sentence(of []string) string {
	list := make([]string, 4+int(g.rand.ExpFloat64()*12))
	for i := range list {
		list[i] = g.one(of)
	}
	return capital(strings.Join(list, " ")) + "."
}

func capital(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}
