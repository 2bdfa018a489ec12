package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trails/auth"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/jsontext"
)

type invokeFlags struct {
	list, describe, history, dryRun, allowMass bool
	json, key                                  string
}

func (p *program) invokeCommand() *cobra.Command {
	var f invokeFlags
	cmd := &cobra.Command{
		Use:   "invoke FILE [CAPABILITY [NAME=VALUE ...]]",
		Short: "Make one call, the same as an agent's",
		Long: `Call one capability of FILE, by its id or its tool name: the same call as POST /invoke
and MCP tools/call. Without CAPABILITY it lists what there is: the tools, and below them the
helpers, which answer pages and scripts and are no tools of MCP.

  name=value    one argument, read as its type asks; repeat it for several values
  name:=json    one argument as JSON: null, [], {"a":1}
  '{"name":…}'  all arguments as one JSON object
  --json JSON   the same; @file reads a file, - reads stdin
` + fileHelp + `
The first argument is then FILE only if it is a SQLite file, and CAPABILITY otherwise.`,
		Example: `  trails invoke notes.trails
  trails invoke notes.trails note.create --describe
  trails invoke notes.trails note.create --history
  trails invoke notes.trails note.create title="On trails" tag=graph tag=memex
  trails invoke notes.trails note.create '{"title":"On trails","tag":["graph","memex"]}'
  trails invoke notes.trails note.update id=n1 status:=null --dry-run
  trails invoke notes.trails note.create --json @note.json -o json`,
		ValidArgsFunction: p.completeInvoke,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			return p.withEngine(cmd.Context(), file, nil, func(e *invoke.Engine) error {
				return p.invoke(auth.WithVariables(cmd.Context(), p.env), e, rest, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.list, "list", false, "list the capabilities")
	flags.BoolVar(&f.describe, "describe", false, "show what the capability takes")
	flags.BoolVar(&f.history, "history", false, "list the versions of the capability: what changed, when, by whom")
	flags.StringVar(&f.json, "json", "", "all arguments as one object of `JSON`, @file, or - for stdin")
	flags.BoolVar(&f.dryRun, "dry-run", false, "check everything and change nothing")
	flags.BoolVar(&f.allowMass, "allow-mass-change", false, "remove more than 1,000 statements without being asked")
	flags.StringVar(&f.key, "idempotency-key", "", "`name` of this call: repeated, it answers with the first one's result")
	return cmd
}

func (p *program) invoke(ctx context.Context, e *invoke.Engine, words []string, f invokeFlags) error {
	branch := kg.Main // whose schema says what the arguments are
	for _, word := range words {
		if name, given := strings.CutPrefix(word, "branch="); given {
			branch = name
		}
	}
	tools, err := e.ToolsOn(ctx, me(), branch)
	if err != nil {
		return err
	}
	if len(words) == 0 || f.list {
		return p.listCapabilities(tools)
	}
	callable := slices.Concat(tools.Descriptors, tools.Helpers)
	if f.history {
		return p.capabilityHistory(ctx, e, words[0])
	}
	d, known := find(callable, words[0])
	if known && f.describe {
		return p.describe(d)
	}
	args, err := p.invokeArguments(ctx, d, words[1:], f)
	if err != nil {
		return err
	}
	res, err := e.Call(ctx, invoke.Call{
		Capability: words[0], Args: args, Principal: me(), Via: p.door(), IdempotencyKey: f.key, AskMass: p.askMass(func() {}),
	})
	if err != nil {
		return suggest(err, words[0])
	}
	p.warn(res)
	err = p.print(res.Structured, func(w io.Writer) error { return p.writeAnswer(w, res) })
	if err == nil && res.Failed {
		return fault.New(fault.Unusable, "the tool says that it did not do what it was asked")
	}
	return err
}

// find returns the descriptor with this id or tool name.
func find(descriptors []capability.Descriptor, name string) (capability.Descriptor, bool) {
	for _, d := range descriptors {
		if d.ID == name || capability.ToolName(d.ID) == name {
			return d, true
		}
	}
	return capability.Descriptor{}, false
}

// suggest says how to list the names if none is similar to an unknown one.
func suggest(err error, name string) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.UnknownTool || !strings.HasSuffix(f.Message, name) {
		return err
	}
	c := *f
	c.Message = fault.Add(c.Message, "; invoke FILE without a capability lists them")
	return &c
}

// invokeArguments reads the arguments in whichever way they were given.
func (p *program) invokeArguments(ctx context.Context, d capability.Descriptor, words []string, f invokeFlags) (json.RawMessage, error) {
	if f.json != "" && len(words) > 0 {
		return nil, usageError{"give the arguments as --json or behind CAPABILITY, not both"}
	}
	if i := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(strings.TrimSpace(word), "{") }); i >= 0 {
		if len(words) > 1 {
			return nil, usageError{"one JSON object gives all arguments, with nothing beside it; give one argument as NAME:=JSON"}
		}
		f.json, words = words[0], nil
	}
	values, err := parseWords(d.InputShape, words)
	if f.json != "" {
		text, err := p.jsonText(ctx, f.json)
		if err != nil {
			return nil, err
		}
		switch err := json.Unmarshal(text, &values); {
		case err != nil:
			return nil, usageError{"the arguments must be one JSON object, such as {\"name\":\"value\"}: " + err.Error()}
		case values == nil:
			return nil, usageError{"the arguments must be one JSON object, such as {\"name\":\"value\"}"}
		}
	}
	if err != nil {
		return nil, err
	}
	if f.dryRun {
		values["dry_run"] = json.RawMessage("true")
	}
	if f.allowMass {
		values[capability.AllowMassChange] = json.RawMessage("true")
	}
	return jsontext.Marshal(values)
}
