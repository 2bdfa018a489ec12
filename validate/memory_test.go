package validate_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/validate"
)

// memory is data in a slice, with the default graph indexed as a database would.
type memory struct {
	bySubject map[rdf.Term][]rdf.Quad
	having    map[rdf.PredicateObject][]rdf.Term
	reads     int
}

func newMemory(quads []rdf.Quad) *memory {
	m := &memory{bySubject: map[rdf.Term][]rdf.Quad{}, having: map[rdf.PredicateObject][]rdf.Term{}}
	for _, q := range quads {
		if q.Label != nil || slices.Contains(m.bySubject[q.Subject], q) {
			continue
		}
		m.bySubject[q.Subject] = append(m.bySubject[q.Subject], q)
		pair := rdf.PredicateObject{P: q.Predicate.(rdf.IRI), O: q.Object}
		m.having[pair] = append(m.having[pair], q.Subject)
	}
	return m
}

func (m *memory) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	m.reads++
	return func(yield func(rdf.Quad, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(rdf.Quad{}, err)
			return
		}
		for _, q := range m.bySubject[pattern.Subject] {
			if pattern.Predicate != nil && q.Predicate != pattern.Predicate {
				continue
			}
			if !yield(q, nil) {
				return
			}
		}
	}
}

func (m *memory) Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	m.reads++
	var found []rdf.Term
	for _, s := range m.having[pairs[0]] {
		if len(found) == limit {
			break
		}
		if m.hasAll(s, pairs) {
			found = append(found, s)
		}
	}
	return found, ctx.Err()
}

// Shared has the contract of [validate.Cache.Shared].
func (m *memory) Shared(ctx context.Context, predicate rdf.IRI, limit int) (values []rdf.Term, whole bool, err error) {
	for pair, subjects := range m.having {
		if pair.P == predicate && len(subjects) > 1 {
			values = append(values, pair.O)
		}
	}
	return values[:min(limit, len(values))], len(values) <= limit, ctx.Err()
}

// Instances has the contract of [validate.Cache.Instances].
func (m *memory) Instances(ctx context.Context, classes []rdf.IRI) (func(rdf.Term) (bool, error), error) {
	return func(node rdf.Term) (bool, error) {
		return slices.ContainsFunc(classes, func(class rdf.IRI) bool {
			return slices.Contains(m.having[rdf.PredicateObject{P: rdf.Type, O: class}], node)
		}), nil
	}, ctx.Err()
}

// validated returns what is wrong with a node. A cache that asks what it can at once must not
// change it.
func validated(t testing.TB, shapes *validate.Shapes, data *memory, focus rdf.Term) ([]validate.Result, error) {
	t.Helper()
	results, err := shapes.Node(t.Context(), data, focus)
	cache := validate.NewCache(10)
	cache.Shared, cache.Instances = data.Shared, data.Instances
	cached, cachedErr := shapes.NodeCached(t.Context(), data, focus, cache)
	if diff := cmp.Diff(fmt.Sprint(results, err), fmt.Sprint(cached, cachedErr)); diff != "" {
		t.Errorf("with answers for all nodes %v is judged otherwise\n%s", focus, diff)
	}
	return results, err
}

func (m *memory) hasAll(s rdf.Term, pairs []rdf.PredicateObject) bool {
	for _, pair := range pairs {
		if !slices.Contains(m.having[pair], s) {
			return false
		}
	}
	return true
}

// prefixes are written as schemes in the tests' N-Quads: <sh:path>.
var prefixes = map[string]string{
	"rdf:": rdf.RDFNS, "rdfs:": rdf.RDFSNS, "xsd:": rdf.XSDNS, "sh:": rdf.SHNS, "t:": rdf.TrailsNS, "ex:": "http://example.org/",
}

func expand(t rdf.Term) rdf.Term {
	switch v := t.(type) {
	case rdf.IRI:
		if i := strings.IndexByte(string(v), ':'); i >= 0 && prefixes[string(v[:i+1])] != "" {
			return rdf.IRI(prefixes[string(v[:i+1])]) + v[i+1:]
		}
	case rdf.TypedString:
		return rdf.Literal(string(v.Value), expand(v.Type).(rdf.IRI))
	}
	return t
}

// quads parses N-Quads with the prefixes, one statement a line; the dot may be left out.
func quads(t testing.TB, text string) []rdf.Quad {
	t.Helper()
	var all []rdf.Quad
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		q, err := rdfio.ParseQuad([]byte(strings.TrimSuffix(line, ".") + " ."))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		q.Subject, q.Predicate, q.Object = expand(q.Subject), expand(q.Predicate), expand(q.Object)
		all = append(all, q)
	}
	return all
}
