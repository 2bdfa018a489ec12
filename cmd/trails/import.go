package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/schema/infer"
)

type importFlags struct {
	options                load.Options
	columns, kinds         []string
	by                     string
	base, rejects, message string
	yes, dryRun, mass      bool
}

func (p *program) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE DATA...",
		Short: "Make a graph of a spreadsheet or a data file, or add its rows to one",
		Long: `Put DATA, which is CSV, TSV, a workbook (.xlsx), NDJSON or JSON arrays, plain or gzip, and - for
stdin, into FILE in one step. A FILE that is not there is made, with a schema that fits the data.
In one that is there the type is found whose properties the columns are called as, or one is
added. What will be done is shown on stderr before anything is changed, and a person at a terminal
is asked; --yes answers for them. Then new types and rows become one commit, and the command says
how to take it back.

Columns become properties called as they are: --map and --as decide otherwise. A reference is the id
or the label of its node. With --by rows find the nodes of a type that is there by the values of a
column, and --mode says what becomes of those. Rows that do not
fit are left out and written to a file with what is wrong with each, to be mended and imported;
with --strict they keep everything out. The capabilities import_plan and import do the same.
` + fileHelp + `
The first argument is then FILE only if it is a SQLite file, and DATA otherwise.`,
		Example: `  trails import people.trails people.csv
  trails import people.trails more-people.xlsx --sheet Staff --yes
  trails import people.trails visits.csv --type Visit --dates dmy --dry-run
  trails import people.trails staff.csv --type Person --by Email --mode skip --yes
  trails import people.trails visits.csv --map Host=visited --as Host=Person --map Notes=`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, data, err := p.fileThenSome(cmd, args)
			if err != nil {
				return err
			}
			if len(data) == 0 {
				return usageError{"import needs DATA: one or more files, or - for stdin"}
			}
			return p.importData(cmd.Context(), file, data, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.options.Type, "type", "", "`name` of the type of the rows (default: found by the columns, else called as the file)")
	flags.StringVar(&f.options.ID, "id", "", "`column` that has the ids (default: found by its name and values)")
	flags.StringArrayVar(&f.columns, "map", nil, "`COLUMN=PROPERTY`, the name of the property that a column is; without PROPERTY it is passed over; can be repeated")
	flags.StringArrayVar(&f.kinds, "as", nil, "`COLUMN=KIND` of a column of a new type: a datatype such as date, or the type that it refers to; can be repeated")
	flags.StringVar(&f.by, "by", "", "`column` by whose values rows find the nodes that are there (default: by their ids)")
	flags.StringVar((*string)(&f.options.Mode), "mode", string(load.Merge), "`mode`, what becomes of rows that are there already: merge sets what the row has, append takes them for mistakes, skip passes them over")
	completeWords(cmd, "mode", string(load.Merge), string(load.Append), string(load.Skip))
	tableFlags(cmd, &f.options)
	flags.BoolVar(&f.options.Strict, "strict", false, "a bad cell decides what its column is, and a bad row keeps all out")
	flags.StringVar(&f.rejects, "rejects", "", "`FILE` for the rows that do not fit (default: called as DATA, with .rejects)")
	flags.StringVar(&f.base, "base", "", "`IRI` that every new IRI of a FILE that is made begins with")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.BoolVar(&f.mass, "allow-mass-change", false, "remove more than 1,000 statements without being asked")
	flags.StringVarP(&f.message, "message", "m", "", "`text` for the commit")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be done and change nothing")
	completeFlag(cmd, "type", p.completeTypes)
	return cmd
}

// importPlan is the answer of import_plan, and what the command line adds to it.
type importPlan struct {
	view.ImportPlan

	made    bool     // FILE does not exist yet
	rejects []string // for each input the file for rejected rows, "" for none
}

// imported is what an import answers.
type imported struct {
	File    string   `json:"file"`
	Created bool     `json:"created"`
	Types   []string `json:"types"` // that were added
	DryRun  bool     `json:"dry_run"`
	Records int64    `json:"records"`
	LeftOut int64    `json:"left_out"`
	Met     view.Met `json:"met"`     // of rows that fit
	Rejects []string `json:"rejects"` // files
	Again   []string `json:"again"`   // commands that import rejected rows after correction
	Commits []string `json:"commits"` // one, or none if nothing changes
	Undo    []string `json:"undo"`    // commands
	Removes int64    `json:"removes"` // statements that go, if so many that --allow-mass-change is needed
}

