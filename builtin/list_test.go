package builtin_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

const listSchema = `
types:
  Being:
    abstract: true
    label: name
    properties:
      name: {type: string}
      tags: {type: string, many: true}
      rank: {type: integer}
      day: {type: date}
      near: {class: Being, many: true}
  Cat: {extends: Being}
  Dog: {extends: Being}
`

// listed is a node in memory, its values as JSON has them.
type listed map[string][]any

var listValues = map[string]*rapid.Generator[any]{
	"name": rapid.SampledFrom([]any{"Ann", "ann", "Bob", "Élan", "b%b", "Ann Bob"}),
	"tags": rapid.SampledFrom([]any{"red", "Red", "blue", "BLUE sky"}),
	"rank": rapid.Map(rapid.IntRange(-2, 4), func(n int) any { return n }),
	"day":  rapid.SampledFrom([]any{"2026-01-01", "2026-02-01", "2026-03-01"}),
	"near": rapid.Map(rapid.IntRange(0, 7), func(n int) any { return listNode(n) }),
}

// listNode is the node with a number: there are both types.
func listNode(n int) string { return []string{"Cat/", "Dog/"}[n%2] + fmt.Sprint("n", n) }

type listClause struct {
	Property string `json:"property"`
	Op       string `json:"op,omitempty"`
	Value    any    `json:"value,omitempty"`
}

// TestListsAreAsInMemory compares lists, page by page, with nodes that are filtered in memory.
func TestListsAreAsInMemory(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(r *rapid.T) {
		nodes := map[string]listed{}
		var data strings.Builder
		for i := range 8 {
			node, given := listed{}, map[string]any{}
			for _, p := range []string{"name", "tags", "rank", "day", "near"} {
				most := 1
				if p == "tags" || p == "near" {
					most = 3
				}
				if values := rapid.SliceOfNDistinct(listValues[p], 0, most, rapid.ID).Draw(r, p); len(values) > 0 {
					node[p], given[p] = values, values
					if most == 1 {
						given[p] = values[0]
					}
				}
			}
			nodes[listNode(i)] = node
			kind, id, _ := strings.Cut(listNode(i), "/")
			line, err := json.Marshal(map[string]any{"type": kind, "id": id, "data": given})
			if err != nil {
				r.Fatal(err)
			}
			data.Write(append(line, '\n'))
		}
		e := invoketest.New(t, listSchema, invoke.Config{})
		var loaded any
		listCall(r, e, "load", map[string]any{"data": data.String()}, &loaded)
		for range 10 {
			checkList(r, e, nodes)
		}
	})
}

func listCall(r *rapid.T, e *invoketest.Engine, capability string, args, out any) {
	text, err := json.Marshal(args)
	if err != nil {
		r.Fatal(err)
	}
	res, err := e.Call(r.Context(), invoke.Call{Capability: capability, Args: text, Principal: invoketest.Ana, Via: "test"})
	if err == nil {
		err = json.Unmarshal(res.Structured, out)
	}
	if err != nil {
		r.Fatalf("%s %s: %v", capability, text, err)
	}
}

func checkList(r *rapid.T, e *invoketest.Engine, nodes map[string]listed) {
	kind := rapid.SampledFrom([]string{"Being", "Cat", "Dog"}).Draw(r, "type")
	where := []listClause{}
	for range rapid.IntRange(0, 3).Draw(r, "conditions") {
		where = append(where, drawClause(r))
	}
	args := map[string]any{"type": kind, "where": where, "limit": rapid.IntRange(1, 5).Draw(r, "limit"), "select": []string{}}
	if rapid.Bool().Draw(r, "sorted") {
		args["sort"] = rapid.SampledFrom([]string{"rank", "-name", "day", "near", "-near.rank", "near,-name", "-day,rank,name"}).Draw(r, "sort")
	}
	want := []string{}
	for name, node := range nodes {
		fits := kind == "Being" || strings.HasPrefix(name, kind+"/")
		for _, c := range where {
			fits = fits && c.fits(nodes, node)
		}
		if fits {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	got := []string{}
	for {
		var page struct {
			Total any
			Rows  [][]any
			Next  string
		}
		listCall(r, e, "list", args, &page)
		if page.Total != float64(len(want)) {
			r.Errorf("%v: total %v, want %d", args, page.Total, len(want))
		}
		for _, row := range page.Rows {
			got = append(got, row[0].(string))
		}
		if page.Next == "" {
			break
		}
		args["cursor"] = page.Next
	}
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		r.Errorf("%v of %v: %s", args, nodes, diff)
	}
}

func drawClause(r *rapid.T) listClause {
	last := rapid.SampledFrom([]string{"name", "tags", "rank", "day", "near"}).Draw(r, "property")
	ops := map[string][]string{
		"name": {"", "=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts", "is_empty", "not_empty"},
		"rank": {"=", "!=", "<", "<=", ">", ">=", "in", "is_empty", "not_empty"},
		"near": {"=", "!=", "in", "is_empty", "not_empty"},
	}
	ops["tags"], ops["day"] = ops["name"], ops["rank"]
	c := listClause{Property: strings.Repeat("near.", rapid.IntRange(0, 2).Draw(r, "references")) + last, Op: rapid.SampledFrom(ops[last]).Draw(r, "op")}
	switch c.Op {
	case "is_empty", "not_empty":
	case "in":
		c.Value = rapid.SliceOfN(listValues[last], 1, 3).Draw(r, "values")
	case "contains", "starts":
		c.Value = rapid.SampledFrom([]any{"A", "b", "é", "%", "blue"}).Draw(r, "part")
	default:
		c.Value = listValues[last].Draw(r, "value")
	}
	return c
}

// fits reports whether a node meets a condition.
func (c listClause) fits(nodes map[string]listed, node listed) bool {
	steps := strings.Split(c.Property, ".")
	at := []listed{node}
	for range steps[1:] {
		var next []listed
		for _, n := range at {
			for _, v := range n["near"] {
				next = append(next, nodes[v.(string)])
			}
		}
		at = next
	}
	var values []any
	for _, n := range at {
		values = append(values, n[steps[len(steps)-1]]...)
	}
	some := func(test func(v any) bool) bool { return slices.ContainsFunc(values, test) }
	order := func(v any) int {
		if n, ok := v.(int); ok {
			return cmp.Compare(n, c.Value.(int))
		}
		return cmp.Compare(v.(string), c.Value.(string))
	}
	low := func(v any) string { return strings.ToLower(v.(string)) }
	switch c.Op {
	case "!=":
		return !some(func(v any) bool { return v == c.Value })
	case "<":
		return some(func(v any) bool { return order(v) < 0 })
	case "<=":
		return some(func(v any) bool { return order(v) <= 0 })
	case ">":
		return some(func(v any) bool { return order(v) > 0 })
	case ">=":
		return some(func(v any) bool { return order(v) >= 0 })
	case "in":
		return some(func(v any) bool { return slices.Contains(c.Value.([]any), v) })
	case "contains":
		return some(func(v any) bool { return strings.Contains(low(v), low(c.Value)) })
	case "starts":
		return some(func(v any) bool { return strings.HasPrefix(low(v), low(c.Value)) })
	case "is_empty":
		return len(values) == 0
	case "not_empty":
		return len(values) > 0
	}
	return some(func(v any) bool { return v == c.Value })
}
