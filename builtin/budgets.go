package builtin

import (
	"context"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/quote"
)

// budgetFor are the arguments that name a budget.
type budgetFor struct {
	Actor      string `json:"actor,omitempty" max:"500" doc:"The caller whom it is for, as provenance has them, such as token:ci or anonymous; * for each caller alone; left out for all callers together."`
	Capability string `json:"capability,omitempty" max:"200" doc:"What is called, such as query; left out for everything together."`
	Per        string `json:"per" oneof:"minute,hour,day" default:"hour"`
}

// key reads the name of a budget.
func (f budgetFor) key() policy.BudgetKey {
	period, _ := policy.ParsePeriod(f.Per) // its shape has been checked
	return policy.BudgetKey{Actor: f.Actor, Capability: f.Capability, Period: period}
}

// limitsAsked are the limits of a budget.
type limitsAsked struct {
	Calls   int     `json:"calls,omitempty" min:"1"`
	Rows    int     `json:"rows,omitempty" min:"1" doc:"Entries of the answers' lists, and records of loads and exports."`
	Bytes   int     `json:"bytes,omitempty" min:"1" doc:"Of the answers."`
	Seconds float64 `json:"seconds,omitempty" min:"0.001" max:"1000000000" doc:"Of work."`
	Cost    int     `json:"cost,omitempty" min:"1" doc:"Points: a call is 1, 2 or 10 by its cost_estimate constant, change or result, graph."`
}

func (l limitsAsked) amounts() policy.Amounts {
	return policy.Amounts{policy.Calls: int64(l.Calls), policy.Rows: int64(l.Rows), policy.Bytes: int64(l.Bytes), policy.Seconds: int64(l.Seconds * 1e6), policy.Cost: int64(l.Cost)}
}

// budgetSetAnswer is the answer about a budget that was set.
type budgetSetAnswer struct {
	budgetFor
	limitsAsked
	Replaced bool `json:"replaced" doc:"Whether there was such a budget, with other limits or the same."`
	DryRun   bool `json:"dry_run" doc:"Whether this was only tried."`
}

var budgetSet = invoke.Define(capability.Descriptor{
	ID: "trails.meta.budget.set", Description: "Limit what a caller, or calls of a capability, or both, may use within a period. One with the same actor, capability and per is replaced whole; what was used of it stays used.",
	CostEstimate: capability.CostConstant, PolicyRequired: administers, SideEffects: capability.Destroys,
}, func(ctx context.Context, r *invoke.Request, in struct {
	budgetFor
	limitsAsked
	capability.TryArgument
}) (*budgetSetAnswer, error) {
	if in.Capability != "" && !strings.Contains(in.Capability, ":") { // with a colon it is the tool of a server
		c, err := r.Named(in.Capability)
		if err != nil {
			return nil, fault.Argument("capability", fault.OneOf, in.Capability, "there is no such capability"+fault.DidYouMean(in.Capability, capabilityIDs(r)))
		}
		in.Capability = c.ID
		if c.PolicyRequired.Action.Free() || c.Bare {
			return nil, fault.Argument("capability", fault.OneOf, in.Capability, "no budget counts it: it says who may do what, ends what a caller gave, or answers whatever the file does")
		}
	}
	if name, is := strings.CutPrefix(in.Actor, policy.TokenActor); !is && in.Actor != "" && in.Actor != policy.EachCaller {
		if why := policy.NoCaller(in.Actor); why != "" {
			r.Warn("%s: %s", quote.Line(in.Actor, maxProblem), why)
		}
	} else if is {
		if _, known, err := r.Engine().Graph().Token(ctx, name); err != nil {
			return nil, err
		} else if !known {
			r.Warn("the graph has issued no token %s", name)
		}
	}
	replaced, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (bool, error) {
		return s.SetBudget(ctx, policy.Budget{BudgetKey: in.key(), Limits: in.amounts()}, in.DryRun, a)
	})
	return &budgetSetAnswer{in.budgetFor, in.limitsAsked, replaced, in.DryRun}, err
}, invoke.On())

var budgetCells = capability.CellsOf("actor:string null", "capability:string null", "per:string", "measure:string", "limit:number", "caller:string null", "used:number", "left:number", "refills:string", "author:string", "set:string")

var budgetList = invoke.Define(capability.Descriptor{
	ID: "trails.meta.budget.list", Description: "List the budgets, and what is used and left of each in the period that runs.",
	OutputShape:  rowsOf("A list for each limit of each budget and, with the actor *, for each caller who has used some of it: the budget's actor, capability and per, the measure, the limit, the caller whose account it is, what is used and left, when it is there again, and who set it when. Used contains what processes have reserved, a sixteenth of the limit at a time.", budgetCells),
	CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{ capability.NoView }) (*rowsAnswer, error) {
	out := &rowsAnswer{table: tableOf(budgetCells)}
	if !r.Snapshot.SeesAll() {
		warnOfPart(r, "budgets")
		return out, nil
	}
	if err := r.SettleBudgets(ctx); err != nil {
		return nil, err
	}
	budgets, err := r.Snapshot.Budgets(ctx)
	if err != nil {
		return nil, err
	}
	accounts, err := r.Snapshot.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	rows := func(yield func([]any) bool) {
		for _, b := range budgets {
			for _, account := range accountsOf(b, accounts, r.Began()) {
				for m, limit := range b.Limits {
					m, used := policy.Measure(m), account.Used[m]
					if limit != 0 && !yield([]any{textOrNil(b.Actor), textOrNil(b.Capability), b.Period.String(), m.String(), m.Value(limit), textOrNil(account.Actor), m.Value(used), m.Value(max(0, limit-used)), timeText(account.Refills(b, m)), b.Author, timeText(b.Changed)}) {
						return
					}
				}
			}
		}
	}
	return out, fill(r, &out.table, "budgets", rows, func(row []any) []any { return row })
}, invoke.On())

// accountsOf are the accounts with something used of a budget in the period of a time, or an empty one.
func accountsOf(b policy.Budget, all []policy.Account, now time.Time) (own []policy.Account) {
	for _, a := range all {
		if a = a.In(b, now); a.Budget == b.ID && a.Used != (policy.Amounts{}) {
			own = append(own, a)
		}
	}
	if len(own) == 0 {
		empty := policy.Account{Budget: b.ID, Began: b.Period.Begin(now)}
		if b.Actor != policy.EachCaller {
			empty.Actor = b.Actor
		}
		own = append(own, empty)
	}
	return own
}

// textOrNil is a text as cells of tables have it, nil for none.
func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// budgetRemoved is the answer about a budget that was removed.
type budgetRemoved struct {
	budgetFor
	DryRun bool `json:"dry_run" doc:"Whether this was only tried."`
}

var budgetRemove = invoke.Define(capability.Descriptor{
	ID: "trails.meta.budget.remove", Description: "Remove a budget, which limits nothing from then on, in every process. What was used of it is forgotten.",
	CostEstimate: capability.CostConstant, PolicyRequired: administers, SideEffects: capability.Destroys,
}, func(ctx context.Context, r *invoke.Request, in struct {
	budgetFor
	capability.TryArgument
}) (*budgetRemoved, error) {
	if c, err := r.Named(in.Capability); err == nil {
		in.Capability = c.ID
	}
	_, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (struct{}, error) {
		return struct{}{}, s.RemoveBudget(ctx, in.key(), in.DryRun, a)
	})
	return &budgetRemoved{in.budgetFor, in.DryRun}, err
}, invoke.On())
