package kg

import (
	"context"
	"slices"
	"strconv"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/results"
)

// Bounds of the requests and answers of the services of one query or update. Each term of an answer becomes a value
// in the SQL statement.
const (
	maxServiceRequests = 100
	maxServiceTerms    = 30_000
	maxPushedRows      = 500
)

// withServices returns the query with each SERVICE replaced by its answer.
func (g *Graph) withServices(ctx context.Context, q *sparql.Query) (*sparql.Query, error) {
	if _, remote := q.Remote(); !remote {
		return q, nil
	}
	a := asking{ctx: ctx, remote: g.remote, base: q.Base, from: &origins{}}
	return q.AnswerServices(a.answer)
}

// withServices does the same for an update, before anything is locked.
func (u *updating) withServices(ctx context.Context, remote Remote) error {
	a := asking{ctx: ctx, remote: remote, from: &u.from}
	operations := slices.Clone(u.operations)
	for i, op := range operations {
		m, ok := op.(sparql.Modify)
		if !ok {
			continue
		}
		a.base = m.Base
		asked, err := m.AnswerServices(a.answer)
		if err != nil {
			return err
		}
		operations[i] = asked
	}
	u.operations = operations
	return nil
}

// asking asks the services of one query.
type asking struct {
	ctx             context.Context
	remote          Remote
	base            string
	from            *origins // the endpoints that answered
	requests, terms int
}

// answer asks one service, at each endpoint that its variable may have.
func (a *asking) answer(s sparql.Service, known []sparql.Table) (sparql.Op, error) {
	pattern, err := sparql.Parse(s.Select(a.base), sparql.Options{})
	if err != nil {
		return nil, fault.New(fault.InvalidArguments, "the pattern of %s is no query of its own: %v", nameOfService(s.Name), err)
	}
	if s.Name.Var == "" {
		return a.ask(s, s.Name.Term, pattern.Vars, known)
	}
	endpoints, err := endpointsOf(s.Name.Var, known)
	if err != nil {
		return nil, err
	}
	all := sparql.Table{Vars: pattern.Vars}
	if !slices.Contains(all.Vars, s.Name.Var) {
		all.Vars = append(slices.Clip(all.Vars), s.Name.Var)
	}
	for _, endpoint := range endpoints {
		one, err := a.ask(s, endpoint, pattern.Vars, at(endpoint, s.Name.Var, known))
		if err != nil {
			return nil, err
		}
		all.Rows = append(all.Rows, placed(one, endpoint, s.Name.Var, all.Vars)...)
	}
	return all, nil
}

// endpointsOf are the values of a service's variable in the table before it.
func endpointsOf(v sparql.Var, known []sparql.Table) ([]rdf.Term, error) {
	for _, t := range known {
		column := slices.Index(t.Vars, v)
		if column < 0 {
			continue
		}
		var all []rdf.Term
		for _, row := range t.Rows {
			if row[column] == nil {
				return nil, fault.New(fault.InvalidArguments, "SERVICE ?%s is refused: a row of VALUES leaves ?%s open", v, v)
			}
			if !slices.Contains(all, row[column]) {
				all = append(all, row[column])
			}
		}
		return all, nil
	}
	return nil, fault.New(fault.InvalidArguments, "SERVICE ?%s is refused: which endpoints to ask must be known before; give ?%s by VALUES in the same group, or as a parameter", v, v)
}

// at restricts the tables to the rows with this endpoint.
func at(endpoint rdf.Term, v sparql.Var, known []sparql.Table) []sparql.Table {
	out := slices.Clone(known)
	for i, t := range out {
		column := slices.Index(t.Vars, v)
		if column < 0 {
			continue
		}
		out[i].Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(row []rdf.Term) bool {
			return row[column] != nil && row[column] != endpoint
		})
	}
	return out
}

// placed adds the endpoint to each row of its answer, as a column of vars.
func placed(answer sparql.Table, endpoint rdf.Term, v sparql.Var, vars []sparql.Var) [][]rdf.Term {
	var rows [][]rdf.Term
	column := slices.Index(vars, v)
	for _, row := range answer.Rows {
		out := make([]rdf.Term, len(vars))
		for i, t := range row {
			out[slices.Index(vars, answer.Vars[i])] = t
		}
		if out[column] == nil || out[column] == endpoint {
			out[column] = endpoint
			rows = append(rows, out)
		}
	}
	return rows
}

