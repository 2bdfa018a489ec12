package browse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/db"
	"trails/rdf"
	"trails/schema"
	"trails/text/fulltext"
)

// Bounds of the values that a search finds.
const (
	valuesTaken     = 1_000 // of one number or date, in all properties
	valueProperties = 200   // properties that are looked at
	fewValued       = 100   // nodes with a value of which all texts are read
	commonValue     = 5_000 // a value that more nodes have than were found is taken for one of so many
)

// valuesNamed are the numbers and dates of a search that are compared with values of properties.
type valuesNamed struct {
	named    []fulltext.Value
	weights  []float64
	searches [][]db.ValueSearch
	// nodes have, by the places of named, what was found of each.
	nodes map[rdf.Term]map[int]valueFound
	order []rdf.Term // the nodes as they were found
	more  bool       // not all nodes with the values are found
	// untold is that of which left does not tell.
	untold bool
	// left says in sentences what is not looked at.
	left []string
}

type valueFound struct {
	property rdf.IRI
	value    rdf.Term
}

// byValue finds the nodes that have the numbers and dates of a query as values of properties, and all its other words in one
// text or in such values. Those with some are kept for [finding.addValues].
func (f *finding) byValue(ctx context.Context, texts *db.TextFinder, query fulltext.Query) (more bool, err error) {
	f.values = valuesNamed{nodes: map[rdf.Term]map[int]valueFound{}}
	values := query.Values()
	if texts == nil || len(values) == 0 {
		return false, nil
	}
	properties := f.comparables()
	if len(properties) > valueProperties {
		f.leave(fmt.Sprintf("numbers and dates are looked for as values of %d properties of %d; give a type with fewer", valueProperties, len(properties)))
		properties = properties[:valueProperties]
	}
	for _, v := range values {
		searches, at := f.searchesFor(v, properties), len(f.values.named)
		n, more, err := f.lookFor(ctx, searches, at, nil)
		if err != nil {
			return false, err
		}
		if n == 0 {
			continue
		}
		if more {
			n = max(n, commonValue)
		}
		f.values.named, f.values.searches = append(f.values.named, v), append(f.values.searches, searches)
		f.values.weights = append(f.values.weights, texts.Weight(int64(n)))
	}
	if len(f.values.named) > 0 {
		more, err = f.withWords(ctx, texts, query)
	}
	return more || f.values.untold, err
}

// leave notes what is not looked at.
func (f *finding) leave(told string) {
	if f.values.more = true; !slices.Contains(f.values.left, told) {
		f.values.left = append(f.values.left, told)
	}
}

// apart says that values of a property are not compared, since they have no place in the order of the index.
func (f *finding) apart(search db.ValueSearch) string {
	name := string(search.Property)
	for _, t := range f.schema.Types {
		for _, p := range t.Properties {
			if p.IRI == search.Property {
				name = t.Name + "." + p.Name
			}
		}
	}
	if search.Until == nil {
		return "numbers of " + name + " are found in their usual forms alone, such as 42, 42.0 and 42.00: too many of its values have no place in the order of the index; list with where compares all"
	}
	return "dates and times of " + name + " are not looked at: too many have no place in the order of the index, as times in other zones than UTC; list with where compares them"
}

// comparables are the properties of the searched types whose values are numbers or dates, each once for a datatype.
func (f *finding) comparables() (list []*schema.Property) {
	types := f.search.Types
	if len(types) == 0 {
		types = f.schema.Types
	}
	type key struct {
		predicate rdf.IRI
		datatype  string
	}
	seen := map[key]bool{}
	for _, t := range types {
		for _, sub := range f.schema.Subtypes(t) {
			for _, p := range f.schema.PropertiesOf(sub) {
				if of := (key{p.IRI, p.Datatype}); !seen[of] && p.Class == "" && schema.Datatypes[p.Datatype].Ordered {
					seen[of], list = true, append(list, p)
				}
			}
		}
	}
	return list
}

// searchesFor are the searches for a number or a date, one for each property that may have it.
func (f *finding) searchesFor(v fulltext.Value, properties []*schema.Property) (list []db.ValueSearch) {
	classes := f.classes()
	for _, p := range properties {
		if search := rangeOf(p, v); search.From != nil {
			search.Property, search.Datatype, search.Classes = p.IRI, schema.Datatypes[p.Datatype].IRI, classes
			list = append(list, search)
		}
	}
	return list
}

// rangeOf returns the range of a property's values that are a number or a date; without From there are none.
func rangeOf(p *schema.Property, v fulltext.Value) (search db.ValueSearch) {
	datatype := schema.Datatypes[p.Datatype]
	if layout := periods[datatype.IRI]; layout != "" && v.Layout != "" {
		search.From, search.Until = rdf.Literal(v.From.Format(layout), datatype.IRI), rdf.Literal(v.Until.Format(layout), datatype.IRI)
		return search
	}
	if layout := single[datatype.IRI]; layout != "" && v.Layout == layout {
		search.From = rdf.Literal(v.From.Format(layout), datatype.IRI)
		return search
	}
	as := schema.Datatypes[cmp.Or(datatype.As, datatype.Word)].IRI
	if v.Number == "" || as != rdf.XSDInteger && as != rdf.XSDDecimal && as != rdf.XSDDouble {
		return search
	}
	search.From = rdf.Literal(v.Number, rdf.XSDInteger) // numbers are equal by value
	if strings.Contains(v.Number, ".") {
		search.From = rdf.Literal(v.Number, rdf.XSDDecimal)
	}
	return search
}