// importData plans, shows the plan, asks, and executes it.
func (p *program) importData(ctx context.Context, file string, data []string, f importFlags) error {
	sources, end, err := p.sources(ctx, data)
	if err != nil {
		return err
	}
	defer end()
	plan, err := p.planImport(ctx, file, sources, f)
	if err != nil {
		return err
	}
	p.showImport(file, plan)
	if !plan.made && plan.Records > 0 {
		fmt.Fprintf(p.stderr, "of what is there: %s\n", became(plan.Met))
	}
	if plan.Removes > 0 {
		needs := ", which needs --allow-mass-change or a yes at a terminal"
		if f.mass {
			needs = ""
		}
		fmt.Fprintf(p.stderr, "it removes %s of what is there%s\n", count(plan.Removes, "statement"), needs)
	}
	switch in := p.terminal(); {
	case f.dryRun:
		return p.print(imported{File: file, Created: plan.made, Types: plan.Types, DryRun: true, Records: plan.Records, LeftOut: plan.LeftOut, Met: plan.Met, Removes: plan.Removes, Rejects: []string{}, Again: []string{}, Commits: []string{}, Undo: []string{}}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "dry run, nothing was changed; %s would be loaded (%s) and %s left out%s\n", count(plan.Records, "record"), becameOf(plan.Records, plan.ImportPlan.RDF, plan.Met), grouped(plan.LeftOut), following(plan.Following))
			return err
		})
	case f.yes:
	case in == nil:
		return fault.New(fault.Precondition, "nothing was changed, because nobody can be asked: repeat it with --yes")
	case !p.isYes(in, "Go on?"):
		return fault.New(fault.Precondition, "nothing was changed")
	default:
		f.mass = f.mass || plan.Removes > 0 // it was said
	}
	done, err := p.doImport(ctx, file, plan, sources, f)
	if err != nil {
		return err
	}
	return p.print(done, func(w io.Writer) error {
		if done.Created {
			fmt.Fprintf(w, "created %s\n", file)
		}
		for i, commit := range done.Commits {
			fmt.Fprintf(w, "commit %s\n  to take it back: %s\n", commit, done.Undo[i])
		}
		fmt.Fprintf(w, "%s in %s: %s\n", count(done.Records, "record"), file, becameOf(done.Records, plan.RDF, done.Met))
		for i, name := range done.Rejects {
			fmt.Fprintf(w, "rows that do not fit are in %s: mend them, then\n  %s\n", name, done.Again[i])
		}
		_, err := fmt.Fprintf(w, "next:\n  trails schema show %[1]s   look at its types\n  trails serve %[1]s --open  look around in a browser\n", quoted(file))
		return err
	})
}

// following says how many of the rows that are left out are so only because they refer to others of them.
func following(rows int64) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf(", of which %s only because they refer to others of them", grouped(rows))
}

// became says what became of nodes: 3 new, 12 changed, 185 equal.
func became(m view.Met) string {
	return fmt.Sprintf("%s new, %s changed, %s equal", grouped(m.New), grouped(m.Changed), grouped(m.Equal))
}

// becameOf says what became of records, so that the numbers add up: a record may be a link, a statement, or about a node of
// another record.
func becameOf(records int64, statements bool, m view.Met) string {
	rest := records - m.New - m.Changed - m.Equal
	switch {
	case statements:
		return "statements, added as they are"
	case rest <= 0:
		return became(m)
	}
	return fmt.Sprintf("nodes %s, and %s that are links or say more of the same nodes", became(m), grouped(rest))
}

