package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/migration"
	"trails/schema"
)

// migrationsDir is where migrations are when nobody says otherwise.
const migrationsDir = "migrations"

func (p *program) migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Move schema and data by numbered migrations, and back",
		Long: `A migration is a file NNNN_name.yaml, numbered from 0001, that says step by step how schema
and data move on. Each is applied as one commit, in the order of the numbers, and the graph keeps
its text, its SHA-256, by whom and when. DIR is "migrations" when left out.
`,
		Example: `  trails migrate new notes.trails add_due --schema schema.yaml
  trails migrate plan notes.trails
  trails migrate apply notes.trails
  trails migrate status notes.trails
  trails migrate rollback notes.trails`,
		RunE: chooseCommand,
	}
	cmd.AddCommand(p.migrateNewCommand(), p.migrateStatusCommand(), p.migratePlanCommand(), p.migrateApplyCommand(), p.migrateRollbackCommand())
	return cmd
}

// stepsHelp says what the steps of a migration are.
const stepsHelp = `
  description: People have two names.
  steps:
  - rename_type: {Person: Human}                any step of a patch, see trails schema apply
  - split_property: {Human.name: {into: {first: string, last: string}, at: " "}}
  - merge_property: {Human.address: {from: [street, town], with: ", ", as: {type: string}}}
  - convert_property: {Human.size: decimal}     the values become those of the other type
  - update:
      forward: DELETE { ?h :state "wip" } INSERT { ?h :state "open" } WHERE { ?h :state "wip" }
      reverse: history                          or the update that takes it back

A migration goes back by the ways back of its steps, with the data that came since. Where a step
has none, as one that drops, it goes back by the history: what its commit did is undone.
`

func (p *program) migrateNewCommand() *cobra.Command {
	var dir, source string
	cmd := &cobra.Command{
		Use:   "new FILE NAME",
		Short: "Write the next migration, from the difference to a schema or empty",
		Long: `Write the file of the next migration: with --schema its steps lead from the graph's schema to
that one, without it stands empty, with what there can be in comments. A new name is one
property that goes and one that comes, until you write rename_property in their place.
` + stepsHelp + fileHelp,
		Example: `  trails migrate new notes.trails add_due --schema schema.yaml
  trails migrate new notes.trails tidy_states --dir db/migrations`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			if err := migration.CheckName(rest[0]); err != nil {
				return err
			}
			path, err := p.newMigration(cmd.Context(), file, rest[0], dir, source)
			if err != nil {
				return err
			}
			return p.print(json.RawMessage(`{"file":`+strconv.Quote(filepath.ToSlash(path))+`}`), func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "wrote %s\n", path)
				return err
			})
		}, "NAME"),
		ValidArgsFunction: p.completeAfterFile(cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().StringVar(&dir, "dir", migrationsDir, "the `folder` of migrations")
	if err := cmd.MarkFlagDirname("dir"); err != nil {
		panic(err) // the flag is not there: a bug that every start would show
	}
	cmd.Flags().StringVar(&source, "schema", "", "a `file` with the schema to come, in YAML, - for stdin")
	return cmd
}

// newMigration writes the next migration of a graph and a folder, and returns its path.
func (p *program) newMigration(ctx context.Context, file, name, dir, source string) (string, error) {
	given, err := p.migrationTexts(ctx, dir, true)
	if err != nil {
		return "", err
	}
	var status migrationStatus
	if err := p.answerOf(ctx, file, "trails.meta.migrate.status", arguments{"migrations": given}, &status); err != nil {
		return "", err
	}
	if len(status.Problems) > 0 {
		return "", fault.New(fault.InvalidData, "%s", strings.Join(status.Problems, "\n"))
	}
	var now struct{ Text string }
	if err := p.answerOf(ctx, file, "schema_get", arguments{"format": "yaml"}, &now); err != nil {
		return "", err
	}
	from, err := schema.ParseYAML([]byte(now.Text), "")
	if err != nil {
		return "", err
	}
	var to *schema.Schema
	if source != "" {
		text, err := p.readText(ctx, source)
		if err != nil {
			return "", err
		}
		if to, err = schema.ParseYAML(text, from.Base); err != nil {
			return "", named(err, source)
		}
	}
	text, err := migration.New(from, to)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, migration.FileName(len(status.Rows)+1, name))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fault.New(fault.Unusable, "%w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", fault.New(fault.Unusable, "%w", err)
	}
	_, err = f.WriteString(text)
	return path, errors.Join(err, f.Close())
}

