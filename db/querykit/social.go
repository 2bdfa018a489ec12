package querykit

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"trails/rdf"
)

// Social is data about people who follow each other, write posts and like them. It differs from [Library] in its
// statistics: most properties have several values, texts and names are in several languages, and numbers of links are
// a power law in both directions. Person 0 is followed by most, post 0 is liked by most.
//
// For each 1,000 triples there are 12 people and some 50 posts; there is at least one city for each 1,000, in
// countries on five continents. Three of five posts are replies: to the previous post, or to any, low numbers more
// often. Only the first 36 for each 1,000 triples are liked. ex:at of posts has no two equal values.
var Social = newSet(Set{
	Name:     "social",
	Smallest: 5000,
	Triples:  socialTriples,
	Scans: words(`ends hub-paths mutual group-values group-keys group-sum group-bounds group-having group-optional
		count-values distinct-counts distinct-subjects not-exists-join not-exists-type exists-type minus-type minus-pairs
		number-texts word lang places thread reach`),
}, words("rdf rdfs xsd ex person post tag city country continent"), socialShapes)

func socialTriples(n int) iter.Seq[rdf.Quad] {
	return func(yield func(rdf.Quad) bool) {
		g := newSocial(n, yield)
		g.places()
		g.tags()
		g.people()
		g.posts()
	}
}

type social struct {
	*generator
	count struct{ countries, cities, tags, people, posts int }

	toCity, toTag, toPerson, toPost *rand.Zipf
}

func newSocial(n int, yield func(rdf.Quad) bool) *social {
	g := &social{generator: newGenerator(n, 2, yield)}
	g.count.countries = max(6, g.unit/20)
	g.count.cities = max(20, g.unit)
	g.count.tags = max(30, 2*g.unit)
	g.count.people = 12 * g.unit
	g.count.posts = 36 * g.unit
	g.toCity = g.skewed(g.count.cities)
	g.toTag = g.skewed(g.count.tags)
	g.toPerson = g.hubs(g.count.people)
	g.toPost = g.hubs(g.count.posts)
	return g
}

// hubs draws one of the first of n in one of ten cases, and others by a power law.
func (g *social) hubs(n int) *rand.Zipf { return rand.NewZipf(g.rand, 1.2, 2, uint64(n-1)) }

// heavy draws by a power law: at least a number, five times as many on average, at most a limit.
func (g *social) heavy(least, most int) int {
	return min(most, int(float64(least)*math.Pow(1-g.rand.Float64(), -0.8)))
}

// named yields a name in each of several languages.
func (g *social) named(s rdf.IRI, name string) {
	for i, l := range languages {
		if i == 0 || g.chance(50) {
			g.say(s, "rdfs:label", rdf.LangLiteral(name+" "+g.one(l.words), l.tag))
		}
	}
}

func (g *social) places() {
	for i := range 5 {
		g.say(entity("continent", i), "a", class("Continent"))
		g.named(entity("continent", i), fmt.Sprint("Continent ", i))
	}
	for i := range g.count.countries {
		s := entity("country", i)
		g.say(s, "a", class("Country"))
		g.named(s, fmt.Sprint("Country ", i))
		g.say(s, "partOf", entity("continent", i%5))
	}
	for i := range g.count.cities {
		s := entity("city", i)
		g.say(s, "a", class("City"))
		g.named(s, fmt.Sprint("City ", i))
		g.say(s, "partOf", entity("country", g.rand.IntN(g.count.countries)))
	}
}

func (g *social) tags() {
	for i := range g.count.tags {
		s := entity("tag", i)
		g.say(s, "a", class("Tag"))
		g.named(s, g.one(subjects))
		if i > 0 {
			g.say(s, "partOf", entity("tag", (i-1)/4))
		}
	}
}

func (g *social) people() {
	for i := range g.count.people {
		s := entity("person", i)
		g.say(s, "a", class("Person"))
		g.say(s, "rdfs:label", rdf.String(g.one(firstNames)+" "+g.one(lastNames)))
		g.say(s, "born", g.date(1940, 2010))
		g.say(s, "livesIn", entity("city", int(g.toCity.Uint64())))
		for j := range g.rand.IntN(4) {
			g.say(s, "email", rdf.String(fmt.Sprintf("p%d.%d@example.org", i, j)))
		}
		for _, l := range languages {
			if g.chance(l.of) {
				g.say(s, "speaks", rdf.String(l.tag))
			}
		}
		g.links(s, "interest", "tag", g.toTag, g.rand.IntN(13))
		g.links(s, "follows", "person", g.toPerson, g.heavy(4, 2*g.unit+20))
		g.links(s, "likes", "post", g.toPost, g.heavy(7, 4*g.unit+40))
	}
}

// posts fill up the remaining triples.
func (g *social) posts() {
	at := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	step := 10 * 365 * 24 * time.Hour / time.Duration(60*g.unit)
	for i := 0; g.left > 0; i++ {
		s := entity("post", i)
		g.say(s, "a", class("Post"))
		g.say(s, "by", entity("person", int(g.toPerson.Uint64())))
		at = at.Add(time.Second + time.Duration(g.rand.Int64N(int64(step)))).Truncate(time.Second)
		g.say(s, "at", moment(at))
		g.say(s, "length", integer(1+int(g.rand.ExpFloat64()*140)))
		if i > 0 && g.chance(60) {
			to := i - 1
			if g.chance(40) {
				to = int(g.toPost.Uint64()) % i
			}
			g.say(s, "replyOf", entity("post", to))
		}
		for j, l := range languages {
			if j == 0 || g.chance(l.of/3) {
				g.say(s, "content", rdf.LangLiteral(g.sentence(l.words), l.tag))
			}
		}
		g.links(s, "tag", "tag", g.toTag, g.rand.IntN(5))
	}
}
