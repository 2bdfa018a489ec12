package admin

import (
	"encoding/json"
)

const (
	setBudgetID    = "trails.meta.budget.set"
	removeBudgetID = "trails.meta.budget.remove"
)

// budgetsShown is how many rows of budgets the page of tokens has.
const budgetsShown = 100

// budget is a row of trails.meta.budget.list: one limit of a budget, and what is used of it on one account.
type budget struct {
	Actor, Capability, Per, Measure string
	Limit                           json.Number
	Caller                          string
	Used, Left                      json.Number
	Refills, Author, Set            string
}

// UnmarshalJSON reads the cells of a row.
func (b *budget) UnmarshalJSON(text []byte) error {
	row := [...]any{&b.Actor, &b.Capability, &b.Per, &b.Measure, &b.Limit, &b.Caller, &b.Used, &b.Left, &b.Refills, &b.Author, &b.Set}
	return json.Unmarshal(text, &row)
}

// budgetsData are the budgets of a graph.
type budgetsData struct {
	Rows []budget
	Cut  string // what the list leaves out
}

// budgets asks for the budgets.
func (a *asker) budgets() (d budgetsData, err error) {
	err = a.ask("trails.meta.budget.list", nil, &d)
	if n := len(d.Rows); n > budgetsShown {
		d.Rows, d.Cut = d.Rows[:budgetsShown], count(n-budgetsShown)+" more rows are in trails budget list"
	}
	return d, err
}

// arguments are those that name the budget.
func (b budget) arguments() []string {
	return []string{"actor", b.Actor, "capability", b.Capability, "per", b.Per}
}
