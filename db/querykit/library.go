package querykit

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"trails/rdf"
)

// Library is data about works, their authors, topics and readers. Links are skewed: a few nodes are hubs.
//
// For each 1,000 triples there are 48 works, 32 people, 3 places, 1 organisation, 2 topics and some 25 reviews.
// Topics are a tree, with a chain of a tenth of them below topic 1. From work 0 a tenth of n entities can be reached
// over ex:related, including itself. ex:at of reviews has no two equal values.
var Library = newSet(Set{
	Name:     "library",
	Smallest: 8000,
	Triples:  libraryTriples,
	Scans: words(`chain-ends number-labels group group-avg group-sum group-bounds group-keys group-distinct
		plus reach reach-back not-exists not-exists-star not-exists-type exists-type minus-type
		prefix contains word-type distinct distinct-plain distinct-count distinct-counts`),
}, words("rdf rdfs xsd ex work person place org topic"),
	libraryPatterns, libraryFilters, libraryAlgebra, libraryGroups, libraryOrders, libraryPaths, libraryScans)

func libraryTriples(n int) iter.Seq[rdf.Quad] {
	return func(yield func(rdf.Quad) bool) {
		g := newLibrary(n, yield)
		g.topics()
		g.places()
		g.orgs()
		g.people()
		g.works()
		g.related()
		g.reviews()
	}
}

type library struct {
	*generator
	count struct{ topics, places, orgs, people, works int }

	toTopic, toPlace, toOrg, toPerson, toWork *rand.Zipf
}

func newLibrary(n int, yield func(rdf.Quad) bool) *library {
	g := &library{generator: newGenerator(n, 1, yield)}
	g.count.topics = max(20, n*2222/1_000_000)
	g.count.places = 3 * g.unit
	g.count.orgs = g.unit
	g.count.people = 32 * g.unit
	g.count.works = 48 * g.unit
	g.toTopic = g.skewed(g.count.topics)
	g.toPlace = g.skewed(g.count.places)
	g.toOrg = g.skewed(g.count.orgs)
	g.toPerson = g.skewed(g.count.people)
	g.toWork = g.skewed(g.count.works)
	return g
}

// topics are a tree with eight children each, except for the last tenth, which is a chain.
func (g *library) topics() {
	chain := g.count.topics - g.count.topics/10
	for i := range g.count.topics {
		s := entity("topic", i)
		g.say(s, "a", class("Topic"))
		g.say(s, "rdfs:label", rdf.LangLiteral(fmt.Sprintf("%s, part %d", g.one(subjects), i), "en"))
		g.say(s, "code", rdf.String(fmt.Sprintf("T%05d", i)))
		switch {
		case i == chain:
			g.say(s, "broader", entity("topic", 1))
		case i > chain:
			g.say(s, "broader", entity("topic", i-1))
		case i > 0:
			g.say(s, "broader", entity("topic", (i-1)/8))
		}
	}
}

func (g *library) places() {
	for i := range g.count.places {
		s := entity("place", i)
		g.say(s, "rdfs:label", rdf.LangLiteral(capital(g.one(nouns))+" "+capital(g.one(nouns)), "en"))
		if g.chance(60) {
			g.say(s, "rdfs:label", rdf.LangLiteral(g.one(nounsDE)+" "+strconv.Itoa(i), "de"))
		}
		if i < max(1, g.count.places/20) {
			g.say(s, "a", class("Country"))
			continue
		}
		g.say(s, "a", class("City"))
		g.say(s, "population", integer(500+int(g.rand.ExpFloat64()*90_000)))
		g.say(s, "country", entity("place", g.rand.IntN(max(1, g.count.places/20))))
	}
}

func (g *library) orgs() {
	for i := range g.count.orgs {
		s := entity("org", i)
		g.say(s, "a", class("Organisation"))
		g.say(s, "rdfs:label", rdf.String(g.one(lastNames)+" & "+g.one(lastNames)+" "+strconv.Itoa(i)))
		g.say(s, "seat", entity("place", int(g.toPlace.Uint64())))
		g.say(s, "founded", g.date(1850, 2020))
	}
}

func (g *library) people() {
	for i := range g.count.people {
		s := entity("person", i)
		g.say(s, "a", class("Person"))
		name := g.one(firstNames) + " " + g.one(lastNames)
		g.say(s, "rdfs:label", rdf.String(name))
		g.say(s, "born", g.date(1900, 2005))
		g.say(s, "bornIn", entity("place", int(g.toPlace.Uint64())))
		if g.chance(70) {
			g.say(s, "worksFor", entity("org", int(g.toOrg.Uint64())))
		}
		if g.chance(40) {
			g.say(s, "email", rdf.String(fmt.Sprintf("%s.%d@example.org", strings.ReplaceAll(strings.ToLower(name), " ", "."), i)))
		}
		g.links(s, "knows", "person", g.toPerson, g.rand.IntN(4))
	}
}

