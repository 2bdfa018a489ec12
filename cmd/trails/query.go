package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"trails/fault"
	"trails/invoke"
	"trails/schema"
	"trails/sparql"
)

type queryFlags struct {
	file, base, format string
	params, named      []string
	timeout            time.Duration
	explain            bool
	at                 string
}

// queryOutputs are the forms of -o. Rows come as a table or in the standard formats,
// graphs in those of RDF; json is each one's own.
var queryOutputs = []string{"text", "table", "json", "xml", "csv", "tsv", "turtle", "ntriples", "jsonld", "rdfxml"}

func (p *program) queryCommand() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "query FILE... SPARQL",
		Short: "Ask a graph, or files of RDF, in SPARQL",
		Long: `Answer a SPARQL 1.1 query on FILE: SELECT, ASK, CONSTRUCT or DESCRIBE. The whole answer is
written as it is found: rows as a table on a terminal and as TSV elsewhere, or with -o as
table, json, xml, csv or tsv; graphs as Turtle, or with -o as turtle, ntriples, jsonld or rdfxml.
With -o json rows are SPARQL 1.1 Query Results JSON, and graphs JSON-LD.

FILE is a database, told by how it begins, or any number of other files in the formats of
trails load except NDJSON, plain or gzip, and - for stdin. These are read into a database of
their own, which is removed at the end: triples into the default graph, quads into their graphs,
and files of --named into a graph of their name. Relative IRIs in a file are relative to it.

  --param name=value   the value stands in the place of ?name, as a term and never as text:
                       a number, true, false, <IRI>, "text"@en, "text"^^<IRI>, or plain text
` + remoteHelp + fileHelp,
		Example: `  trails query notes.trails 'SELECT ?type (COUNT(*) AS ?n) { ?node a ?type } GROUP BY ?type'
  trails query notes.trails -f report.rq -o csv > report.csv
  trails query notes.trails 'DESCRIBE ?node' --param node='<urn:trails:notes:Note/n1>'
  trails query notes.trails -f slow.rq --explain
  trails query notes.trails 'SELECT * { ?node a :Note }' --at 3f9a01c2
  trails query data.ttl other.nq.gz 'SELECT DISTINCT ?type { ?s a ?type }'
  trails query data.rdf 'CONSTRUCT WHERE { ?s ?p ?o }' > data.ttl`,
		Annotations: map[string]string{outputsOf: strings.Join(queryOutputs, " ")},
		RunE:        func(cmd *cobra.Command, args []string) error { return p.query(cmd, args, f) },
	}
	cmd.AddCommand(p.queryAddCommand(), p.queryListCommand(), p.queryRemoveCommand())
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "`file` with the query, or - for stdin, in the place of SPARQL")
	flags.StringArrayVar(&f.params, "param", nil, "`name=value` for a variable; may be repeated")
	flags.StringVar(&f.base, "base", "", "`IRI` that relative ones in the query, and in files of data, are resolved against")
	flags.DurationVar(&f.timeout, "timeout", 0, "`duration` after which it is given up, as 30s (default: none)")
	flags.StringVar(&f.format, "format", "auto", "of files of data: "+words(queryFormats()))
	flags.StringArrayVar(&f.named, "named", nil, "`FILE` of data for a graph named by the file's IRI, or IRI=FILE; may be repeated")
	flags.BoolVar(&f.explain, "explain", false, "show how the query is run, and how many rows it has, not these")
	p.atFlag(cmd, &f.at)
	p.remoteFlag(cmd)
	completeWords(cmd, "format", texts(queryFormats())...)
	return cmd
}

func (p *program) query(cmd *cobra.Command, args []string, f queryFlags) error {
	source, text, err := p.queryText(cmd, args, f)
	if err != nil {
		return err
	}
	params, err := paramArguments(f.params)
	if err != nil {
		return err
	}
	c := p.call("query", arguments{"query": text}, params, arguments{"base": f.base, "explain": f.explain, "at": f.at})
	if source.file == "" { // before files are read; a database knows prefixes of its own
		if _, err := sparql.Parse(text, sparql.Options{Base: f.base, Prefixes: schema.Empty("urn:trails:files:").TurtlePrefixes()}); err != nil {
			return named(err, f.file)
		}
	}
	return p.withSource(cmd.Context(), source, f, func(file string) error {
		ctx, cancel := context.WithCancel(cmd.Context())
		if f.timeout > 0 {
			ctx, cancel = context.WithTimeout(cmd.Context(), f.timeout)
		}
		defer cancel()
		err := p.ask(ctx, file, c, f.explain)
		if ctx.Err() != nil && cmd.Context().Err() == nil {
			err = fault.New(fault.TimedOut, "the query took longer than %s; restrict it, or allow more with --timeout", f.timeout)
		}
		return named(err, f.file)
	})
}

// queryText returns what the query reads, and its text: the last of the arguments, or the
// text of the file of -f.
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

// ask streams the answer, or shows how it is found.
func (p *program) ask(ctx context.Context, file string, c invoke.Call, explain bool) error {
	c.Output = io.Discard
	if explain {
		_, err := callAndPrint(ctx, p, file, c, writeExplained)
		return err
	}
	out := &table{w: p.stdout}
	c.Output, c.Format = p.stdout, p.output
	switch p.output { // the form of rows before that of graphs
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
	var changed written // by a stored update, which streams nothing
	if err := json.Unmarshal(res.Structured, &changed); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	return p.print(res.Structured, func(w io.Writer) error { return writeSummary(w, changed) })
}

// writeExplained shows the algebra, the statement, and how much there is.
func writeExplained(w io.Writer, r struct {
	Algebra, SQL, Steps string
	Count, Triples      *int64
	Boolean             *bool
}) error {
	fmt.Fprintf(w, "algebra\n%s\n\nsql\n%s\n\nsteps\n%s\n\n", strings.TrimSpace(r.Algebra), r.SQL, r.Steps)
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

// outputsOf names the annotation of a command that has forms of output of its own.
const outputsOf = "outputs"

// outputs are the forms of -o that a command has.
func outputs(cmd *cobra.Command) []string {
	if own := cmd.Annotations[outputsOf]; own != "" {
		return strings.Fields(own)
	}
	return []string{"text", "json"}
}

// checkOutput refuses a form that the command does not have.
func (p *program) checkOutput(cmd *cobra.Command) error {
	known := outputs(cmd)
	if slices.Contains(known, p.output) {
		return nil
	}
	last := len(known) - 1
	return usageError{"-o " + p.output + ": output is " + strings.Join(known[:last], ", ") + " or " + known[last]}
}
