package plan

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"trails/sparql"
)

// Line is an operator as it is shown.
type Line struct {
	Depth    int
	Operator string  // its name, and what it is of
	Estimate float64 // below zero if nothing estimates it
	// Counted says that Rows is what the run counted.
	Counted bool
	Rows    int64
	Time    time.Duration
	// Emitter is what runs it, and what was estimated where there was a choice.
	Emitter string
}

// The most that is shown: the operators of a plan, and the characters of one of them.
const (
	mostLines = 60
	mostChars = 100
)

// Lines returns the operators of a plan from the root on, each before its operands, and how many more there are.
func Lines(root *Node, run Run, prefixes map[string]string) (lines []Line, left int) {
	groups := root.groups(nil)
	var add func(n *Node, depth int)
	add = func(n *Node, depth int) {
		if len(lines) == mostLines {
			left++
		} else {
			c, ok := run.Of(n)
			lines = append(lines, Line{depth, n.text(groups, prefixes), n.Rows, ok, c.Rows, c.Time, n.emitter()})
		}
		for _, child := range n.Children {
			add(child, depth+1)
		}
	}
	add(root, 0)
	return lines, left
}

// groups lists the groups of a tree.
func (n *Node) groups(list []sparql.Group) []sparql.Group {
	if g, ok := n.Of.(sparql.Group); ok {
		list = append(list, g)
	}
	for _, child := range n.Children {
		list = child.groups(list)
	}
	return list
}

// emitter returns what runs the operator and, where there was a choice, the estimates: "scan ~1.5 ms, sql ~8 ms".
func (n *Node) emitter() string {
	c := n.Choice
	switch {
	case c == nil:
		return string(n.Emitter)
	case n.Emitter == Scan:
		return "scan ~" + inMilliseconds(c.Scan) + ", sql ~" + inMilliseconds(c.SQL)
	}
	text := "sql ~" + inMilliseconds(c.SQL) + ", scan ~" + inMilliseconds(c.Scan)
	if c.Against != "" {
		text += " but " + c.Against
	}
	return text
}

// inMilliseconds rounds a time to two digits.
func inMilliseconds(d time.Duration) string {
	n := float64(d) / float64(time.Millisecond)
	if n >= 10 {
		return strconv.FormatFloat(n, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(n, 'g', 2, 64) + " ms"
}

// text returns the operator in the notation of SPARQL, on one line.
func (n *Node) text(groups []sparql.Group, prefixes map[string]string) string {
	text := string(n.Kind)
	of := ""
	if n.Of != nil {
		of = strings.Join(strings.Fields(sparql.OperatorText(n.Of, groups, prefixes)), " ")
	}
	if n.Graph != (sparql.Operand{}) {
		of = sparql.OperatorText(sparql.Graph{Name: n.Graph}, nil, prefixes) + " { " + of + " }"
	}
	if n.Kind == Pattern {
		text = ""
	}
	text = strings.TrimSpace(text + " " + of)
	if utf8.RuneCountInString(text) > mostChars {
		text = string([]rune(text)[:mostChars-1]) + "…"
	}
	if n.Way != "" {
		text += " [" + n.Way + "]"
	}
	return text
}