func (g *library) works() {
	for i := range g.count.works {
		s := entity("work", i)
		g.say(s, "a", class("Work"))
		g.say(s, "rdfs:label", rdf.LangLiteral(g.title(), "en"))
		if g.chance(10) {
			g.say(s, "rdfs:label", rdf.LangLiteral("Das Buch vom "+g.one(nounsDE)+" und vom "+g.one(nounsDE), "de"))
		}
		author := int(g.toPerson.Uint64())
		g.say(s, "creator", entity("person", author))
		if g.chance(35) {
			g.say(s, "creator", entity("person", (author+1+g.rand.IntN(g.count.people-1))%g.count.people))
		}
		g.say(s, "published", g.date(1950, 2024))
		g.say(s, "pages", integer(20+int(g.rand.ExpFloat64()*220)))
		g.say(s, "topic", entity("topic", int(g.toTopic.Uint64())))
		g.say(s, "status", rdf.String(g.state()))
		if g.chance(80) {
			g.say(s, "price", rdf.Literal(strconv.FormatFloat(float64(100+g.rand.IntN(9900))/100, 'f', -1, 64), rdf.XSDDecimal))
		}
		if g.chance(50) {
			g.say(s, "isbn", rdf.String(fmt.Sprintf("978-%d-%06d-%d", g.rand.IntN(10), i, g.rand.IntN(10))))
		}
		g.links(s, "cites", "work", g.toWork, g.rand.IntN(4))
	}
}

func (g *library) title() string {
	switch g.rand.IntN(5) {
	case 0:
		return fmt.Sprintf("The %s %s", g.one(adjectives), g.one(nouns))
	case 1:
		return fmt.Sprintf("%s of the %s %s", capital(g.one(nouns)), g.one(adjectives), g.one(nouns))
	case 2:
		return fmt.Sprintf("A short history of %s and %s", g.one(subjects), g.one(subjects))
	case 3:
		return fmt.Sprintf("The %s by the %s, volume %d", g.one(nouns), g.one(nouns), 1+g.rand.IntN(40))
	}
	return fmt.Sprintf("%s: how the %s %s changed %s between %d and %d", capital(g.one(subjects)),
		g.one(adjectives), g.one(nouns), g.one(subjects), 1500+g.rand.IntN(300), 1800+g.rand.IntN(200))
}

func (g *library) state() string {
	k := g.rand.IntN(100)
	for _, s := range states {
		if k < s.of {
			return s.name
		}
		k -= s.of
	}
	panic("querykit: the states are not a hundred")
}

// related links each of unit*100 entities from an earlier one, and some of them back.
func (g *library) related() {
	for i := range 100 * g.unit {
		if i > 0 {
			g.say(g.member(g.rand.IntN(i)), "related", g.member(i))
		}
		if i%10 == 9 {
			g.say(g.member(i), "related", g.member(g.rand.IntN(i/10+1)))
		}
	}
}

// member is the i-th of the related entities: works, people, reviews.
func (g *library) member(i int) rdf.IRI {
	for _, of := range []struct {
		kind  string
		count int
	}{{"work", g.count.works}, {"person", g.count.people}} {
		if i < of.count {
			return entity(of.kind, i)
		}
		i -= of.count
	}
	return entity("review", i)
}

// reviews fill up the remaining triples.
func (g *library) reviews() {
	at := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	step := 10 * 365 * 24 * time.Hour / time.Duration(32*g.unit)
	for i := 0; g.left > 0; i++ {
		s := entity("review", i)
		g.say(s, "a", class("Review"))
		g.say(s, "of", entity("work", int(g.toWork.Uint64())))
		g.say(s, "by", entity("person", int(g.toPerson.Uint64())))
		at = at.Add(time.Second + time.Duration(g.rand.Int64N(int64(step)))).Truncate(time.Second)
		g.say(s, "at", moment(at))
		g.say(s, "rating", integer(1+g.rand.IntN(10)))
		if g.chance(60) {
			g.say(s, "remark", rdf.String(g.remark()))
		}
	}
}

func (g *library) remark() string {
	text := g.sentence(remarks)
	if g.chance(5) {
		return `"` + text + "\"\nSo they say."
	}
	return text
}