// planImport asks for a plan, of a graph in a temporary folder where FILE does not exist yet.
func (p *program) planImport(ctx context.Context, file string, sources []kg.Source, f importFlags) (*importPlan, error) {
	_, err := os.Stat(file)
	made, on := errors.Is(err, fs.ErrNotExist), file
	switch {
	case made:
		dir, err := os.MkdirTemp("", "trails-import-")
		if err != nil {
			return nil, fmt.Errorf("make a folder to plan an import in: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // it is in the temporary directory
		on = filepath.Join(dir, filepath.Base(file))
		if err := kg.Create(ctx, on, kg.CreateOptions{Base: f.base, By: me()}); err != nil {
			return nil, err
		}
	case f.base != "":
		return nil, usageError{"--base is for a FILE that is made, and " + file + " is there"}
	}
	plan, err := p.askPlan(ctx, on, sources, f)
	if err != nil {
		return nil, err
	}
	if in := p.terminal(); in != nil && !f.yes && !f.dryRun && plan.Date+plan.Number != "" {
		if plan.Date != "" {
			f.options.Conventions.Dates = map[bool]string{true: "dmy", false: "mdy"}[p.isYes(in, fmt.Sprintf("Dates such as %s can be read in two ways. Does the day come first?", line(plan.Date)))]
		}
		if plan.Number != "" {
			f.options.Conventions.Decimal = map[bool]string{true: ",", false: "."}[p.isYes(in, fmt.Sprintf("Numbers such as %s can be read in two ways. Does the comma stand before the fraction?", line(plan.Number)))]
		}
		if plan, err = p.askPlan(ctx, on, sources, f); err != nil {
			return nil, err
		}
	}
	if len(plan.Blocked) > 0 {
		var fields []fault.FieldError
		for _, text := range plan.Blocked {
			fields = append(fields, fault.FieldError{Field: "map", Code: fault.Closed, Message: text})
		}
		return nil, fault.Invalid(fields)
	}
	if plan.made = made; plan.TooMany || f.options.Strict && plan.LeftOut > 0 {
		_, err := p.askImport(ctx, on, plan, sources, false, arguments{"dry_run": true})
		return nil, err
	}
	return plan, plan.leaveOut(sources, f)
}

// askPlan makes the call of import_plan.
func (p *program) askPlan(ctx context.Context, file string, sources []kg.Source, f importFlags) (*importPlan, error) {
	columns, err := columnsOf("map", f.columns)
	if err != nil {
		return nil, err
	}
	kinds, err := columnsOf("as", f.kinds)
	if err != nil {
		return nil, err
	}
	args := arguments{"rows": 0}
	for name, given := range map[string]map[string]string{"map": columns, "as": kinds} {
		if len(given) > 0 {
			args[name] = given
		}
	}
	c := p.call("import_plan", args, arguments{
		"type": f.options.Type, "id": f.options.ID, "sheet": f.options.Sheet, "by": f.by, "mode": string(f.options.Mode), "strict": f.options.Strict,
		"dates": f.options.Conventions.Dates, "decimal": f.options.Conventions.Decimal,
	})
	plan := new(importPlan)
	return plan, p.withSources(c, sources, func(c invoke.Call) error { return p.decodeCall(ctx, file, c, plan) })
}

// askImport makes the call of import.
func (p *program) askImport(ctx context.Context, file string, plan *importPlan, sources []kg.Source, leave bool, more arguments) (result importResult, err error) {
	c := p.call("import", arguments{"tables": plan.Import.Tables}, arguments{"mode": string(plan.Import.Mode), "patch": plan.Import.Patch, "rejects": leave}, more)
	return result, p.withSources(c, sources, func(c invoke.Call) error { return p.decodeCall(ctx, file, c, &result) })
}

// importResult is the answer of import.
type importResult struct {
	written
	Met      view.Met
	Rejected []struct {
		Input int
		Text  string
	}
}

// withSources makes a call with the content of sources.
func (p *program) withSources(c invoke.Call, sources []kg.Source, call func(invoke.Call) error) error {
	for _, source := range sources {
		in, err := source.Open()
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // only read
		c.Inputs = append(c.Inputs, invoke.Input{Name: filepath.ToSlash(source.Name), Source: filepath.Base(source.Name), Reader: in})
	}
	return call(c)
}

// decodeCall makes a call and decodes its answer.
func (p *program) decodeCall(ctx context.Context, file string, c invoke.Call, answer any) error {
	res, err := p.makeCall(ctx, file, c)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(res.Unwarned(), answer); err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.Capability, err)
	}
	return nil
}

// leaveOut chooses the files for rejected rows. An existing file is not overwritten, because somebody may be
// correcting it.
func (plan *importPlan) leaveOut(sources []kg.Source, f importFlags) error {
	plan.rejects = make([]string, len(sources))
	for _, m := range plan.Mistakes {
		i := slices.IndexFunc(sources, func(s kg.Source) bool { return s.Name == m.Input })
		if i < 0 || plan.rejects[i] != "" {
			continue
		}
		name := f.rejects
		if name == "" || slices.Contains(plan.rejects, name) {
			name = rejectsOf(sources[i].Name, plan.Tables[i].Type != "")
		}
		if _, err := os.Stat(name); err == nil && !f.dryRun {
			return fault.New(fault.Conflict, "%s is there already, and the rows that do not fit would go there: move it away, or say --rejects", name)
		}
		plan.rejects[i] = name
	}
	return nil
}

