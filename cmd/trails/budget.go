package main

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth/policy"
)

// budgetCommand is the parent of the commands about budgets.
func budgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "budget",
		Short: "Limit what callers may use in a minute, an hour or a day",
		Long: `Limit what callers may use in a minute, an hour or a day: calls, rows and bytes of answers, seconds of
work, and points of declared cost. A budget is for one caller, for each caller alone or for all
together, and for one capability or all. It is kept in the file, for every process that serves it.`,
		Example: `  trails budget set notes.trails --actor '*' --per minute --calls 120 --seconds 20
  trails budget set notes.trails --actor token:ci --capability query --per day --rows 1000000
  trails budget list notes.trails
  trails budget rm notes.trails --actor token:ci --capability query --per day`,
		RunE: chooseCommand,
	}
}

// budgetAnswer is the answer of budget set and budget rm.
type budgetAnswer struct {
	Actor, Capability, Per   string
	Calls, Rows, Bytes, Cost int64
	Seconds                  float64
	Replaced                 bool
	DryRun                   bool `json:"dry_run"`
}

// key describes the budget.
func (b budgetAnswer) key() string {
	period, _ := policy.ParsePeriod(b.Per)
	return policy.BudgetKey{Actor: b.Actor, Capability: b.Capability, Period: period}.String()
}

// writeBudget says what was set.
func writeBudget(w io.Writer, b budgetAnswer) (err error) {
	var limits []string
	for m, n := range (policy.Amounts{b.Calls, b.Rows, b.Bytes, int64(b.Seconds * 1e6), b.Cost}) {
		if n > 0 {
			limits = append(limits, policy.Measure(m).Text(n))
		}
	}
	did := "set"
	switch {
	case b.DryRun:
		did = "dry run, nothing was changed; it would be"
	case b.Replaced:
		did = "replaced"
	}
	_, err = fmt.Fprintf(w, "%s the budget %s: %s\n", did, b.key(), strings.Join(limits, ", "))
	return err
}

// writeBudgetRemoved says what was removed.
func writeBudgetRemoved(w io.Writer, b budgetAnswer) (err error) {
	if b.DryRun {
		_, err = fmt.Fprintf(w, "dry run, nothing was changed; the budget %s would be removed\n", b.key())
		return err
	}
	_, err = fmt.Fprintf(w, "removed the budget %s\n", b.key())
	return err
}

// completeBudgetActors completes callers of budgets.
func (p *program) completeBudgetActors(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	out, how := p.completeActors(cmd, args, word)
	for name, about := range map[string]string{policy.EachCaller: "each caller alone", "anonymous": "callers without a token"} {
		if strings.HasPrefix(name, word) {
			out = append(out, cobra.CompletionWithDesc(name, about))
		}
	}
	return out, how
}

// budgetOptions are the options that name a budget, with those of more arguments.
func (p *program) budgetOptions(more map[string]option) map[string]option {
	options := map[string]option{
		"actor":      {usage: "the `CALLER`, as the log has them, such as token:ci or anonymous; '*' for each caller alone (default all together)", complete: p.completeBudgetActors},
		"capability": {usage: "the `CAPABILITY` that is called, such as query (default all)", complete: p.completeCapabilities},
		"per":        {usage: "the `period`: minute, hour or day"},
	}
	maps.Copy(options, more)
	return options
}

// completeCapabilities completes the capabilities of the file.
func (p *program) completeCapabilities(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return p.completeInvoke(cmd, args[:min(len(args), 1)], word)
}
