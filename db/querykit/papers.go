package querykit

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"trails/rdf"
)

// Papers is a bibliography as SP²Bench describes its own (Schmidt, Hornung, Lausen, Pinkel: SP²Bench, a SPARQL
// performance benchmark, 2009), which follows that of DBLP: documents of nine classes, whose numbers in a year grow
// logistically from 1936 on and which have each property with a certain probability; authors who are more likely to
// write again the more they have written; bags of citations; and Paul Erdős, who writes ten articles, at most a fifth
// of all, and edits two proceedings a year until 1996.
//
// It differs where answers could not be compared, or where a small file would have no answers: persons and bags have
// IRIs, and one document of twelve that can cite does.
var Papers = newSet(Set{
	Name:     "papers",
	Smallest: 1500,
	Triples:  papersTriples,
	Scans:    words("q3a q3b q3c q4 q5a q5b q6 q7 q9 by-class by-year prolific co-authors uncited"),
}, words("rdf rdfs xsd foaf dc dcterms swrc ex person journal article"), papersShapes)

func papersTriples(n int) iter.Seq[rdf.Quad] {
	return func(yield func(rdf.Quad) bool) {
		g := &papers{generator: newGenerator(n, 3, yield), made: map[string]int{}, first: map[string]int{}}
		for _, d := range documents {
			g.say(class(d.class), "rdfs:subClassOf", rdf.IRI(namespace("foaf")+"Document"))
		}
		g.person(erdos, "Paul Erdoes")
		for g.year = 1936; g.left > 0; g.year++ {
			for _, d := range documents {
				g.documents(d)
			}
		}
	}
}

// document is a class of documents. Each year has limit/(1+delay·e^(−growth·years since from)) of them, and some
// more.
type document struct {
	class, kind                string
	limit, delay, growth, from float64
	more                       int // additional documents in each year, so that a small file has some
	// has is the probability of each property in percent.
	has []attribute
}

type attribute struct {
	name string
	of   int
}

var documents = []document{
	{"Journal", "journal", 740, 426, 0.12, 1950, 1, []attribute{{"title", 100}, {"year", 100}}},
	{"Article", "article", 58519, 877, 0.12, 1950, 0, []attribute{{"title", 100}, {"creator", 99}, {"year", 100}, {"journal", 100}, {"pages", 93},
		{"number", 92}, {"volume", 100}, {"ee", 68}, {"url", 100}, {"month", 3}, {"cdrom", 1}, {"note", 3}, {"cite", 8}, {"abstract", 1}}},
	{"Proceedings", "proceedings", 5502, 1250, 0.14, 1965, 1, []attribute{{"title", 100}, {"editor", 80}, {"year", 100}, {"booktitle", 91},
		{"isbn", 86}, {"publisher", 97}, {"series", 57}, {"volume", 60}, {"url", 99}, {"ee", 38}}},
	{"Inproceedings", "inproceedings", 337132, 1901, 0.15, 1965, 2, []attribute{{"title", 100}, {"creator", 99}, {"year", 100}, {"partOf", 80},
		{"booktitle", 100}, {"pages", 95}, {"url", 100}, {"ee", 65}, {"cdrom", 1}, {"cite", 8}, {"abstract", 1}}},
	{"Book", "book", 1818, 196, 0.09, 1980, 0, []attribute{{"title", 100}, {"creator", 89}, {"editor", 10}, {"year", 100}, {"isbn", 93},
		{"publisher", 100}, {"pages", 11}, {"url", 100}, {"series", 32}}},
	{"Incollection", "incollection", 3577, 196, 0.09, 1980, 0, []attribute{{"title", 100}, {"creator", 85}, {"year", 100}, {"booktitle", 100},
		{"pages", 68}, {"url", 100}, {"ee", 39}, {"isbn", 9}, {"cite", 8}}},
	{"PhDThesis", "phd", 140, 1500, 0.25, 1980, 0, []attribute{{"title", 100}, {"creator", 100}, {"year", 100}, {"school", 100}, {"isbn", 2}, {"pages", 1}}},
	{"MastersThesis", "masters", 20, 1500, 0.25, 1980, 0, []attribute{{"title", 100}, {"creator", 100}, {"year", 100}, {"school", 100}}},
	{"Www", "www", 300, 1500, 0.25, 1985, 0, []attribute{{"title", 100}, {"creator", 100}, {"year", 14}, {"ee", 6}, {"url", 100}, {"note", 29}}},
}

const erdos = rdf.IRI(Base + "person/Paul_Erdoes")

type papers struct {
	*generator
	year  int
	made  map[string]int // number of entities of each kind
	first map[string]int // number of the first entity of this year
	// written has an author for each document that he wrote, cited a document for each citation of it: drawing from
	// them prefers frequent ones.
	written, cited, citable []rdf.IRI
}

func (g *papers) next(kind string) rdf.IRI {
	g.made[kind]++
	return entity(kind, g.made[kind]-1)
}

// ofYear draws one of this year's entities of a kind.
func (g *papers) ofYear(kind string) (rdf.IRI, bool) {
	first := g.first[kind]
	if g.made[kind] == first {
		return "", false
	}
	return entity(kind, first+g.rand.IntN(g.made[kind]-first)), true
}

