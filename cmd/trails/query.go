package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
	"trails/schema"
	"trails/sparql"
)

// queryFlags are the flags of a query that are not arguments of the call.
type queryFlags struct {
	file, base, format string
	named              []string
	timeout            time.Duration
}

// queryOutputs are the formats of -o: a table or standard formats for rows, formats of RDF for graphs; json is for
// both.
const queryOutputs = "text table json xml csv tsv turtle ntriples jsonld rdfxml"

// query queries a database or data files, with the text on the command line or in a file (-f).
func (a *asked) query() error {
	base, _ := a.given["base"].(string)
	f := queryFlags{base: base}
	flags := a.cmd.Flags()
	f.file, _ = flags.GetString("file")
	f.format, _ = flags.GetString("format")
	f.named, _ = flags.GetStringArray("named")
	f.timeout, _ = flags.GetDuration("timeout")
	switch how, _ := flags.GetString("explain"); how {
	case "":
	case explainPlan:
		a.given["explain"] = true
	case explainSQL:
		a.given["explain"], a.given["format"] = true, explainSQL
	default:
		return usageError{"--explain=" + how + ": it is --explain, or --explain=" + explainSQL}
	}
	source, text, err := a.queryText(a.cmd, a.words, f)
	if err != nil {
		return err
	}
	a.given["query"] = text
	if source.file == "" { // before files are read; a database has its own prefixes
		if _, err := sparql.Parse(text, sparql.Options{Base: base, Prefixes: schema.Empty("urn:trails:files:").TurtlePrefixes()}); err != nil {
			return named(err, f.file)
		}
	}
	return a.withSource(a.ctx(), source, f, func(file string) error {
		ctx, cancel := context.WithCancel(a.ctx())
		if f.timeout > 0 {
			ctx, cancel = context.WithTimeout(a.ctx(), f.timeout)
		}
		defer cancel()
		err := a.ask(ctx, file, a.keyed(), a.given["explain"] == true)
		if ctx.Err() != nil && a.ctx().Err() == nil {
			err = fault.New(fault.TimedOut, "the query took longer than %s; restrict it, or allow more with --timeout", f.timeout)
		}
		return named(err, f.file)
	})
}

// queryText returns the source and the text of a query: the last argument, or the file of -f.
func (p *program) queryText(cmd *cobra.Command, args []string, f queryFlags) (querySource, string, error) {
	if f.file != "" {
		source, err := p.sourceOf(cmd, args, f)
		if err != nil {
			return source, "", err
		}
		text, err := p.readText(cmd.Context(), f.file)
		return source, string(text), err
	}
	last := len(args) - 1
	if last < 0 || last == 0 && len(f.named) == 0 && p.env["TRAILS_DB"] == "" {
		return querySource{}, "", missing(cmd, args, []string{"FILE", "SPARQL"})
	}
	source, err := p.sourceOf(cmd, args[:last], f)
	return source, args[last], err
}

// ask streams the answer, or explains the query.
func (p *program) ask(ctx context.Context, file string, c invoke.Call, explain bool) error {
	c.Output = io.Discard
	if explain {
		res, err := p.makeCall(ctx, file, c)
		if err != nil {
			return err
		}
		return p.print(res.Structured, func(w io.Writer) error { return decoded(writeExplained)(w, res.Structured) })
	}
	out := &table{w: p.stdout}
	c.Output, c.Format = p.stdout, p.output
	switch p.output { // the formats of rows before those of graphs
	case "text", "table":
		c.Format = "tsv,turtle"
	case "json":
		c.Format = "json,jsonld"
	}
	if f, ok := p.stdout.Writer.(*os.File); p.output == "table" || p.output == "text" && ok && isatty.IsTerminal(f.Fd()) {
		c.Output = out
	}
	res, err := p.makeCall(ctx, file, c)
	if flushed := out.flush(); err == nil {
		err = flushed
	}
	if err != nil || res.Written == nil {
		return err
	}
	// a stored update does not stream
	return p.print(res.Structured, func(w io.Writer) error { return decoded(writeSummary)(w, res.Structured) })
}

// The values of --explain: the operators of the plan, and also the statement.
const (
	explainPlan = "plan"
	explainSQL  = "sql"
)

// writeExplained shows the operators of a plan as a table, what else is known of it, and how much the query answers.
func writeExplained(w io.Writer, r struct {
	Plan           [][]any
	Notes          []string
	SQL, Steps     string
	Count, Triples *int64
	Boolean        *bool
}) error {
	fmt.Fprintf(w, "%s\n\n", view.PlanText(r.Plan))
	if r.SQL != "" {
		fmt.Fprintf(w, "sql\n%s\n\nsteps\n%s\n\n", r.SQL, r.Steps)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	switch {
	case r.Count != nil:
		fmt.Fprintln(w, count(*r.Count, "row"))
	case r.Triples != nil:
		fmt.Fprintln(w, count(*r.Triples, "triple"))
	case r.Boolean != nil:
		fmt.Fprintln(w, *r.Boolean)
	}
	return nil
}

// outputsOf is the annotation with a command's own formats.
const outputsOf = "outputs"

// outputs are the formats of -o for a command.
func outputs(cmd *cobra.Command) []string {
	if own := cmd.Annotations[outputsOf]; own != "" {
		return strings.Fields(own)
	}
	return []string{"text", "json"}
}

// checkOutput refuses a format that the command does not support.
func (p *program) checkOutput(cmd *cobra.Command) error {
	known := outputs(cmd)
	if slices.Contains(known, p.output) {
		return nil
	}
	last := len(known) - 1
	return usageError{"-o " + p.output + ": output is " + strings.Join(known[:last], ", ") + " or " + known[last]}
}
