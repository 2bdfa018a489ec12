package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
)

// Bounds of a batch of the Reconciliation API.
const (
	maxReconciled      = 50       // queries
	maxReconcileQuery  = 10 << 10 // bytes of one as JSON
	maxReconcileHits   = 50       // of one
	reconcileHits      = 5        // of one that does not say
	maxReconcileProps  = 20       // of one query
	maxReconcileValues = 100      // of a property of a node
)

// reconciling are queries of the Reconciliation API 0.2 (https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/).
type reconciling struct {
	Queries map[string]any `json:"queries" doc:"By keys of the caller: {\"query\", \"type\", \"limit\", \"properties\": [{\"pid\", \"v\"}]}, up to 50 of 10 KB each."`
}

// reconcileQuery is one of them.
type reconcileQuery struct {
	Query      *string         `json:"query"`
	Type       json.RawMessage `json:"type"` // a name or several
	Limit      int             `json:"limit"`
	TypeStrict string          `json:"type_strict"` // passed over: the types are always all that count
	Properties []struct {
		PID string          `json:"pid"`
		V   json.RawMessage `json:"v"` // a value, {"id"}, or several
	} `json:"properties"`
}

// reconciled are the candidates for each query.
type reconciled struct {
	Results map[string]any `json:"results" doc:"By the same keys: {\"result\": [{\"id\", \"name\", \"type\", \"score\", \"match\"}]}, the best first."`
}

// candidate is a node that a text may mean.
type candidate struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	Type  []namedType `json:"type"`
	Score float64     `json:"score"` // 100 is equal
	Match bool        `json:"match"` // it is meant without doubt
}

type namedType struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