// Datatypes whose values lie in periods, and those whose values are periods, with the layouts by which package time writes them.
var (
	periods = map[rdf.IRI]string{rdf.XSDDate: time.DateOnly, rdf.XSDDateTime: "2006-01-02T15:04:05Z"}
	single  = map[rdf.IRI]string{rdf.XSDGYear: fulltext.LayoutYear, rdf.XSDNS + "gYearMonth": fulltext.LayoutMonth}
)

// lookFor finds the nodes that have a number or a date of the search, at its place in named, and returns how many there are.
// With among it looks at these nodes alone.
func (f *finding) lookFor(ctx context.Context, searches []db.ValueSearch, at int, among []rdf.Term) (n int, more bool, err error) {
	for _, search := range searches {
		if search.Among = among; among != nil {
			search.Classes = nil // they are of these
		}
		found, err := f.source.FindValues(ctx, search)
		if err != nil {
			return n, more, err
		}
		if found.Apart {
			f.leave(f.apart(search))
		}
		if found.More {
			f.values.more, f.values.untold = true, true
		}
		more = more || found.More || found.Apart
		for _, hit := range found.Hits {
			is, err := f.isSearched(ctx, hit.Subject, search.Property)
			if err != nil {
				return n, more, err
			}
			if !is {
				continue
			}
			has := f.values.nodes[hit.Subject]
			if has == nil {
				has = map[int]valueFound{}
				f.values.nodes[hit.Subject], f.values.order = has, append(f.values.order, hit.Subject)
			}
			if _, twice := has[at]; !twice {
				n, has[at] = n+1, valueFound{search.Property, hit.Value}
			}
		}
		if n >= valuesTaken {
			f.values.more, f.values.untold = true, true
			return n, true, nil
		}
	}
	return n, more, nil
}

// withWords finds the nodes that have all words of the query, some of them as values. Where few nodes have such values, the
// texts of these are read, and otherwise the values of the nodes that have the other words.
func (f *finding) withWords(ctx context.Context, texts *db.TextFinder, query fulltext.Query) (more bool, err error) {
	var named []int
	for _, v := range f.values.named {
		named = append(named, v.Terms...)
	}
	others := false
	for i, t := range query.Terms {
		others = others || !t.Common && !slices.Contains(named, i)
	}
	if !others {
		for _, node := range f.values.order {
			if f.hasAll(node, query, nil) {
				f.node(node)
			}
		}
		return false, nil
	}
	if !f.values.more && len(f.values.order) <= fewValued {
		hits, more, err := texts.Of(f.values.order)
		if err == nil {
			err = f.takeWhole(ctx, hits, query)
		}
		return more, err
	}
	return texts.Besides(named, func(hits []db.TextHit) (bool, error) {
		var nodes []rdf.Term
		for _, hit := range hits {
			if !slices.Contains(nodes, hit.Subject) {
				nodes = append(nodes, hit.Subject)
			}
		}
		for i, searches := range f.values.searches {
			if len(nodes) > 0 {
				if _, _, err := f.lookFor(ctx, searches, i, nodes); err != nil {
					return false, err
				}
			}
		}
		return true, f.takeWhole(ctx, hits, query)
	})
}

// takeWhole takes the texts of the nodes of which a text has all words of a query but those of values that the node has.
func (f *finding) takeWhole(ctx context.Context, hits []db.TextHit, query fulltext.Query) error {
	whole := map[rdf.Term]bool{}
	for _, hit := range hits {
		if whole[hit.Subject] || !f.hasAll(hit.Subject, query, hit.Score.Terms) {
			continue
		}
		is, err := f.isSearched(ctx, hit.Subject, hit.Property)
		if err != nil {
			return err
		}
		whole[hit.Subject] = is
	}
	for _, hit := range hits {
		if !whole[hit.Subject] {
			continue
		}
		hit.Score.All, hit.Score.Begins, hit.Score.Same = false, false, false // it is not the whole text of the search
		if err := f.take(ctx, hit); err != nil {
			return err
		}
	}
	return nil
}

// hasAll reports whether a node has each word of a query, except common words, in a text with these scores or as a value.
func (f *finding) hasAll(node rdf.Term, query fulltext.Query, scores []float64) bool {
	has := f.values.nodes[node]
	for i, t := range query.Terms {
		if t.Common || i < len(scores) && scores[i] > 0 {
			continue
		}
		at := slices.IndexFunc(f.values.named, func(v fulltext.Value) bool { return slices.Contains(v.Terms, i) })
		if _, is := has[at]; !is {
			return false
		}
	}
	return true
}

// addValues adds what values say of the nodes that were found and, if nodes with some of the words are, of those that have
// only such values.
func (f *finding) addValues() {
	for node, has := range f.values.nodes {
		if f.found[node] == nil && !f.partial {
			continue
		}
		n := f.node(node)
		for at, named := range f.values.named {
			v, is := has[at]
			if !is {
				continue
			}
			terms := named.Terms
			score := fulltext.ScoreOfValue(f.values.weights[at], len(terms))
			for _, i := range terms {
				for len(n.terms) <= i {
					n.terms = append(n.terms, termFound{})
				}
				if score > n.terms[i].score {
					n.terms[i] = termFound{score, v.property, f.values.weights[at]}
				}
			}
			if whole := score * float64(len(terms)); whole > n.best || whole == n.best && v.property < n.property {
				n.best, n.property, n.text = whole, v.property, v.value
			}
		}
	}
}
