package sparqltest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Update draws an update request. Its operations may fail, on which both
// evaluators must agree.
func Update(t *rapid.T) string {
	d := &drawer{T: t}
	return prologue + d.times(1, 3, " ;\n", d.operation)
}

func (d *drawer) operation() string {
	switch d.number(8) {
	case 0:
		d.fresh++ // a label may occur in one operation only
		label := fmt.Sprintf("_:i%d", d.fresh)
		return "INSERT DATA { " + d.data() + d.one([]string{"", " " + label + " :p " + d.one(nodes) + " , " + label + " .", " [] :p [ :q () ] ."}) + " }"
	case 1:
		return "DELETE DATA { " + d.data() + " }"
	case 2:
		return "DELETE WHERE { " + d.inAnyGraph(d.plain()) + d.one([]string{"", " " + d.inAnyGraph(d.plain())}) + " }"
	case 3:
		return d.one([]string{"CLEAR ", "DROP ", "CLEAR SILENT "}) + d.one([]string{"DEFAULT", "NAMED", "ALL", "GRAPH " + d.one(graphs)})
	case 4:
		return "CREATE " + d.one([]string{"", "SILENT "}) + "GRAPH " + d.one(graphs)
	case 5:
		return d.one([]string{"ADD ", "MOVE ", "COPY "}) + d.one([]string{"", "SILENT "}) + d.graphOrDefault() + " TO " + d.graphOrDefault()
	}
	var out strings.Builder
	if d.in(3) {
		out.WriteString("WITH " + d.one(graphs) + " ")
	}
	deletes := d.in(2)
	if deletes {
		out.WriteString("DELETE { " + d.inAnyGraph(d.plain()) + " } ")
	}
	if !deletes || d.in(2) {
		out.WriteString("INSERT { " + d.inAnyGraph(d.template()) + " } ")
	}
	out.WriteString(d.one([]string{"", "", "", "USING " + d.one(graphs) + " ", "USING NAMED " + d.one(graphs) + " ", "USING " + d.one(graphs) + " USING NAMED " + d.one(graphs) + " ", "USING " + d.one(graphs) + " USING " + d.one(graphs) + " "}))
	where := d.group(1)
	if d.in(3) {
		where = "{ GRAPH ?g " + where + " }"
	}
	return out.String() + "WHERE " + where
}

func (d *drawer) graphOrDefault() string {
	return d.one([]string{"DEFAULT", d.one(graphs), d.one(graphs)})
}

func (d *drawer) inGraph(triples string) string {
	if d.in(2) {
		return "GRAPH " + d.one(graphs) + " { " + triples + " }"
	}
	return triples
}

// inAnyGraph may use a variable for the graph, which DATA may not.
func (d *drawer) inAnyGraph(triples string) string {
	if d.in(4) {
		return "GRAPH " + d.one([]string{"?g", d.variable()}) + " { " + triples + " }"
	}
	return d.inGraph(triples)
}

func (d *drawer) data() string {
	return d.inGraph(d.times(1, 3, " ", func() string {
		return d.one(nodes) + " " + d.one(predicates) + " " + d.one([]string{d.one(nodes), d.one(values)}) + " ."
	}))
}

// plain draws triples without blank nodes and paths, as DELETE requires.
func (d *drawer) plain() string {
	return d.times(1, 2, " ", func() string {
		return d.one([]string{d.variable(), d.one(nodes)}) + " " + d.one(predicates) + " " + d.object() + " ."
	})
}
