package db

import (
	"context"
	"fmt"
	"strings"

	"trails/db/lower"
	"trails/rdf"
	"trails/sparql"
)

// Explanation describes for people how a plan is run.
type Explanation struct {
	// SQL is the statement with one clause a line, the values of its placeholders, and what its scans read.
	SQL string
	// Steps is SQLite's query plan, one step a line.
	Steps string
}

// Explain explains a plan. It runs only the scans, for at most five seconds, to count their rows.
func (r *Reader) Explain(ctx context.Context, plan Plan) (e Explanation, err error) {
	if err := r.ready(ctx); err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	if err := r.conn.answerQuestions(); err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	scans, err := r.scanned(ctx, plan)
	if err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	e.SQL = clauses(plan.SQL) + plan.values() + scans
	e.Steps, err = r.conn.steps(plan.SQL)
	return e, r.fail(ctx, "explain", err)
}

// values lists the placeholders and the paths.
func (p Plan) values() string {
	var out strings.Builder
	out.WriteByte('\n')
	for i, a := range p.Args {
		fmt.Fprintf(&out, "\n?%d = ", i+1)
		switch {
		case a.Text && a.High:
			fmt.Fprintf(&out, "what is behind all texts that begin with %q", rdf.Lexical(p.constant(a.Term)))
		case a.Text:
			fmt.Fprintf(&out, "%q", rdf.Lexical(p.constant(a.Term)))
		case a.Rows != nil:
			fmt.Fprintf(&out, "%d rows of ids", len(a.Rows))
		case a.Region != "":
			fmt.Fprintf(&out, "%s id of the %ss%s", end[a.High], rdf.IRI(a.Region), bounds(a))
		case a.Term != nil:
			if rows, ok := p.constant(a.Term).(sparql.Rows); ok {
				fmt.Fprintf(&out, "%d", rows)
				break
			}
			fmt.Fprintf(&out, "the id of %s", rdf.AppendTerm(nil, p.constant(a.Term)))
		default:
			fmt.Fprintf(&out, "%d", a.Number)
		}
	}
	for k, w := range p.Walks {
		fmt.Fprintf(&out, "\nt_reach %d = %s", k, w)
	}
	return out.String()
}

func bounds(a lower.Arg) (text string) {
	for _, b := range a.Bounds {
		text += fmt.Sprintf(" %s %s", b.Func, rdf.AppendTerm(nil, b.Term))
	}
	return text
}

var end = map[bool]string{false: "first", true: "last"}

// clauses breaks a statement into lines before its clauses, and indents subqueries.
func clauses(sql string) string {
	var out strings.Builder
	var nested []bool // for each open parenthesis whether it begins a subquery
	depth, text, between := 0, false, false
	for i := 0; i < len(sql); i++ {
		switch c := sql[i]; {
		case c == '\'':
			text = !text
		case text:
		case c == '(':
			sub := hasPrefix(sql[i+1:], "SELECT ", "WITH ", "VALUES ")
			nested = append(nested, sub)
			if sub {
				depth++
			}
		case c == ')':
			if nested[len(nested)-1] {
				depth--
			}
			nested = nested[:len(nested)-1]
		case c != ' ' || len(nested) > 0 && !nested[len(nested)-1]:
		case hasPrefix(sql[i+1:], "BETWEEN "):
			between = true
		case between && hasPrefix(sql[i+1:], "AND "):
			between = false
		case hasPrefix(sql[i+1:], breaks...):
			out.WriteString("\n" + strings.Repeat("  ", depth))
			continue
		}
		out.WriteByte(sql[i])
	}
	return out.String()
}

// breaks are the words before which a statement is broken.
var breaks = []string{"FROM ", "CROSS JOIN ", "LEFT JOIN ", "WHERE ", "AND ", "GROUP BY ", "HAVING ", "ORDER BY ", "LIMIT ", "UNION ", "EXCEPT "}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// steps returns SQLite's query plan (https://sqlite.org/eqp.html).
func (c *conn) steps(sql string) (string, error) {
	s, err := c.TakeQuery("EXPLAIN QUERY PLAN " + sql)
	if err != nil {
		return "", tooComplex(err)
	}
	defer s.Release()
	depth := map[int64]int{}
	var out strings.Builder
	for {
		more, err := s.Step()
		if err != nil || !more {
			return strings.TrimSuffix(out.String(), "\n"), err
		}
		id, parent := s.ColumnInt64(0), s.ColumnInt64(1)
		depth[id] = depth[parent] + 1
		out.WriteString(strings.Repeat("  ", depth[parent]) + s.ColumnText(3) + "\n")
	}
}