func (g *papers) documents(d document) {
	g.first[d.kind] = g.made[d.kind]
	count := d.more + int(math.Round(d.limit/(1+d.delay*math.Exp(-d.growth*(float64(g.year)-d.from)))))
	for i := range count {
		s := g.next(d.kind)
		g.say(s, "a", class(d.class))
		byErdos := g.year <= 1996 && (d.kind == "article" && i < min(10, count/5) || d.kind == "proceedings" && i < 2)
		for _, p := range d.has {
			if g.chance(p.of) || byErdos && (p.name == "creator" || p.name == "editor") {
				g.property(s, d.kind, p.name, i, byErdos)
			}
		}
		if d.kind == "article" || d.kind == "inproceedings" {
			g.citable = append(g.citable, s)
		}
	}
}

// property yields one of the properties of the i-th document of its kind in this year.
func (g *papers) property(s rdf.IRI, kind, name string, i int, byErdos bool) {
	switch name {
	case "title":
		switch kind {
		case "journal":
			g.say(s, "dc:title", rdf.String(fmt.Sprintf("Journal %d (%d)", i+1, g.year)))
		case "proceedings":
			g.say(s, "dc:title", rdf.String(fmt.Sprintf("Conference %d (%d)", i+1, g.year)))
		default:
			g.say(s, "dc:title", rdf.String(g.sentence(subjects)))
		}
	case "creator", "editor":
		g.authors(s, name, byErdos)
	case "year":
		g.say(s, "dcterms:issued", integer(g.year))
	case "journal":
		if j, ok := g.ofYear("journal"); ok {
			g.say(s, "swrc:journal", j)
		}
	case "partOf":
		if p, ok := g.ofYear("proceedings"); ok {
			g.say(s, "dcterms:partOf", p)
		}
	case "pages":
		first := 1 + g.rand.IntN(400)
		g.say(s, "swrc:pages", rdf.String(fmt.Sprintf("%d-%d", first, first+g.rand.IntN(40))))
	case "number", "volume", "month", "series":
		g.say(s, "swrc:"+name, integer(1+g.rand.IntN(12)))
	case "isbn":
		g.say(s, "swrc:isbn", rdf.String(fmt.Sprintf("%d-%06d", g.rand.IntN(10), g.rand.IntN(1_000_000))))
	case "publisher", "school":
		g.say(s, "dc:publisher", rdf.String(g.one(lastNames)+" & "+g.one(lastNames)))
	case "ee":
		g.say(s, "rdfs:seeAlso", rdf.String("http://www.example.org/ee/"+strings.TrimPrefix(string(s), Base)))
	case "url":
		g.say(s, "foaf:homepage", rdf.String("http://www.example.org/db/"+strings.TrimPrefix(string(s), Base)))
	case "abstract":
		g.say(s, "abstract", rdf.String(g.sentence(remarks)+" "+g.sentence(remarks)))
	case "booktitle", "cdrom", "note":
		g.say(s, name, rdf.String(capital(g.one(adjectives))+" "+g.one(nouns)))
	case "cite":
		g.cite(s)
	default:
		panic("querykit: no property " + name)
	}
}

// authors yields the authors or editors of a document. Their average number grows with the years. Two of five authors
// write for the first time.
func (g *papers) authors(s rdf.IRI, role string, byErdos bool) {
	years := float64(g.year) - 1975
	mean, spread := 2.05/(1+17.59*math.Exp(-0.11*years))+1.05, 1/(1+6.46*math.Exp(-0.10*years))+0.5
	var who []rdf.IRI
	if byErdos {
		who = append(who, erdos)
	}
	for range max(1, int(math.Round(mean+spread*g.rand.NormFloat64()))) {
		if len(g.written) == 0 || role == "creator" && g.chance(40) {
			i := g.made["person"]
			p := g.next("person")
			g.person(p, fmt.Sprintf("%s %s %d", g.one(firstNames), g.one(lastNames), i))
			who = append(who, p)
		} else if p := g.written[g.rand.IntN(len(g.written))]; !slices.Contains(who, p) {
			who = append(who, p)
		}
	}
	property := "swrc:editor"
	if role == "creator" {
		property = "dc:creator"
		g.written = append(g.written, who...)
	}
	for _, p := range who {
		g.say(s, property, p)
	}
}

func (g *papers) person(s rdf.IRI, name string) {
	g.say(s, "a", rdf.IRI(namespace("foaf")+"Person"))
	g.say(s, "foaf:name", rdf.String(name))
}

// cite yields the bag of older documents that a document cites; half of them are cited by others, too.
func (g *papers) cite(s rdf.IRI) {
	if len(g.citable) == 0 {
		return
	}
	bag := g.next("bag")
	g.say(s, "dcterms:references", bag)
	g.say(bag, "a", rdf.IRI(rdf.RDFNS+"Bag"))
	for i := range max(1, int(math.Round(16.82+10.07*g.rand.NormFloat64()))) {
		of := g.citable
		if len(g.cited) > 0 && g.chance(50) {
			of = g.cited
		}
		d := of[g.rand.IntN(len(of))]
		g.cited = append(g.cited, d)
		g.say(bag, "rdf:_"+strconv.Itoa(i+1), d)
	}
}
