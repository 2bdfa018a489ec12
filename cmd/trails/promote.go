package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"trails/fault"
)

// promoted is what a promotion answers, and the plan of one.
type promoted struct {
	written
	planned
	Head *string
}

func (p *program) promoteCommand() *cobra.Command {
	var f massFlags
	var plan, replace, allowDataLoss, yes bool
	var undo string
	cmd := &cobra.Command{
		Use:   "promote FROM TO",
		Short: "Bring schema, stored queries and migrations of one file to another, never data",
		Long: `Make the definitions of FROM those of TO, as one commit: first the migrations that TO has not
had applied, with what they do to its data, then what is left between the schemas, then the stored
queries. What it does is shown first, and at a terminal you are asked. FROM is not changed, and
each file keeps its base.

It is refused, and nothing is changed, when the data of TO contradicts it, with the nodes; when TO
has migrations that FROM lacks; when TO has definitions of its own, or changed some since the last
promotion, without --replace; when statements would be lost, by the schema or by an update of a
migration, without --allow-data-loss; and when more than 1,000 would go, without a yes at the
terminal or --allow-mass-change.
--undo takes the commit of a promotion back; then there is no FROM.
`,
		Example: `  trails promote dev.trails production.trails --plan
  trails promote dev.trails production.trails -m "release 7"
  trails promote production.trails --undo 3f5a9c0d2b71`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if undo != "" {
				if len(args) != 1 {
					return usageError{fmt.Sprintf("promote --undo takes TO, and got %d arguments", len(args))}
				}
				_, err := callAndPrint(ctx, p, args[0], p.call("trails.meta.promote.undo", arguments{"commit": undo}, f.arguments()), writeTaken)
				return err
			}
			if len(args) != 2 {
				return missing(cmd, args, []string{"FROM", "TO"})
			}
			var definitions json.RawMessage
			if err := p.answerOf(ctx, args[0], "definitions_get", arguments{}, &definitions); err != nil {
				return err
			}
			given := arguments{"definitions": definitions}
			if plan {
				r, err := callAndPrint(ctx, p, args[1], p.call("trails.meta.promote.plan", given), writePromotion)
				if err == nil && r.Blocked {
					err = failure{exitInvalid, "the data contradicts it; nothing was changed"}
				}
				return err
			}
			more := f.arguments()
			if !p.asJSON() {
				var tried promoted
				if err := p.answerOf(ctx, args[1], "trails.meta.promote.plan", given, &tried); err != nil {
					return err
				}
				if err := writePromotion(p.stdout, tried); err != nil {
					return err
				}
				if in := p.terminal(); in != nil && !yes && !f.dryRun && len(tried.Rows) > 0 && !p.isYes(in, "Promote to "+args[1]+"?") {
					return fault.New(fault.Precondition, "%s was left as it is", args[1])
				}
				if tried.Head != nil && f.ifCommit == "" {
					more["if_commit"] = *tried.Head // what is done is what was shown
				}
			}
			more["replace"], more["allow_data_loss"] = replace, allowDataLoss
			_, err := callAndPrint(ctx, p, args[1], p.call("trails.meta.promote.apply", given, more), func(w io.Writer, r promoted) error {
				return writeSummary(w, r.written)
			})
			return err
		},
	}
	cmd.Flags().BoolVar(&plan, "plan", false, "only say what it would do, and which nodes stand against it")
	cmd.Flags().BoolVar(&replace, "replace", false, "let go what TO defines itself")
	cmd.Flags().BoolVar(&allowDataLoss, "allow-data-loss", false, "remove statements that have no place any more")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask at a terminal")
	cmd.Flags().StringVar(&undo, "undo", "", "take back the promotion of this `commit`")
	f.on(cmd)
	return cmd
}

// writePromotion lists what a promotion does.
func writePromotion(w io.Writer, r promoted) error {
	if len(r.Rows) == 0 {
		_, err := fmt.Fprintln(w, "nothing to do: both files have the same definitions")
		return err
	}
	writeSteps(w, r.planned)
	return nil
}

func (p *program) diffCommand() *cobra.Command {
	var definitions bool
	cmd := &cobra.Command{
		Use:   "diff --definitions FROM TO",
		Short: "Say what differs between the definitions of two files",
		Long: `List what leads from the definitions of FROM to those of TO: migrations, steps of the schema, and
stored queries with the lines of their texts. Data is not compared, and nothing is changed.
`,
		Example: `  trails diff --definitions production.trails dev.trails`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !definitions {
				return usageError{"diff compares definitions: say --definitions"}
			}
			if len(args) != 2 {
				return missing(cmd, args, []string{"FROM", "TO"})
			}
			var other json.RawMessage
			if err := p.answerOf(cmd.Context(), args[1], "definitions_get", arguments{}, &other); err != nil {
				return err
			}
			_, err := callAndPrint(cmd.Context(), p, args[0], p.call("definitions_diff", arguments{"definitions": other}), writeDefinitionsDiff)
			return err
		},
	}
	cmd.Flags().BoolVar(&definitions, "definitions", false, "compare schema, stored queries and migrations")
	return cmd
}

func writeDefinitionsDiff(w io.Writer, r struct{ Rows [][2]string }) error {
	if len(r.Rows) == 0 {
		_, err := fmt.Fprintln(w, "both files have the same definitions")
		return err
	}
	for _, row := range r.Rows {
		fmt.Fprintln(w, line(row[0]))
		for text := range strings.Lines(row[1]) {
			fmt.Fprintf(w, "    %s\n", line(strings.TrimSuffix(text, "\n")))
		}
	}
	return nil
}