// answerOf makes one call and reads what it answers.
func (p *program) answerOf(ctx context.Context, file, capability string, given arguments, answer any) error {
	res, err := p.makeCall(ctx, file, p.call(capability, given))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(res.Structured, answer); err != nil {
		return fmt.Errorf("read the result of %s: %w", capability, err)
	}
	return nil
}

// migrationTexts reads the migrations of a folder, in the order of their names. A folder that
// is not there is empty where it may be missing.
func (p *program) migrationTexts(ctx context.Context, dir string, mayMiss bool) ([]arguments, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) && mayMiss {
		return []arguments{}, nil
	}
	if err != nil {
		return nil, fault.New(fault.Missing, "%w", err)
	}
	all := []arguments{}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		text, err := p.readText(ctx, filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, arguments{"name": e.Name(), "text": string(text)})
	}
	return all, nil
}

// onMigrations runs a command on FILE and the migrations of DIR, up to a number unless it is 0.
func (p *program) onMigrations(to *int, mayMiss bool, do func(ctx context.Context, file string, given []arguments) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		file, given, err := p.migrationsOf(cmd, args, mayMiss)
		if err != nil {
			return err
		}
		if to != nil && *to > 0 {
			given = slices.DeleteFunc(given, func(a arguments) bool {
				name, _ := a["name"].(string)
				digits, _, _ := strings.Cut(name, "_")
				n, err := strconv.Atoi(digits)
				return err == nil && n > *to
			})
		}
		return do(cmd.Context(), file, given)
	}
}

// migrationsOf reads FILE and DIR from the arguments of a command, and the migrations of DIR.
func (p *program) migrationsOf(cmd *cobra.Command, args []string, mayMiss bool) (file string, given []arguments, err error) {
	file, rest, err := p.fileThenSome(cmd, args)
	if err != nil {
		return "", nil, err
	}
	dir := migrationsDir
	switch len(rest) {
	case 0:
	case 1:
		dir, mayMiss = rest[0], false
	default:
		return "", nil, usageError{fmt.Sprintf("%s takes FILE and DIR, and got %d arguments", cmd.Name(), len(args))}
	}
	given, err = p.migrationTexts(cmd.Context(), dir, mayMiss)
	return file, given, err
}

