package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/builtin/view"
)

func requestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "request",
		Short: "Decide what waits for approval",
		Long: `A merge into a protected branch, and a call that was made with ask: true because a person has to
allow it, wait until somebody who may decide approves them. A merge is made of the commits that
were shown, or has lapsed when one of the branches has moved. A call is made with the arguments
that were kept, on the state that was looked at.
`,
		Example: `  trails branch merge notes.trails draft/claude-1 --ask
  trails request list notes.trails
  trails request show notes.trails 1
  trails request approve notes.trails 1 --dry-run
  trails request approve notes.trails 1
  trails request decline notes.trails 1 --reason "the dates are wrong"`,
		RunE: chooseCommand,
	}
}

// requestPage is an answer of requests_list.
type requestPage struct {
	Rows []view.Request
	Next int64 // the cursor of the next page, 0 at the end
}

// writeRequests lists requests with what tells them apart, or as a table or CSV with all that is known of each.
func (p *program) writeRequests(w io.Writer, answer json.RawMessage) error {
	if p.output == "csv" || p.output == "table" {
		return p.writeRows(w, answer)
	}
	list, err := answered[requestPage](answer)
	if err != nil {
		return err
	}
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(w, "no requests; with --all, those that were decided are listed, too")
		return err
	}
	rows := make([][]string, len(list.Rows))
	for i, q := range list.Rows {
		if q.Source != "" {
			q.Call = q.Source + " → " + q.Target
		}
		rows[i] = []string{fmt.Sprint(q.Number), q.State, q.Call, q.Target, q.Agent, q.Asked, line(q.Message)}
	}
	if err := writeTable(w, []string{"request", "state", "call", "branch", "agent", "asked", "message"}, rows, ""); err != nil || list.Next == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "there are more: --before %d\n", list.Next)
	return err
}

// writeRequest shows one request with its arguments, and how it is decided.
func writeRequest(w io.Writer, list requestPage) error {
	q := list.Rows[0]
	fmt.Fprintf(w, "request %d, %s\n", q.Number, line(q.State))
	say := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-10s %s\n", name, line(text))
		}
	}
	say("call", q.Call)
	var args map[string]json.RawMessage
	if q.Args != "" {
		if err := json.Unmarshal([]byte(q.Args), &args); err != nil {
			return fmt.Errorf("arguments of request %d: %w", q.Number, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		say("  "+line(name), scalar(args[name]))
	}
	say("source", q.Source)
	say("branch", strings.TrimSpace(branchOf(q.Target)+" at "+q.Head))
	say("message", q.Message)
	say("asked", q.Asked+" by "+q.Agent)
	if q.Decider != "" {
		say("decided", q.Decided+" by "+q.Decider)
		say("reason", q.Reason)
		say("commit", q.Commit)
		return nil
	}
	_, err := fmt.Fprintf(w, "what it would do: trails request approve FILE %d --dry-run\n", q.Number)
	return err
}

// branchOf names the branch that a request would change.
func branchOf(target string) string {
	return cmp.Or(line(target), "a branch that is gone")
}

// decided is the answer about a request.
type decided struct {
	Request int64           `json:"request"`
	State   string          `json:"state"`
	Call    string          `json:"call"`
	Source  string          `json:"source"`
	Target  string          `json:"target"`
	Merge   *merged         `json:"merge"`
	Answer  json.RawMessage `json:"answer"`
	Head    string          `json:"head"`
	DryRun  bool            `json:"dry_run"`
}

// writeDecided shows what became of a request.
func writeDecided(w io.Writer, d decided) error {
	if d.Merge != nil {
		return writeMerged(w, *d.Merge)
	}
	if d.Answer != nil {
		var answer struct {
			Plan *planned
			written
		}
		if err := json.Unmarshal(d.Answer, &answer); err != nil {
			return fmt.Errorf("answer of %s: %w", d.Call, err)
		}
		if answer.Plan != nil {
			writeSteps(w, *answer.Plan)
		}
		var m moved
		if json.Unmarshal(d.Answer, &m) == nil { // the changes of a server are no statements
			m.write(w, line(d.Call))
		}
		if d.State == "lapsed" && d.DryRun {
			fmt.Fprintf(w, "the branch has moved since this was asked; --if-commit %s approves it as it is there\n", line(d.Head))
		}
		return writeSummary(w, answer.written)
	}
	would, what := "", line(d.Call)+" on "+branchOf(d.Target)
	if d.Source != "" {
		what = line(d.Source) + " into " + branchOf(d.Target)
	}
	if d.DryRun {
		would = "would be "
	}
	_, err := fmt.Fprintf(w, "request %d, %s: %sdeclined\n", d.Request, what, would)
	return err
}

// completeRequests completes the number of a request that waits.
func (p *program) completeRequests(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list requestPage
	err := p.listed(cmd, args, "requests_list", &list)
	out := []cobra.Completion{}
	for _, q := range list.Rows {
		if number := fmt.Sprint(q.Number); err == nil && strings.HasPrefix(number, word) {
			out = append(out, cobra.CompletionWithDesc(number, line(q.Call+" by "+q.Agent)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
