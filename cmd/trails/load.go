package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/load"
	"trails/rdf"
)

type loadFlags struct {
	massFlags
	format, mode, graph, base, key string
	typeName, id, sheet            string
	dates, decimal                 string
	contexts, columns              []string
	replace, keepGoing, lenient    bool
	rejects                        string
}

func (p *program) loadCommand() *cobra.Command {
	var f loadFlags
	cmd := &cobra.Command{
		Use:   "load FILE DATA...",
		Short: "Load data as one atomic commit",
		Long: `Load data into FILE: any number of files, plain or gzip, and - for stdin. All of it is
validated and becomes one commit, or nothing is changed. The format is told by the name, or by
how the data begins: NDJSON, CSV, TSV, XLSX, JSON arrays, N-Quads, N-Triples, Turtle, TriG,
JSON-LD, RDF/XML, as UTF-8 or UTF-16. Nothing is fetched from the network: a JSON-LD context
stands in the document, or is given with --context; trails://schema names the one that the
graph's own schema makes.

NDJSON has one record a line, {"type":"Note","id":"n1","data":{...}} or
{"edge":"cites","from":"Note/n1","to":"Note/n2"}. A bad line is reported with its
file, line, field and reason, all at once; those of one kind are one, with their number.
Statements of RDF text with an IRI or a language tag that is none are left out with --lenient,
and listed in the file of --rejects. With --keep-going --rejects bad rows and records are left
out, the good ones become one commit, and the file has the bad ones with what is wrong with
each, as CSV or NDJSON: mend it and load it in the same way.

With --type the rows of a table, and objects of JSON that are no records, are nodes of that type.
Columns are called as its properties, whatever the case, or --map says which they are. An empty
cell says nothing. Many values in a cell are separated by ";", or are a JSON array.

  merge      make new nodes, set the given properties of existing ones (default)
  append     make new nodes only; one that exists is refused
  overwrite  replace every instance of the types that the data has
  replace    put RDF text in the place of the graph that --graph names; statements that
             stay are not touched
` + fileHelp + `
The first argument is then FILE only if it is a SQLite file, and DATA otherwise.`,
		Example: `  trails load notes.trails notes.ndjson edges.ndjson.gz
  trails load notes.trails people.csv --type Person --map "Full name=name" --map Fax= --id email
  zcat dump.nq.gz | trails load notes.trails - --format nquads --message "nightly dump"
  trails load notes.trails vocabulary.ttl --graph urn:vocabulary --replace
  trails load notes.trails page.jsonld --context https://example.org/context=context.jsonld
  trails load notes.trails people.csv --type Person --keep-going --rejects bad.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, data, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if f.replace && cmd.Flags().Changed("mode") {
				return usageError{"--replace is --mode replace; give one of them"}
			}
			if f.rejects != "" && f.lenient == f.keepGoing {
				return usageError{"--rejects is for the statements that --lenient leaves out, or for the rows that --keep-going does; give one of these with it"}
			}
			if len(data) == 0 {
				return usageError{"load needs DATA: one or more files, or - for stdin"}
			}
			return p.load(cmd.Context(), file, data, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "auto", words(load.Formats()))
	flags.StringVar(&f.mode, "mode", "merge", words(load.Modes()))
	flags.StringVar(&f.typeName, "type", "", "`name` of the type that rows of tables and objects of JSON are of")
	flags.StringArrayVar(&f.columns, "map", nil, "`COLUMN=PROPERTY`: what a column that is not called so is, without PROPERTY nothing; can be repeated")
	flags.StringVar(&f.id, "id", "", "`column` that has the ids (default: the one called id, else the type makes them)")
	flags.StringVar(&f.dates, "dates", "", "`order` of the parts of dates such as 12.4.2023: dmy or mdy")
	flags.StringVar(&f.decimal, "decimal", "", "`mark` before the fraction of numbers such as 1.234,56: a comma or a point")
	flags.StringVar(&f.sheet, "sheet", "", "`name` of the sheet of a workbook (default: the first that is not hidden)")
	flags.BoolVar(&f.replace, "replace", false, "the same as --mode replace")
	flags.StringVar(&f.graph, "graph", "", "`IRI` of the graph for quads that name none (default: "+string(rdf.DefaultGraph)+")")
	flags.StringArrayVar(&f.contexts, "context", nil, "`URL=FILE`: what a JSON-LD context that the data names is; can be repeated")
	flags.StringVar(&f.base, "base", "", "`IRI` that relative ones in RDF text are resolved against")
	flags.BoolVar(&f.keepGoing, "keep-going", false, "with --rejects: leave out bad rows and records; without it all bad lines are reported, as they are anyway, and nothing is changed")
	flags.BoolVar(&f.lenient, "lenient", false, "leave out statements of RDF text with an IRI or a language tag that is none")
	flags.StringVar(&f.rejects, "rejects", "", "`FILE` for what --lenient or --keep-going leaves out: statements, or the rows, to be mended and loaded")
	f.on(cmd)
	keyFlag(cmd, &f.key)
	completeWords(cmd, "format", texts(load.Formats())...)
	completeWords(cmd, "mode", texts(load.Modes())...)
	return cmd
}

func texts[T ~string](values []T) []string {
	all := make([]string, 0, len(values))
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

// words lists values for a person.
func words[T ~string](values []T) string {
	all := texts(values)
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// writeFlags are what the flags of every write say.
type writeFlags struct {
	message, ifCommit string
	dryRun            bool
}

func (f *writeFlags) on(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.message, "message", "m", "", "`text` for the commit")
	cmd.Flags().Func("if-commit", "refuse unless this `commit` is still the head", func(text string) error {
		if f.ifCommit = text; text == "" {
			return errors.New("it names no commit; leave it out to write on any")
		}
		return nil
	})
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "check everything and change nothing")
}

// arguments are the optional ones that the flags give.
func (f *writeFlags) arguments() arguments {
	return arguments{"message": f.message, "if_commit": f.ifCommit, "dry_run": f.dryRun}
}

// massFlags are what the flags of a write that can remove much say.
type massFlags struct {
	writeFlags
	allow bool
}

func (f *massFlags) on(cmd *cobra.Command) {
	f.writeFlags.on(cmd)
	cmd.Flags().BoolVar(&f.allow, "allow-mass-change", false, "remove more than 1,000 statements without being asked")
}

func (f *massFlags) arguments() arguments {
	given := f.writeFlags.arguments()
	given[capability.AllowMassChange] = f.allow
	return given
}

// keyFlag names a change, so that it is made once.
func keyFlag(cmd *cobra.Command, key *string) {
	cmd.Flags().StringVar(key, "idempotency-key", "", "`name` of this change: repeated, it answers with the first one's commit")
}

// completeWords completes the value of a flag with these words and nothing else.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	completeFlag(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeFlag completes the value of a flag.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is not there: a bug that every start would show
	}
}

func (p *program) load(ctx context.Context, file string, data []string, f loadFlags) error {
	inputs, closeAll, err := p.openInputs(ctx, data)
	if err != nil {
		return err
	}
	defer closeAll()
	if f.replace {
		f.mode = string(load.Replace)
	}
	args := arguments{"format": f.format, "mode": f.mode}
	if err := addContexts(args, f.contexts); err != nil {
		return err
	}
	if err := addColumns(args, f.columns); err != nil {
		return err
	}
	c := p.call("load", args, arguments{"type": f.typeName, "id": f.id, "sheet": f.sheet, "dates": f.dates, "decimal": f.decimal, "graph": f.graph, "base": f.base, "keep_going": f.keepGoing, "lenient": f.lenient, "rejects": f.keepGoing && f.rejects != ""}, f.arguments())
	c.Inputs, c.IdempotencyKey = inputs, f.key
	start := time.Now()
	if f.rejects != "" {
		out, err := os.OpenFile(f.rejects, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // before anything is loaded
		if err != nil {
			return fault.New(fault.Unusable, "%s cannot be written: %w", f.rejects, err)
		}
		defer func() { _ = out.Close() }() // what it has is flushed
		if f.keepGoing {
			c.Output = out
		}
	}
	done, err := callAndPrint(ctx, p, file, c, func(w io.Writer, r written) error {
		took := time.Since(start)
		for _, node := range r.Preview {
			if err := writeLine(w, []byte(line(string(node)))); err != nil {
				return err
			}
		}
		rate := float64(r.Added+r.Removed) / max(took.Seconds(), 1e-3)
		fmt.Fprintf(w, "%s in %s, %s quads/s\n", count(r.Records, "record"), took.Round(time.Millisecond), grouped(int64(rate)))
		return writeSummary(w, r)
	})
	if err == nil && f.lenient && f.rejects != "" {
		return writeRejects(f.rejects, done.Rejects, done.LeftOut)
	}
	var at *fault.Error
	if !errors.As(err, &at) || at.Details["stopped_at"] == nil {
		return err
	}
	stopped := *at
	stopped.Message += fmt.Sprintf("; the load stopped at %v", at.Details["stopped_at"])
	return &stopped
}

// writeRejects writes the statements that were left out, one a line, and how many more there
// are than are listed.
func writeRejects(name string, rejects []json.RawMessage, count int64) error {
	var text []byte
	for _, reject := range rejects {
		text = append(append(text, reject...), '\n')
	}
	if more := count - int64(len(rejects)); more > 0 {
		text = fmt.Appendf(text, "{\"message\":\"and %d more\"}\n", more)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return fault.New(fault.Unusable, "the load is done, and %s cannot be written: %w", name, err)
	}
	return nil
}

// addColumns reads what --map says of columns.
func addColumns(args arguments, given []string) error {
	if len(given) == 0 {
		return nil
	}
	columns := map[string]string{}
	for _, word := range given {
		cut := strings.LastIndexByte(word, '=') // no property has one in its name
		if cut < 0 {
			return usageError{"--map " + word + " is not COLUMN=PROPERTY"}
		}
		columns[word[:cut]] = word[cut+1:]
	}
	args["map"] = columns
	return nil
}

// maxContext is the largest JSON-LD context that is read, in bytes.
const maxContext = 4 << 20

// addContexts reads the documents of --context.
func addContexts(args arguments, given []string) error {
	documents := map[string]json.RawMessage{}
	for _, word := range given {
		cut := strings.LastIndexByte(word, '=') // an address may have more of them
		if cut <= 0 {
			return usageError{"--context " + word + " is not URL=FILE"}
		}
		name := word[cut+1:]
		f, err := open(name)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(f, maxContext+1))
		_ = f.Close() // only read
		switch {
		case err != nil:
			return fault.New(fault.Unusable, "%s cannot be read: %w", name, err)
		case len(text) > maxContext:
			return fault.New(fault.TooLarge, "%s is larger than the %d bytes of a context", name, maxContext)
		case !json.Valid(text):
			return fault.New(fault.Malformed, "%s is no JSON", name)
		}
		documents[word[:cut]] = text
	}
	if len(documents) > 0 {
		args["contexts"] = documents
	}
	return nil
}

// openInputs opens every file before anything is read, so that a misspelt name
// costs nothing.
func (p *program) openInputs(ctx context.Context, data []string) (inputs []invoke.Input, closeAll func(), err error) {
	var files []*os.File
	closeAll = func() {
		for _, f := range files {
			_ = f.Close() // only read
		}
	}
	for _, name := range data {
		if name == "-" {
			inputs = append(inputs, invoke.Input{Name: "stdin", Reader: p.input(ctx)})
			continue
		}
		f, err := open(name)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files = append(files, f)
		in := invoke.Input{Name: filepath.ToSlash(name), Reader: f} // size 0 is unknown
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.Size = info.Size()
		}
		inputs = append(inputs, in)
	}
	return inputs, closeAll, nil
}
