package db

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"trails/db/lower"
	"trails/db/plan"
	"trails/db/scan"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// Explanation describes for people how a plan is run.
type Explanation struct {
	// Root is the tree of operators, Run what a run counted at them, and Rows and Time are those of the whole run.
	Root *plan.Node
	Run  plan.Run
	Rows int64
	Time time.Duration
	// Stopped says that the run was ended at a limit; then all numbers are those so far.
	Stopped bool
	// Notes are sentences about what was not counted.
	Notes []string
	// SQL is the statement with one clause a line, the values of its placeholders, and what its scans read.
	SQL string
	// Steps is SQLite's query plan, one step a line.
	Steps string
}

// explainTime bounds the run for an explanation. Of a context that ends earlier it takes half of what is left.
const explainTime = 5 * time.Second

// The notes of an explanation.
const (
	stoppedByTime  = "stopped after %s: rows and times are those so far"
	stoppedByLimit = "stopped at a limit of the query: rows and times are those so far"
	otherPlan      = "counting changes SQLite's plan: rows and times are those of another order"
)

// Explain runs a plan to count the rows of its operators, within limits and at most for five seconds. Counting takes
// time itself, so that the times are longer than without it.
func (r *Reader) Explain(ctx context.Context, p Plan, limits Limits) (e Explanation, err error) {
	if err := r.ready(ctx); err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	if err := r.conn.answerQuestions(); err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	counting, err := p.counting(ctx)
	if err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	counts, err := r.count(ctx, &e, counting, limits)
	var bug *scan.Bug
	if errors.As(err, &bug) {
		r.file.scanFailed(bug)
	}
	if bug != nil || errors.Is(err, scan.ErrLeft) {
		if p, err = p.withoutScans(ctx); err == nil {
			return r.Explain(ctx, p, limits)
		}
	}
	if err != nil {
		return e, r.fail(ctx, "explain", err)
	}
	e.SQL = clauses(p.SQL) + p.values() + counting.scanned(counts.passed)
	e.Steps, err = r.conn.steps(p.SQL)
	if err == nil && p.Listing == nil {
		var steps string
		if steps, err = r.conn.steps(counting.SQL); err == nil && !samePlan(steps, e.Steps) {
			e.Notes = append(e.Notes, otherPlan)
		}
	}
	return e, r.fail(ctx, "explain", err)
}

// samePlan reports whether two of SQLite's plans read the same tables by the same indexes in the same order. Whether it
// merges a subquery into the statement around it makes no difference.
func samePlan(a, b string) bool {
	tables := func(steps string) string { return strings.TrimSpace(subqueries.ReplaceAllString(steps, "")) }
	return tables(a) == tables(b)
}

// subqueries are the steps that tell of subqueries, not of tables.
var subqueries = regexp.MustCompile(`(?m)^ *(CO-ROUTINE|MATERIALIZE|CORRELATED|SCALAR|LIST|SCAN CONSTANT ROW|SCAN \(?[a-z0-9-]+\)?$).*\n?|^ +`)

// count runs a plan that counts, and fills in what it counted.
func (r *Reader) count(ctx context.Context, e *Explanation, p Plan, limits Limits) (*counts, error) {
	limit := explainTime
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := &counts{run: plan.Run{}, passed: map[*scan.Step]scan.Passed{}, last: time.Now()}
	p.counts = c
	c.run.Begin(p.Root)
	top := p.Root
	for p.Listing != nil && top.Emitter != plan.Scan {
		top = top.Children[0]
	}
	began := c.last
	var err error
	e.Rows, err = r.visitOnce(timed, p, limits, func(a *answer) (bool, error) {
		_, err := a.row()
		c.add(top.ID, 0)
		return true, err
	})
	c.add(top.ID, 0)
	e.Root, e.Run, e.Time = p.Root, c.run, time.Since(began)
	switch {
	case err != nil && ctx.Err() == nil && timed.Err() != nil:
		e.Stopped, e.Notes = true, append(e.Notes, fmt.Sprintf(stoppedByTime, limit.Round(100*time.Millisecond)))
	case fault.Is(err, fault.TooLarge):
		e.Stopped, e.Notes = true, append(e.Notes, stoppedByLimit)
	case err != nil:
		return c, err
	}
	for id, step := range p.Steps {
		if of, ok := c.passed[step]; ok {
			e.Run[id] = plan.Count{Rows: of.Rows}
		}
	}
	if e.Stopped {
		e.Run[p.Root.ID] = plan.Count{Rows: e.Rows, Time: e.Run[p.Root.ID].Time}
	} else {
		e.Run.Solutions(p.Root, e.Rows)
	}
	return c, nil
}

// counts is what a run counts at the nodes of its plan, and at the steps of its programs.
type counts struct {
	run    plan.Run
	passed map[*scan.Step]scan.Passed
	last   time.Time
}

// add counts rows at a node, and the time since the last row of any.
func (c *counts) add(node int, rows int64) {
	now := time.Now()
	of := c.run[node]
	of.Rows += rows
	of.Time += now.Sub(c.last)
	c.run[node], c.last = of, now
}

// seen is t_seen: it counts a row, and is true.
func (q *question) seen(args []sqlite.Value) (sqlite.Value, error) {
	q.plan.counts.add(args[0].Int(), 1)
	return sqlite.IntegerValue(1), nil
}

// scanned describes the t_scan tables of a plan for people.
func (p Plan) scanned(passed map[*scan.Step]scan.Passed) string {
	var out strings.Builder
	if p.Listing != nil {
		fmt.Fprintf(&out, "\n\nt_scan %d has the rows of the answer: the statement is not run", p.Listing.Program)
	}
	for k := range p.Programs {
		fmt.Fprintf(&out, "\n\nt_scan %d reads%s", k, p.Programs[k].Text(passed))
	}
	return out.String()
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