var reconcileBuiltin = invoke.Define(capability.Descriptor{
	ID: "reconcile", Description: "Find the nodes that texts of a table mean, by label, type and values, as the Reconciliation API 0.2 asks.",
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, reconcile, invoke.Hidden)

func reconcile(ctx context.Context, r *invoke.Request, in reconciling) (*reconciled, error) {
	if len(in.Queries) > maxReconciled {
		return nil, fault.Argument("queries", fault.MaxCount, len(in.Queries), fmt.Sprintf("queries has %d queries, and a batch takes at most %d; send several", len(in.Queries), maxReconciled))
	}
	out := &reconciled{Results: map[string]any{}}
	room := r.Room()
	for _, key := range slices.Sorted(maps.Keys(in.Queries)) {
		q, err := readReconcileQuery(key, in.Queries[key])
		if err != nil {
			return nil, err
		}
		found, err := reconcileOne(ctx, r, key, q)
		if err != nil {
			return nil, err
		}
		fits := []*candidate{}
		for _, c := range found {
			text, err := jsontext.Marshal(c)
			if err != nil {
				return nil, fmt.Errorf("encode candidate: %w", err)
			}
			if room -= utf8.RuneCount(text) + 1; room < 0 {
				r.Parts.Cut = "not all candidates are shown; send fewer queries, a smaller limit, or max_chars"
				break
			}
			fits = append(fits, c)
		}
		out.Results[key] = map[string]any{"result": fits}
	}
	return out, nil
}

// readReconcileQuery reads the query with a key.
func readReconcileQuery(key string, given any) (q reconcileQuery, err error) {
	text, err := json.Marshal(given)
	if err != nil {
		return q, fmt.Errorf("encode query: %w", err)
	}
	wrong := func(code fault.Code, message string) error {
		return fault.Argument("queries", code, nil, fmt.Sprintf("the query %q %s", key, message))
	}
	if len(text) > maxReconcileQuery {
		return q, wrong(fault.MaxLength, fmt.Sprintf("has %d bytes, and may have %d", len(text), maxReconcileQuery))
	}
	if json.Unmarshal(text, &q) != nil {
		return q, wrong(fault.Datatype, `is not of the form {"query": "text", "type": "Type", "limit": 3, "properties": [{"pid": "property", "v": "value"}]}`)
	}
	switch {
	case q.Query == nil:
		return q, wrong(fault.Required, "has no text; query is what the node is called")
	case q.Limit < 0:
		return q, wrong(fault.MinValue, "has a limit below 0")
	case len(q.Properties) > maxReconcileProps:
		return q, wrong(fault.MaxCount, fmt.Sprintf("has more than %d properties", maxReconcileProps))
	}
	if q.Limit == 0 {
		q.Limit = reconcileHits
	}
	q.Limit = min(q.Limit, maxReconcileHits)
	return q, nil
}

// reconcileOne finds the candidates for a query. A text that a search does not take has none.
func reconcileOne(ctx context.Context, r *invoke.Request, key string, q reconcileQuery) ([]*candidate, error) {
	asked := browse.Search{Text: *q.Query, Limit: q.Limit}
	if len(q.Properties) > 0 {
		asked.Limit = min(2*q.Limit, maxReconcileHits) // values can change the order
	}
	for _, name := range textsOf(q.Type) {
		t, err := view.KnownType(r, name)
		if err != nil {
			return nil, err
		}
		asked.Types = append(asked.Types, t)
	}
	found, err := r.Snapshot.Search(ctx, asked)
	if fault.Is(err, fault.InvalidArguments) {
		r.Warn("the query %q has no candidates: %s", key, fault.Of(err).Message)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*candidate
	sure := 0
	for _, hit := range found.Hits {
		c := &candidate{ID: r.Snapshot.Name(hit.Term), Name: hit.Label, Type: []namedType{}}
		if hit.Type != nil {
			c.Type = append(c.Type, namedType{hit.Type.Name, hit.Type.Name})
		}
		name := max(alike(*q.Query, hit.Label), alike(*q.Query, c.ID), alike(*q.Query, hit.ID))
		c.Score, c.Match = name, name == 1
		if len(q.Properties) > 0 {
			values := 0.0
			for _, p := range q.Properties {
				like, err := likeValue(ctx, r, hit, p.PID, textsOf(p.V))
				if err != nil {
					return nil, err
				}
				values += like
				c.Match = c.Match && like == 1
			}
			c.Score = 0.6*name + 0.4*values/float64(len(q.Properties))
		}
		if c.Score = math.Round(c.Score*1000) / 10; c.Match {
			sure++
		}
		out = append(out, c)
	}
	for i := range out {
		out[i].Match = out[i].Match && sure == 1 // two that are equal are a matter for a person
	}
	slices.SortStableFunc(out, func(a, b *candidate) int { return int(math.Round(10 * (b.Score - a.Score))) })
	return out[:min(len(out), q.Limit)], nil
}

// likeValue says how near the values of a property of a node are to some texts, from 0 to 1.
func likeValue(ctx context.Context, r *invoke.Request, hit browse.SearchHit, name string, texts []string) (best float64, err error) {
	s := r.Snapshot.Schema()
	var p *schema.Property
	if hit.Type != nil {
		p = s.Property(hit.Type, name)
	}
	if p == nil || len(texts) == 0 {
		return 0, nil
	}
	n := 0
	for q, err := range r.Snapshot.Match(ctx, rdf.Quad{Subject: hit.Term, Predicate: p.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return 0, err
		}
		if n++; n > maxReconcileValues {
			break
		}
		values := []string{rdf.Lexical(q.Object)}
		if _, isIRI := q.Object.(rdf.IRI); isIRI {
			d, err := r.Snapshot.Describe(ctx, q.Object)
			if err != nil {
				return 0, err
			}
			values = append(values, r.Snapshot.Name(q.Object), d.Label, d.ID)
		}
		for _, v := range values {
			for _, text := range texts {
				best = max(best, alike(text, v))
			}
		}
	}
	return best, nil
}

// textsOf are the texts of a value of the protocol: a text, a number, an object with an id or a name, or several.
func textsOf(given json.RawMessage) (texts []string) {
	var list []json.RawMessage
	if json.Unmarshal(given, &list) == nil {
		for _, one := range list {
			texts = append(texts, textsOf(one)...)
		}
		return texts
	}
	var object struct{ ID, Name string }
	var text string
	switch {
	case len(given) == 0 || string(given) == "null":
	case json.Unmarshal(given, &text) == nil:
		texts = append(texts, text)
	case json.Unmarshal(given, &object) == nil:
		if object.ID != "" || object.Name != "" {
			texts = append(texts, cmp.Or(object.ID, object.Name))
		}
	default:
		texts = append(texts, string(given))
	}
	return texts
}

// alike says how alike two texts are, whatever their case, from 0 to 1: by Dice's coefficient of their pairs of letters.
func alike(a, b string) float64 {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	if a == b {
		return 1
	}
	pairs := func(text string) map[string]int {
		of, letters := map[string]int{}, []rune(text)
		for i := range len(letters) - 1 {
			of[string(letters[i:i+2])]++
		}
		return of
	}
	in, other := pairs(a), pairs(b)
	all, both := 0, 0
	for pair, n := range in {
		all += n
		both += min(n, other[pair])
	}
	for _, n := range other {
		all += n
	}
	if all == 0 {
		return 0
	}
	return min(2*float64(both)/float64(all), 0.99) // equal texts alone are 1
}