// completeAfterFile completes FILE with files, and what follows it as the directive says.
func (p *program) completeAfterFile(then cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch _, rest, err := p.fileThenSome(cmd, args); {
		case err != nil:
			return nil, cobra.ShellCompDirectiveDefault
		case len(rest) == 0:
			return nil, then
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// toFlag adds --to, which is completed with the numbers of the migrations in a state. What goes
// wrong completes to nothing.
func (p *program) toFlag(cmd *cobra.Command, to *int, usage, state string) {
	cmd.Flags().IntVar(to, "to", 0, usage)
	complete := func(cmd *cobra.Command, args []string, word string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		file, given, err := p.migrationsOf(cmd, args, true)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var status migrationStatus
		if err := p.answerOf(cmd.Context(), file, "trails.meta.migrate.status", arguments{"migrations": given}, &status); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for i, row := range status.Rows {
			number := strconv.Itoa(i + 1)
			if row[1] == state && strings.HasPrefix(number, word) {
				out = append(out, cobra.CompletionWithDesc(number, row[0]))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	if err := cmd.RegisterFlagCompletionFunc("to", complete); err != nil {
		panic(err) // the flag is not there: a bug that every start would show
	}
}

// migrationStatus is what a status answers.
type migrationStatus struct {
	Rows     [][]string
	Pending  int
	Problems []string
}

func (p *program) migrateStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status FILE [DIR]",
		Short: "List the migrations that are applied, and those of DIR that are not",
		Long: `List the migrations that the graph has had applied, by whom, when and in which commit, and
those of DIR that are to come. It exits with 6 when those of DIR do not fit: a text that changed
after it was applied, a gap, two of one number.
` + fileHelp,
		Example: `  trails migrate status notes.trails
  trails migrate status notes.trails db/migrations -o json`,
		ValidArgsFunction: p.completeAfterFile(cobra.ShellCompDirectiveFilterDirs),
		RunE: p.onMigrations(nil, true, func(ctx context.Context, file string, given []arguments) error {
			said, err := callAndPrint(ctx, p, file, p.call("trails.meta.migrate.status", arguments{"migrations": given}), writeMigrationStatus)
			if err == nil && len(said.Problems) > 0 {
				err = failure{exitInvalid, "the migrations do not fit: " + line(strings.Join(said.Problems, "; "))}
			}
			return err
		}),
	}
	return cmd
}

func writeMigrationStatus(w io.Writer, s migrationStatus) error {
	if len(s.Rows) == 0 {
		_, err := fmt.Fprintln(w, "no migrations")
		return err
	}
	for _, row := range s.Rows {
		if len(row) < 5 {
			continue
		}
		text := fmt.Sprintf("%-8s %s", line(row[1]), line(row[0]))
		if row[2] != "" {
			text += fmt.Sprintf("  %s by %s, commit %s", line(row[2]), line(row[3]), line(row[4]))
		}
		fmt.Fprintln(w, text)
	}
	_, err := fmt.Fprintf(w, "%s to apply\n", count(int64(s.Pending), "migration"))
	return err
}

// goesBack is how the sentence on the way back of a migration begins.
const goesBack = "goes back"

// migrationDone is what a migration did, or would do.
type migrationDone struct {
	Name, Reverse string
	Rows          [][]string
	Blocked       bool
}

// write tells it to a person: its steps, of which "!" marks those that are not safe, and how
// it goes back, or went.
func (m migrationDone) write(w io.Writer, goes string) {
	fmt.Fprintln(w, line(m.Name))
	for _, row := range m.Rows {
		if len(row) < 4 {
			continue
		}
		mark := "!"
		if strings.HasPrefix(row[2], "safe") {
			mark = " "
		}
		fmt.Fprintf(w, "%s %-3s %s (%s)\n", mark, line(row[0]), line(row[1]), line(row[2]))
		if row[3] != "" {
			fmt.Fprintf(w, "        %s\n", line(row[3]))
		}
	}
	fmt.Fprintf(w, "  %s by %s\n", goes, line(m.Reverse))
}

func (p *program) migratePlanCommand() *cobra.Command {
	var to int
	cmd := &cobra.Command{
		Use:   "plan FILE [DIR]",
		Short: "Try the migrations that are to come, and say what they would change",
		Long: `Try the migrations of DIR that are not applied, one after the other, and say what each does,
the nodes that would break, how it goes back, and which statements all of them change. Nothing is
changed. It exits with 6 when data or a stored query contradicts one.
` + stepsHelp + fileHelp,
		Example: `  trails migrate plan notes.trails
  trails migrate plan notes.trails db/migrations --to 7`,
		ValidArgsFunction: p.completeAfterFile(cobra.ShellCompDirectiveFilterDirs),
		RunE: p.onMigrations(&to, false, func(ctx context.Context, file string, given []arguments) error {
			said, err := callAndPrint(ctx, p, file, p.call("trails.meta.migrate.plan", arguments{"migrations": given}), writeMigrationPlan)
			if err == nil && said.Blocked {
				err = failure{exitInvalid, said.Migrations[len(said.Migrations)-1].Name + " does not fit what is there; nothing was changed"}
			}
			return err
		}),
	}
	p.toFlag(cmd, &to, "only up to this `number`", "pending")
	return cmd
}

// migrationPlan is what a plan answers.
type migrationPlan struct {
	Migrations []migrationDone
	Changes    struct {
		Total int64
		Rows  [][]json.RawMessage
	}
	Blocked bool
}

func writeMigrationPlan(w io.Writer, plan migrationPlan) error {
	if len(plan.Migrations) == 0 {
		_, err := fmt.Fprintln(w, "nothing to do: all migrations are applied")
		return err
	}
	for _, m := range plan.Migrations {
		m.write(w, goesBack)
	}
	for _, row := range plan.Changes.Rows {
		words := make([]string, len(row))
		for i, cell := range row {
			words[i] = scalar(cell)
		}
		fmt.Fprintln(w, strings.Join(words, "  "))
	}
	if more := plan.Changes.Total - int64(len(plan.Changes.Rows)); more > 0 {
		fmt.Fprintf(w, "... and %s more\n", grouped(more))
	}
	if !plan.Blocked {
		fmt.Fprintf(w, "the data fits; migrate apply makes %s\n", count(int64(len(plan.Migrations)), "commit"))
	}
	return nil
}

// migrated is what applying a migration answers, and rolling one back.
type migrated struct {
	written
	Migration *migrationDone
	Left      int
}

func (p *program) migrateApplyCommand() *cobra.Command {
	var f massFlags
	var to int
	cmd := &cobra.Command{
		Use:   "apply FILE [DIR]",
		Short: "Apply the migrations of DIR that are not applied, one commit each",
		Long: `Apply the migrations of DIR that are not applied, in the order of their numbers, each as one
commit that is validated like any other: all of it, or nothing. What is applied stays when a later
one is refused, and the next apply goes on from there. --dry-run tries the next one. One that would
remove more than 1,000 statements needs a yes at the terminal or --allow-mass-change.
` + stepsHelp + fileHelp,
		Example: `  trails migrate apply notes.trails
  trails migrate apply notes.trails db/migrations --to 7 -m "release 12"`,
		ValidArgsFunction: p.completeAfterFile(cobra.ShellCompDirectiveFilterDirs),
		RunE: p.onMigrations(&to, false, func(ctx context.Context, file string, given []arguments) error {
			for done := 0; ; done++ {
				said, err := callAndPrint(ctx, p, file, p.call("trails.meta.migrate.apply", arguments{"migrations": given}, f.arguments()), func(w io.Writer, r migrated) error {
					switch {
					case r.Migration != nil:
						r.Migration.write(w, goesBack)
						return writeSummary(w, r.written)
					case done > 0:
						return nil
					}
					_, err := fmt.Fprintln(w, "nothing to do: all migrations are applied")
					return err
				})
				if err != nil || said.Migration == nil || said.Left == 0 || f.dryRun {
					return err
				}
				f.ifCommit = "" // the head is the commit before this one
			}
		}),
	}
	p.toFlag(cmd, &to, "only up to this `number`", "pending")
	f.on(cmd)
	return cmd
}

func (p *program) migrateRollbackCommand() *cobra.Command {
	var f massFlags
	var to int
	var allowDataLoss bool
	cmd := &cobra.Command{
		Use:   "rollback FILE",
		Short: "Take back the last migration, or all after a number",
		Long: `Take back the migration that was applied last, as one commit; with --to those above that
number, one commit each, the newest first. Schema and data are then as before it, with what came
since. It is refused, and exits with 4, naming the nodes, where data that came later would be lost
(see --allow-data-loss) or has changed the same values.
` + fileHelp,
		Example: `  trails migrate rollback notes.trails --dry-run
  trails migrate rollback notes.trails --to 3`,
		ValidArgsFunction: p.completeAfterFile(cobra.ShellCompDirectiveNoFileComp),
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error {
			numbers, err := p.toRollBack(cmd.Context(), file, to, cmd.Flags().Changed("to"))
			if err != nil {
				return err
			}
			for _, number := range numbers {
				given := arguments{"number": number, "allow_data_loss": allowDataLoss}
				_, err := callAndPrint(cmd.Context(), p, file, p.call("trails.meta.migrate.rollback", given, f.arguments()), func(w io.Writer, r migrated) error {
					if r.Migration != nil {
						r.Migration.write(w, "went back")
					}
					return writeSummary(w, r.written)
				})
				if err != nil || f.dryRun {
					return err
				}
				f.ifCommit = ""
			}
			return nil
		}),
	}
	p.toFlag(cmd, &to, "down to this `number`, which stays; 0 takes back all", "applied")
	cmd.Flags().BoolVar(&allowDataLoss, "allow-data-loss", false, "remove data that came later and has no place any more")
	f.on(cmd)
	return cmd
}

// toRollBack are the numbers of the migrations to take back, the newest first: the last one,
// or those above a number.
func (p *program) toRollBack(ctx context.Context, file string, to int, several bool) (numbers []int, err error) {
	var status migrationStatus
	if err := p.answerOf(ctx, file, "trails.meta.migrate.status", arguments{}, &status); err != nil {
		return nil, err
	}
	last := len(status.Rows)
	switch {
	case last == 0:
		return nil, fault.New(fault.Missing, "no migration is applied")
	case !several:
		to = last - 1
	case to < 0 || to > last:
		return nil, usageError{fmt.Sprintf("--to %d: %d is the last that is applied", to, last)}
	}
	for n := last; n > to; n-- {
		numbers = append(numbers, n)
	}
	return numbers, nil
}