// ask asks one endpoint. SILENT makes one solution without bindings of what fails
// there (SPARQL 1.1 Federated Query, section 2.2), but not of what is refused here, a
// host that is not allowed or an answer beyond a limit, nor of the query's own end.
func (a *asking) ask(s sparql.Service, endpoint rdf.Term, vars []sparql.Var, known []sparql.Table) (sparql.Table, error) {
	if slices.ContainsFunc(known, func(t sparql.Table) bool { return len(t.Rows) == 0 }) {
		return sparql.Table{Vars: vars}, nil // the answer would be joined with nothing
	}
	answer, err := a.request(s, endpoint, vars, known)
	switch {
	case err == nil:
		return answer, nil
	case a.ctx.Err() != nil:
		return answer, a.ctx.Err()
	case s.Silent && !fault.Is(err, fault.Denied) && !fault.Is(err, fault.TooLarge):
		return sparql.Table{Rows: [][]rdf.Term{{}}}, nil
	}
	f := *fault.Of(err)
	f.Message = "SERVICE: " + f.Message
	return answer, &f
}

func (a *asking) request(s sparql.Service, endpoint rdf.Term, vars []sparql.Var, known []sparql.Table) (sparql.Table, error) {
	iri, ok := endpoint.(rdf.IRI)
	if !ok {
		return sparql.Table{}, fault.New(fault.InvalidArguments, "%q is no IRI of an endpoint", rdf.Lexical(endpoint))
	}
	if a.requests++; a.requests > maxServiceRequests {
		return sparql.Table{}, fault.New(fault.TooLarge, "a query asks at most %d times", maxServiceRequests)
	}
	res, err := a.remote.Select(a.ctx, string(iri), s.Select(a.base, pushed(vars, known)...))
	if err != nil {
		return sparql.Table{}, err
	}
	a.from.add(policy.Upstream, string(iri))
	table, err := tableOf(res, vars, string(iri))
	if err != nil {
		return table, err
	}
	if a.terms += len(table.Rows) * max(1, len(vars)); a.terms > maxServiceTerms {
		return table, fault.New(fault.TooLarge, "<%s> answered with %d rows of %d: a query takes %d terms from its services; put a LIMIT or more conditions into SERVICE",
			string(iri), len(table.Rows), len(vars), maxServiceTerms)
	}
	return table, nil
}

// pushed are the known tables, restricted to the pattern's variables: the endpoint is only asked for solutions that
// fit them.
func pushed(vars []sparql.Var, known []sparql.Table) []sparql.Table {
	var out []sparql.Table
	for _, t := range known {
		if p := projected(t, vars); len(p.Vars) > 0 && len(p.Rows) <= maxPushedRows {
			out = append(out, p)
		}
	}
	return out
}

// projected is the table restricted to these variables, each row once. Columns with blank nodes are dropped, because
// other hosts do not know them, and so are columns with UNDEF: a solution could fit several rows, and come back for each.
func projected(t sparql.Table, vars []sparql.Var) sparql.Table {
	var columns []int
	out := sparql.Table{}
	for i, v := range t.Vars {
		unfit := slices.ContainsFunc(t.Rows, func(row []rdf.Term) bool { _, blank := row[i].(rdf.BNode); return blank || row[i] == nil })
		if slices.Contains(vars, v) && !unfit {
			columns = append(columns, i)
			out.Vars = append(out.Vars, v)
		}
	}
	seen := map[string]bool{}
	for _, row := range t.Rows {
		kept := make([]rdf.Term, len(columns))
		var key []byte
		for i, column := range columns {
			kept[i] = row[column]
			key = append(rdf.AppendTerm(key, kept[i]), 0)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			out.Rows = append(out.Rows, kept)
		}
	}
	return out
}

// tableOf converts an answer to inline data with these variables, with new blank nodes.
func tableOf(res results.Result, vars []sparql.Var, endpoint string) (sparql.Table, error) {
	out := sparql.Table{Vars: vars, Rows: make([][]rdf.Term, 0, len(res.Rows))}
	columns := make([]int, len(vars))
	for i, v := range vars {
		columns[i] = slices.Index(res.Vars, v)
	}
	fresh := freshNodes{prefix: "s" + change.NewLabels().Prefix, labels: map[rdf.BNode]rdf.BNode{}}
	for _, row := range res.Rows {
		kept := make([]rdf.Term, len(vars))
		for i, column := range columns {
			if column < 0 || row[column] == nil {
				continue
			}
			kept[i] = fresh.term(row[column])
			if err := checkTerm(kept[i]); err != nil {
				return out, fault.New(fault.Unusable, "<%s> answered with what is no RDF term: %v", endpoint, err)
			}
		}
		out.Rows = append(out.Rows, kept)
	}
	return out, nil
}

// freshNodes gives the blank nodes of one answer labels of their own.
type freshNodes struct {
	prefix string
	labels map[rdf.BNode]rdf.BNode
}

func (f freshNodes) term(t rdf.Term) rdf.Term {
	label, ok := t.(rdf.BNode)
	if !ok {
		return t
	}
	if _, known := f.labels[label]; !known {
		f.labels[label] = rdf.BNode(f.prefix + strconv.Itoa(len(f.labels)))
	}
	return f.labels[label]
}

// checkTerm refuses a term that no graph can contain.
func checkTerm(t rdf.Term) error {
	return change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.Nil, Predicate: rdf.Type, Object: t}}.Check()
}
