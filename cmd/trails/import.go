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
	"strings"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/schema"
	"trails/schema/infer"
)

type importFlags struct {
	options                load.Options
	columns                []string
	base, rejects, message string
	yes, dryRun            bool
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
is asked; --yes answers for them. Then each table becomes one commit, and so do records that may
refer to each other, and the command says how to take it back.

It does what "trails init --infer", "trails schema apply" and "trails load" do, and shows the
commands. Rows that do not fit are left out and written to a file with what is wrong with each,
to be mended and imported; with --strict they keep everything out.
` + fileHelp + `
The first argument is then FILE only if it is a SQLite file, and DATA otherwise.`,
		Example: `  trails import people.trails people.csv
  trails import people.trails more-people.xlsx --sheet Staff --yes
  trails import people.trails visits.csv --type Visit --dates dmy --dry-run`,
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
	flags.StringArrayVar(&f.columns, "map", nil, "`COLUMN=PROPERTY` of a type that FILE has, without PROPERTY nothing; can be repeated")
	tableFlags(cmd, &f.options)
	flags.BoolVar(&f.options.Strict, "strict", false, "a bad cell decides what its column is, and a bad row keeps all out")
	flags.StringVar(&f.rejects, "rejects", "", "`FILE` for the rows that do not fit (default: called as DATA, with .rejects)")
	flags.StringVar(&f.base, "base", "", "`IRI` that every new IRI of a FILE that is made begins with")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.StringVarP(&f.message, "message", "m", "", "`text` for the commit")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be done and change nothing")
	completeFlag(cmd, "type", p.completeTypes)
	return cmd
}

// importPlan is the plan of an import.
type importPlan struct {
	file     string
	made     bool // FILE does not exist yet
	proposed *kg.Proposed
	added    []string // types to add to FILE, in the order of the proposal
	near     []string // for each of them the type of FILE that the rows may be of
	patch    string   // patch that adds them to an existing FILE
	loads    []load.Options
	records  int64    // number of records that fit
	leftOut  int64    // number of records that do not
	rejects  []string // for each load the file for rejected rows, "" for none
}

// imported is what an import answers.
type imported struct {
	File    string   `json:"file"`
	Created bool     `json:"created"`
	Types   []string `json:"types"` // that were added
	DryRun  bool     `json:"dry_run"`
	Records int64    `json:"records"`
	LeftOut int64    `json:"left_out"`
	Rejects []string `json:"rejects"` // files
	Again   []string `json:"again"`   // commands that import rejected rows after correction
	Commits []string `json:"commits"` // of the data
	Undo    []string `json:"undo"`    // commands
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
	p.showImport(plan)
	switch in := p.terminal(); {
	case f.dryRun:
		return p.print(imported{File: file, Created: plan.made, Types: plan.added, DryRun: true, Records: plan.records, LeftOut: plan.leftOut, Rejects: []string{}, Again: []string{}, Commits: []string{}, Undo: []string{}}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "dry run, nothing was changed; %s would be loaded and %d left out\n", count(plan.records, "record"), plan.leftOut)
			return err
		})
	case f.yes:
	case in == nil:
		return fault.New(fault.Precondition, "nothing was changed, because nobody can be asked: repeat it with --yes")
	case !p.isYes(in, "Go on?"):
		return fault.New(fault.Precondition, "nothing was changed")
	}
	done, err := p.doImport(ctx, plan, sources, f)
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
		fmt.Fprintf(w, "%s in %s\n", count(done.Records, "record"), file)
		for i, name := range done.Rejects {
			fmt.Fprintf(w, "rows that do not fit are in %s: mend them, then\n  %s\n", name, done.Again[i])
		}
		_, err := fmt.Fprintf(w, "next:\n  trails schema show %[1]s   look at its types\n  trails serve %[1]s --open  look around in a browser\n", quoted(file))
		return err
	})
}

// planImport proposes a schema for the data, tries it, and compares it with FILE.
func (p *program) planImport(ctx context.Context, file string, sources []kg.Source, f importFlags) (*importPlan, error) {
	proposed, err := kg.Propose(ctx, me(), sources, f.options)
	if err != nil {
		return nil, err
	}
	if in := p.terminal(); in != nil && !f.yes && !f.dryRun && proposed.Date+proposed.Number != "" {
		if proposed.Date != "" {
			f.options.Conventions.Dates = map[bool]string{true: "dmy", false: "mdy"}[p.isYes(in, fmt.Sprintf("Dates such as %s can be read in two ways. Does the day come first?", line(proposed.Date)))]
		}
		if proposed.Number != "" {
			f.options.Conventions.Decimal = map[bool]string{true: ",", false: "."}[p.isYes(in, fmt.Sprintf("Numbers such as %s can be read in two ways. Does the comma stand before the fraction?", line(proposed.Number)))]
		}
		if proposed, err = kg.Propose(ctx, me(), sources, f.options); err != nil {
			return nil, err
		}
	}
	plan := &importPlan{file: file, proposed: proposed, loads: slices.Clone(proposed.Loads), records: proposed.Records, leftOut: proposed.LeftOut, added: []string{}}
	_, err = os.Stat(file)
	plan.made = errors.Is(err, fs.ErrNotExist)
	fits, err := schema.ParseYAML(proposed.Schema, "urn:trails:import:") // only its names are used
	if err != nil {
		return nil, err
	}
	if plan.made {
		if len(f.columns) > 0 {
			return nil, usageError{"--map gives columns the properties of a type that FILE has, and " + file + " is not there yet"}
		}
		for _, t := range fits.Types {
			plan.added = append(plan.added, t.Name)
		}
		for i, o := range plan.loads {
			if err := plan.leaveOut(o.Rejects, i, f); err != nil {
				return nil, err
			}
		}
		return plan, nil
	}
	if f.base != "" {
		return nil, usageError{"--base is for a FILE that is made, and " + file + " is there"}
	}
	var has struct{ Text string }
	if err := p.answerOf(ctx, file, "schema_get", arguments{"format": "yaml"}, &has); err != nil {
		return nil, err
	}
	there, err := schema.ParseYAML([]byte(has.Text), "")
	if err != nil {
		return nil, err
	}
	for i := range plan.loads {
		if err := plan.findType(&plan.loads[i], fits, there, f); err != nil {
			return nil, err
		}
	}
	for _, t := range fits.Types {
		if !slices.Contains(plan.added, t.Name) {
			continue
		}
		plan.patch += "- add_type:\n"
		for line := range strings.Lines(string(fits.TypeYAML(t))) {
			plan.patch += "    " + line
		}
	}
	if plan.patch == "" {
		plan.records, plan.leftOut = 0, 0
	}
	for i, o := range plan.loads {
		left := int64(0)
		if plan.patch == "" { // the load can be tried
			result, err := p.importLoad(ctx, file, o, sources, proposed.Sources[i], io.Discard, !f.options.Strict, arguments{"dry_run": true})
			if err != nil {
				return nil, err
			}
			if left = result.LeftOut; infer.TooMany(left, result.Records+left) {
				_, err := p.importLoad(ctx, file, o, sources, proposed.Sources[i], nil, false, arguments{"dry_run": true})
				return nil, err
			}
			plan.records, plan.leftOut = plan.records+result.Records, plan.leftOut+left
		}
		if err := plan.leaveOut(o.Rejects && plan.patch != "" || left > 0, i, f); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// findType finds the type of FILE for rows: the named one, or one with all proposed properties. Otherwise the
// proposed type is added.
func (plan *importPlan) findType(o *load.Options, fits, there *schema.Schema, f importFlags) error {
	if o.Type == "" { // records contain their types
		for _, t := range fits.Types {
			if there.Type(t.Name) == nil && !slices.Contains(plan.added, t.Name) {
				plan.added = append(plan.added, t.Name)
			}
		}
		return nil
	}
	proposed := fits.Type(o.Type)
	found := there.Type(o.Type)
	if found == nil || f.options.Type == "" && !hasAll(there, found, fits, proposed) {
		var able []string
		for _, t := range there.Types {
			if !t.Abstract && hasAll(there, t, fits, proposed) {
				able = append(able, t.Name)
			}
		}
		switch {
		case f.options.Type != "": // a new type was named
		case len(able) == 1:
			found = there.Type(able[0])
		case len(able) > 1:
			return fault.Argument("type", fault.OneOf, nil, fmt.Sprintf("the columns of %s are properties of %s: say --type", o.Inputs[0].Name, strings.Join(able, " and of ")))
		case found != nil:
			return fault.Argument("type", fault.Closed, o.Type, fmt.Sprintf("%s has a type %s, and not all columns of %s are properties of it: --type %s says that the rows are of it, and --map which is which; --type with a new name adds a type", plan.file, o.Type, o.Inputs[0].Name, o.Type))
		}
	}
	if found == nil {
		if len(f.columns) > 0 {
			return usageError{"--map gives columns the properties of a type that " + plan.file + " has, and the rows are of a new one"}
		}
		plan.added = append(plan.added, o.Type)
		if near, shared := nearType(there, fits, proposed); near != "" && f.options.Type == "" {
			plan.near = append(plan.near, fmt.Sprintf("%s has %s, too: --type %s puts the rows of %s there, and --map says which the other columns are", near, strings.Join(shared, ", "), near, o.Inputs[0].Name))
		}
		return nil
	}
	columns := map[string]string{}
	for column, name := range o.Map {
		switch q := sameProperty(there, found, name); {
		case name == "":
			columns[column] = ""
		case q != nil:
			columns[column] = q.Name
		}
	}
	mapped, err := columnsOf(f.columns)
	if err != nil {
		return err
	}
	maps.Copy(columns, mapped)
	o.Type, o.Map = found.Name, columns
	if there.MintOf(found) != schema.MintPreserve {
		o.ID = f.options.ID
	}
	return nil
}

// nearType returns the type that has most of the proposed properties, and which: a third of them at least.
func nearType(there, fits *schema.Schema, proposed *schema.Type) (name string, shared []string) {
	all := fits.PropertiesOf(proposed)
	for _, t := range there.Types {
		var same []string
		for _, q := range all {
			if p := sameProperty(there, t, q.Name); p != nil {
				same = append(same, p.Name)
			}
		}
		if !t.Abstract && len(same) > len(shared) && len(same)*3 >= len(all) {
			name, shared = t.Name, same
		}
	}
	return name, shared
}

// hasAll reports whether a type has all proposed properties.
func hasAll(there *schema.Schema, t *schema.Type, fits *schema.Schema, proposed *schema.Type) bool {
	return !slices.ContainsFunc(fits.PropertiesOf(proposed), func(q *schema.Property) bool { return sameProperty(there, t, q.Name) == nil })
}

// sameProperty is the property of a type that a load takes a name for.
func sameProperty(s *schema.Schema, t *schema.Type, name string) *schema.Property {
	if p := s.Property(t, name); p != nil {
		return p
	}
	for _, p := range s.PropertiesOf(t) {
		if infer.Folded(p.Name) == infer.Folded(name) {
			return p
		}
	}
	return nil
}

// leaveOut sets the file for rejected rows of a load. An existing file is not overwritten, because somebody may be
// correcting it.
func (plan *importPlan) leaveOut(some bool, i int, f importFlags) error {
	name := ""
	if some && !f.options.Strict {
		name = f.rejects
		if name == "" || i > 0 && slices.Contains(plan.rejects, name) {
			name = rejectsOf(plan.loads[i].Inputs[0].Name, plan.proposed.Tables[i])
		}
		if _, err := os.Stat(name); err == nil && !f.dryRun {
			return fault.New(fault.Conflict, "%s is there already, and the rows that do not fit would go there: move it away, or say --rejects", name)
		}
	}
	plan.loads[i].Rejects, plan.rejects = name != "", append(plan.rejects, name)
	return nil
}

// showImport says on stderr what will be done.
func (p *program) showImport(plan *importPlan) {
	switch {
	case plan.made:
		fmt.Fprintf(p.stderr, "%s is made, with the types that fit the data:\n", line(plan.file))
	case len(plan.added) > 0:
		fmt.Fprintf(p.stderr, "%s gets what it does not have of the types that fit the data (%s):\n", line(plan.file), strings.Join(plan.added, ", "))
	}
	if len(plan.added) > 0 {
		_, types, _ := strings.Cut(string(plan.proposed.Schema), "\ntypes:\n")
		for text := range strings.Lines(types) {
			fmt.Fprintln(p.stderr, line(strings.TrimRight(text, "\n")))
		}
	}
	for _, text := range plan.near {
		fmt.Fprintf(p.stderr, "  %s\n", line(text))
	}
	shown := *plan.proposed
	shown.Loads = slices.Clone(plan.loads)
	for i, text := range loadsOf(plan.file, &shown, plan.rejects) {
		fmt.Fprintf(p.stderr, "then: %s\n", line(text))
		if plan.rejects[i] != "" {
			fmt.Fprintf(p.stderr, "  rows that do not fit are left out and go to %s\n", line(plan.rejects[i]))
		}
	}
}

// doImport creates the file or adds the types, and loads the data. A file that it created is removed if the data is
// refused.
func (p *program) doImport(ctx context.Context, plan *importPlan, sources []kg.Source, f importFlags) (done imported, err error) {
	done = imported{File: plan.file, Created: plan.made, Types: plan.added, Rejects: []string{}, Again: []string{}, Commits: []string{}, Undo: []string{}}
	switch {
	case plan.made:
		if err := kg.Create(ctx, plan.file, kg.CreateOptions{Base: f.base, Schema: plan.proposed.Schema, By: me()}); err != nil {
			return done, err
		}
		defer func() {
			if err != nil && len(done.Commits) == 0 {
				for _, name := range []string{plan.file, plan.file + "-wal", plan.file + "-shm"} {
					_ = os.Remove(name) // it was created by this call
				}
			}
		}()
	case plan.patch != "":
		if _, err := p.makeCall(ctx, plan.file, p.call("schema_apply", arguments{"patch": plan.patch}, arguments{"message": f.message})); err != nil {
			return done, err
		}
	}
	for i, o := range plan.loads {
		var out io.Writer
		if plan.rejects[i] != "" {
			rejects, err := os.OpenFile(plan.rejects[i], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return done, fault.New(fault.Unusable, "%s cannot be written", plan.rejects[i]).Because(err)
			}
			defer func() { _ = rejects.Close() }() // its content has been flushed
			out = rejects
		}
		result, err := p.importLoad(ctx, plan.file, o, sources, plan.proposed.Sources[i], out, out != nil, arguments{"message": f.message})
		if err != nil {
			if plan.rejects[i] != "" {
				_ = os.Remove(plan.rejects[i]) // it is empty
			}
			if plan.patch != "" {
				fmt.Fprintf(p.stderr, "trails: warning: the types %s were added to %s and stay; the data of %s was not loaded\n", strings.Join(plan.added, ", "), line(plan.file), line(o.Inputs[0].Name))
			}
			return done, err
		}
		done.Records, done.LeftOut = done.Records+result.Records, done.LeftOut+result.LeftOut
		switch {
		case result.LeftOut > 0:
			done.Rejects = append(done.Rejects, plan.rejects[i])
			o.Sheet = "" // rejected rows are written as CSV
			words := append([]string{"trails import", quoted(plan.file), quoted(plan.rejects[i])}, optionsOf(o)...)
			done.Again = append(done.Again, strings.Join(words, " "))
		case plan.rejects[i] != "":
			_ = os.Remove(plan.rejects[i]) // it is empty
		}
		if result.Commit != nil {
			done.Commits = append(done.Commits, *result.Commit)
			done.Undo = append(done.Undo, fmt.Sprintf("trails undo %s %s", quoted(plan.file), *result.Commit))
		}
	}
	return done, nil
}

// importLoad makes the call of one load.
func (p *program) importLoad(ctx context.Context, file string, o load.Options, sources []kg.Source, of []int, rejects io.Writer, leave bool, more arguments) (result written, err error) {
	args := arguments{}
	if len(o.Map) > 0 {
		args["map"] = o.Map
	}
	c := p.call("load", args, arguments{
		"type": o.Type, "id": o.ID, "sheet": o.Sheet, "dates": o.Conventions.Dates, "decimal": o.Conventions.Decimal, "rejects": leave,
	}, more)
	c.Output = rejects
	for _, i := range of {
		in, err := sources[i].Open()
		if err != nil {
			return result, err
		}
		defer func() { _ = in.Close() }() // only read
		c.Inputs = append(c.Inputs, invoke.Input{Name: filepath.ToSlash(sources[i].Name), Source: filepath.Base(sources[i].Name), Reader: in})
	}
	res, err := p.makeCall(ctx, file, c)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(unwarned(res.Structured), &result); err != nil {
		return result, fmt.Errorf("read the result of load: %w", err)
	}
	return result, nil
}