// showImport says on stderr what will be done.
func (p *program) showImport(file string, plan *importPlan) {
	switch {
	case plan.made:
		fmt.Fprintf(p.stderr, "%s is made, with the types that fit the data:\n", line(file))
	case len(plan.Types) > 0:
		fmt.Fprintf(p.stderr, "%s gets what it does not have of the types that fit the data (%s):\n", line(file), strings.Join(plan.Types, ", "))
	}
	if len(plan.Types) > 0 {
		_, types, _ := strings.Cut(plan.Schema, "\ntypes:\n")
		for text := range strings.Lines(types) {
			fmt.Fprintln(p.stderr, line(strings.TrimRight(text, "\n")))
		}
	}
	if _, err := strconv.ParseFloat(plan.Number, 64); err == nil && len(plan.Types) == 0 {
		fmt.Fprintf(p.stderr, "numbers such as %s are read with a point before the fraction: --decimal , says that it is a comma\n", line(plan.Number))
	}
	for i, t := range plan.Tables {
		if t.Near != "" {
			fmt.Fprintf(p.stderr, "  %s has %s, too: --type %s puts the rows of %s there, and --map says which the other columns are\n", t.Near, strings.Join(t.Shared, ", "), t.Near, line(t.Name))
		}
		of := t.Type
		if of == "" {
			of = "the types that it says"
		}
		fmt.Fprintf(p.stderr, "then: %s is loaded as %s%s\n", line(t.Name), of, readAs(plan.Import.Tables[i]))
		if plan.rejects[i] != "" {
			fmt.Fprintf(p.stderr, "  rows that do not fit are left out and go to %s\n", line(plan.rejects[i]))
		}
	}
}

// optionsOfTable are the flags of an import that reads a table in the same way, without its type.
func optionsOfTable(t view.ImportedTable) load.Options {
	return load.Options{ID: t.ID, Sheet: t.Sheet, Conventions: infer.Conventions{Dates: t.Dates, Decimal: t.Decimal}}
}

// readAs says how a table is read, in the words of the flags.
func readAs(t view.ImportedTable) string {
	words := optionsOf(optionsOfTable(t))
	if t.By != "" {
		words = append(words, "--by", quoted(t.By))
	}
	for _, column := range slices.Sorted(maps.Keys(t.Map)) {
		words = append(words, "--map", quoted(fmt.Sprint(column, "=", t.Map[column])))
	}
	if len(words) == 0 {
		return ""
	}
	return ", with " + strings.Join(words, " ")
}

// doImport creates the file if it is not there, and imports. A file that it created is removed if the data is refused.
func (p *program) doImport(ctx context.Context, file string, plan *importPlan, sources []kg.Source, f importFlags) (done imported, err error) {
	done = imported{File: file, Created: plan.made, Types: plan.Types, Removes: plan.Removes, Rejects: []string{}, Again: []string{}, Commits: []string{}, Undo: []string{}}
	if plan.made {
		if err := kg.Create(ctx, file, kg.CreateOptions{Base: f.base, By: me()}); err != nil {
			return done, err
		}
		defer func() {
			if err != nil && len(done.Commits) == 0 {
				for _, name := range []string{file, file + "-wal", file + "-shm"} {
					_ = os.Remove(name) // it was created by this call
				}
			}
		}()
	}
	leave := slices.ContainsFunc(plan.rejects, func(name string) bool { return name != "" })
	result, err := p.askImport(ctx, file, plan, sources, leave, arguments{"message": f.message, "allow_mass_change": f.mass})
	if err != nil {
		return done, err
	}
	done.Met = result.Met
	done.Records, done.LeftOut = result.Records, result.LeftOut
	if result.Commit != nil {
		done.Commits = append(done.Commits, *result.Commit)
		done.Undo = append(done.Undo, fmt.Sprintf("trails undo %s %s", quoted(file), *result.Commit))
	}
	for _, r := range result.Rejected {
		name := plan.rejects[r.Input]
		if err := writeNew(name, r.Text); err != nil {
			return done, fault.New(fault.Unusable, "the data is imported, and the rows that were left out cannot be written to %s", name).Because(err)
		}
		done.Rejects = append(done.Rejects, name)
		t := plan.Import.Tables[r.Input]
		o := optionsOfTable(t)
		o.Type, o.Sheet = t.Type, "" // rejected rows are written as CSV
		again := optionsOf(o)
		if t.By != "" {
			again = append(again, "--by", quoted(t.By))
		}
		if f.options.Mode != load.Merge {
			again = append(again, "--mode", string(f.options.Mode))
		}
		done.Again = append(done.Again, strings.Join(append([]string{"trails import", quoted(file), quoted(name)}, again...), " "))
	}
	return done, nil
}

// writeNew writes a file that is not there yet.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
