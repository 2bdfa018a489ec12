package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/invoke"
)

type applyFlags struct {
	plan, allowDataLoss, dryRun bool
	message, ifCommit           string
}

func (p *program) schemaPlanCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "plan FILE SCHEMA",
		Short: "List the steps to a new schema, and the data that would break them",
		Long: `List the steps from the graph's schema to the one in SCHEMA (YAML, - for stdin), which
of them lose data, and which data contradicts them. Nothing is changed. It exits with 6 when
data contradicts the new schema.
` + fileHelp,
		Example: `  trails schema plan notes.trails schema.yaml`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.applySchema(cmd, args, applyFlags{plan: true}, writePlan)
		},
	}
}

func (p *program) schemaApplyCommand() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply FILE SCHEMA",
		Short: "Make a new schema the graph's, as one commit",
		Long: `Make the schema in SCHEMA (YAML, - for stdin) the graph's, as one commit. What the data
contradicts is refused, and so is a step that loses data without --allow-data-loss.
` + fileHelp,
		Example: `  trails schema apply notes.trails schema.yaml --message "notes have a status"
  trails schema apply notes.trails schema.yaml --dry-run`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.applySchema(cmd, args, f, writeApplied)
		},
	}
	cmd.Flags().BoolVar(&f.allowDataLoss, "allow-data-loss", false, "take steps that lose data")
	writeFlags(cmd, &f.message, &f.ifCommit, &f.dryRun)
	return cmd
}

func (p *program) applySchema(cmd *cobra.Command, args []string, f applyFlags, forPeople func(io.Writer, json.RawMessage) error) error {
	file, rest, err := p.fileThen(cmd, args, "SCHEMA")
	if err != nil {
		return err
	}
	text, err := p.readText(cmd.Context(), rest[0])
	if err != nil {
		return err
	}
	return named(p.callApply(cmd.Context(), file, string(text), f, forPeople), rest[0])
}

func (p *program) callApply(ctx context.Context, file, schema string, f applyFlags, forPeople func(io.Writer, json.RawMessage) error) error {
	args := arguments{"schema": schema}
	args.flag("plan", f.plan)
	args.flag("allow_data_loss", f.allowDataLoss)
	args.flag("dry_run", f.dryRun)
	args.text("message", f.message)
	args.text("if_commit", f.ifCommit)
	c, err := p.call("schema_apply", args)
	if err != nil {
		return err
	}
	return p.withEngine(ctx, file, func(e *invoke.Engine) error {
		res, err := e.Call(ctx, c)
		if err != nil {
			return err
		}
		if err := p.print(res.Structured, forPeople); err != nil {
			return err
		}
		return blocked(res.Structured)
	})
}

// blocked is the failure of a plan that data stands against.
func blocked(structured json.RawMessage) error {
	var result struct{ Plan planned }
	if err := json.Unmarshal(structured, &result); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	if !result.Plan.Blocked {
		return nil
	}
	return failure{exitInvalid, "the data contradicts the new schema; nothing was changed"}
}
