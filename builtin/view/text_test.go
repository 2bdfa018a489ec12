package view_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/e2e/testrun"
	"trails/invoke/invoketest"
)

// TestViews runs testdata/views, one engine a file, with the commands of TestCalls and
//
//	show NAME                        a view with the arguments below, as text
//
// A cell is its text, «…» around the label of a node; [n] is the length of what was
// cut, ! a node that is not there.
func TestViews(t *testing.T) {
	testrun.Alone(t)
	datadriven.Walk(t, "testdata/views", func(t *testing.T, path string) {
		s := &invoketest.Session{TB: t, T: t}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.T = t
			d.Input = unescaped(t, d.Input)
			if d.Cmd == "show" {
				return shows(s, d)
			}
			return s.Run(d)
		})
	})
}

// long stands for many letters in the input of a test: {1000*a}.
var long = regexp.MustCompile(`\{(\d+)\*(.)\}`)

func unescaped(t *testing.T, text string) string {
	return long.ReplaceAllStringFunc(text, func(m string) string {
		parts := long.FindStringSubmatch(m)
		n, err := strconv.Atoi(parts[1])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Repeat(parts[2], n)
	})
}

// blank is a blank node's label in the file.
var blank = regexp.MustCompile(`_:[0-9A-Za-z-]{16,}`)

func shows(s *invoketest.Session, d *datadriven.TestData) string {
	c := s.Who(d)
	c.Capability, c.Args = d.CmdArgs[0].Key, json.RawMessage(s.Commits(d.Input))
	r, err := s.Call(s.T.Context(), c)
	if err != nil {
		return s.Normal(invoketest.Refusal(err))
	}
	invoketest.CheckResult(s.T, s.Engine, c.Capability, r.Structured)
	var v viewed
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		s.T.Fatal(err)
	}
	return blank.ReplaceAllString(s.Normal(v.String()), "_:BLANK")
}

type node struct {
	Type, ID, IRI, Label string
	Exists               bool
	Depth                *int
}

func (n node) String() string {
	missing := ""
	if !n.Exists {
		missing = "!"
	}
	return fmt.Sprintf("%s/%s«%s»%s", n.Type, n.ID, shown(n.Label), missing)
}

type cell struct {
	Text, Datatype, Lang string
	Ref                  *node
	Length               int
}

// shown makes what cannot be read in a test readable, and what is long short.
func shown(text string) string {
	if quoted := strconv.QuoteToASCII(text); quoted != `"`+text+`"` && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x2000 && r != '…' }) {
		text = quoted
	}
	if n := len([]rune(text)); n > 80 {
		return fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:20]), n)
	}
	return text
}

func (c cell) String() string {
	text := shown(c.Text)
	if c.Ref != nil {
		text = c.Ref.String()
	}
	if c.Datatype != "" {
		text += "^" + c.Datatype
	}
	if c.Lang != "" {
		text += "@" + c.Lang
	}
	if c.Length > 0 {
		text += fmt.Sprintf("[%d]", c.Length)
	}
	return text
}

type change struct {
	Property string
	Old, New []cell
}

// changedNode is a node of a commit, or of a neighbourhood.
type changedNode struct {
	node
	Node    *node
	Graph   string
	What    string
	Changes []change
	More    bool
}

// viewed has the members of all views.
type viewed struct {
	Columns []struct{ Name string }
	Rows    []struct {
		Node  node
		Cells map[string][]cell
		More  map[string]int
	}
	Total     *int
	TotalMore bool `json:"total_more"`
	More      bool
	Facets    []struct {
		Property string
		Values   []struct {
			Value string
			Count int
			More  bool
		}
	}
	Node       *node
	Types      []string
	Properties []struct {
		Name   string
		Values []cell
		Total  int
	}
	Other []struct {
		Predicate string
		Values    []cell
		Total     int
	}
	Incoming []struct {
		Type, Property string
		Total          int
		More           bool
		Nodes          []node
	}
	Made, Changed, Commit *struct{ ID string }
	Entries               []struct {
		Commit   struct{ ID string }
		Activity *struct{ Capability, Agent string }
		Changes  []change
		More     bool
	}
	Nodes          []changedNode
	Edges          []struct{ From, To, Property string }
	Truncated      bool
	Previous, Next *string
	SchemaChanged  bool `json:"schema_changed"`
	Items          []struct{ Value, Label string }
}

// String writes what is there, a line for each thing.
func (v viewed) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, r := range v.Rows {
		line("%s", r.Node)
		for _, c := range v.Columns {
			if cells := r.Cells[c.Name]; len(cells) > 0 {
				more := ""
				if n := r.More[c.Name]; n > 0 {
					more = fmt.Sprintf(" and %d more", n)
				}
				line("  %s: %v%s", c.Name, cells, more)
			}
		}
	}
	for _, f := range v.Facets {
		b.WriteString(f.Property + ":")
		for _, value := range f.Values {
			fmt.Fprintf(&b, " %s %d%s", value.Value, value.Count, plus(value.More))
		}
		b.WriteByte('\n')
	}
	v.page(line)
	v.changes(line)
	for _, i := range v.Items {
		line("%s (%s)", i.Value, shown(i.Label))
	}
	if v.Total != nil {
		line("total %d%s", *v.Total, plus(v.TotalMore || v.More))
	}
	return b.String()
}

func plus(more bool) string {
	if more {
		return "+"
	}
	return ""
}

func (v viewed) page(line func(string, ...any)) {
	if v.Node != nil {
		line("%s %v", *v.Node, v.Types)
	}
	for _, p := range v.Properties {
		line("  %s (%d): %v", p.Name, p.Total, p.Values)
	}
	for _, o := range v.Other {
		line("  <%s> (%d): %v", o.Predicate, o.Total, o.Values)
	}
	for _, g := range v.Incoming {
		line("  %s of %q (%d%s): %v", g.Property, g.Type, g.Total, plus(g.More), g.Nodes)
	}
	if v.Made != nil && v.Changed != nil {
		line("  made %s, changed %s", v.Made.ID, v.Changed.ID)
	}
}

func (v viewed) changes(line func(string, ...any)) {
	all := func(list []change, more bool) {
		for _, c := range list {
			line("  %s: %v → %v", c.Property, c.Old, c.New)
		}
		if more {
			line("  …")
		}
	}
	for _, e := range v.Entries {
		line("%s by %v", e.Commit.ID, e.Activity)
		all(e.Changes, e.More)
	}
	if v.Commit != nil {
		line("%s schema changed: %t, previous %s", v.Commit.ID, v.SchemaChanged, text(v.Previous))
	}
	for _, n := range v.Nodes {
		if n.Depth != nil {
			line("%d %s", *n.Depth, n.node)
			continue
		}
		line("%s %s %s", n.What, n.Node, n.Graph)
		all(n.Changes, n.More)
	}
	var edges []string
	for _, e := range v.Edges {
		edges = append(edges, fmt.Sprintf("%s %s %s", e.From, e.Property, e.To))
	}
	for _, e := range slices.Sorted(slices.Values(edges)) {
		line("%s", e)
	}
	if v.Truncated {
		line("truncated")
	}
	if v.Next != nil {
		line("next %s", *v.Next)
	}
}

func text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
