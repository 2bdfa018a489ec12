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

	"trails/builtin/view"
	"trails/fault"
	"trails/schema"
	"trails/schema/migration"
)

// migrationsDir is the default directory of migrations.
const migrationsDir = "migrations"

func (p *program) migrateCommand() *cobra.Command {
	return &cobra.Command{
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
}

// stepsHelp explains the steps of a migration.
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

// migrateNew writes the file of the next migration.
func (a *asked) migrateNew() error {
	name := a.words[0]
	if err := migration.CheckName(name); err != nil {
		return err
	}
	dir, _ := a.cmd.Flags().GetString("dir")
	source, _ := a.cmd.Flags().GetString("schema")
	path, err := a.newMigration(a.ctx(), a.file, name, dir, source)
	if err != nil {
		return err
	}
	return a.print(json.RawMessage(`{"file":`+strconv.Quote(filepath.ToSlash(path))+`}`), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "wrote %s\n", path)
		return err
	})
}

// newMigration writes the next migration of a graph to a directory, and returns its path.
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
		return "", fault.New(fault.Unusable, "%v", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", fault.New(fault.Unusable, "%v", err)
	}
	_, err = f.WriteString(text)
	return path, errors.Join(err, f.Close())
}

// answerOf makes one call and decodes its answer.
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

// migrationTexts reads the migrations of a directory in order of their names; nil if it does not exist and may be
// missing.
func (p *program) migrationTexts(ctx context.Context, dir string, mayMiss bool) ([]arguments, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) && mayMiss {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Missing, "%v", err)
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

// takeMigrations adds the migrations of DIR to the call: the applied ones, and of the others those up to --to.
func (a *asked) takeMigrations(mayMiss bool) error {
	given, err := a.migrationsOf(a.ctx(), a.words, mayMiss)
	if err != nil {
		return err
	}
	if to, _ := a.cmd.Flags().GetInt("to"); to > 0 {
		var status migrationStatus
		if err := a.answerOf(a.ctx(), a.file, "trails.meta.migrate.status", arguments{}, &status); err != nil {
			return err
		}
		to = max(to, len(status.Rows))
		given = slices.DeleteFunc(given, func(m arguments) bool {
			name, _ := m["name"].(string)
			digits, _, _ := strings.Cut(name, "_")
			n, err := strconv.Atoi(digits)
			return err == nil && n > to
		})
	}
	a.given["migrations"] = given
	return nil
}

// migrationsOf reads the migrations of DIR, the argument after FILE, if given.
func (p *program) migrationsOf(ctx context.Context, words []string, mayMiss bool) ([]arguments, error) {
	if len(words) > 0 {
		return p.migrationTexts(ctx, words[0], false)
	}
	return p.migrationTexts(ctx, migrationsDir, mayMiss)
}

// completeFolders completes a folder.
func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// toFlag adds --to, completed with the numbers of migrations in a state; on errors with nothing.
func (p *program) toFlag(usage, state string) func(*cobra.Command) {
	complete := func(cmd *cobra.Command, args []string, word string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		file, rest, err := p.fileThenSome(cmd, args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		given, err := p.migrationsOf(cmd.Context(), rest, true)
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
	return func(cmd *cobra.Command) {
		cmd.Flags().Int("to", 0, usage)
		completeFlag(cmd, "to", complete)
	}
}

// migrationStatus is what a status answers.
type migrationStatus struct {
	Rows     [][]string
	Pending  int
	Problems []string
}

// migrateStatus lists migrations, and fails if those of DIR do not fit.
func (a *asked) migrateStatus() error {
	if err := a.takeMigrations(true); err != nil {
		return err
	}
	answer, err := a.once()
	if err != nil {
		return err
	}
	status, err := answered[migrationStatus](answer)
	if err == nil && len(status.Problems) > 0 {
		err = failure{exitInvalid, "the migrations do not fit: " + line(strings.Join(status.Problems, "; "))}
	}
	return err
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

// goesBack begins the sentence about how a migration is rolled back.
const goesBack = "goes back"

// migrationDone is what a migration did, or would do.
type migrationDone struct {
	Name, Reverse string
	Rows          []view.PlanRow
	Blocked       bool
}

// write shows it to a person: its steps, with "!" for unsafe ones, and how it is or was rolled back.
func (m migrationDone) write(w io.Writer, goes string) {
	fmt.Fprintln(w, line(m.Name))
	for _, row := range m.Rows {
		number := ""
		if row.Of != nil {
			number = *row.Of
		}
		writeStep(w, fmt.Sprintf("%-3s %s", number, row.Step), row)
	}
	fmt.Fprintf(w, "  %s by %s\n", goes, line(m.Reverse))
}

// migratePlan tries the migrations of DIR, and fails if one does not fit.
func (a *asked) migratePlan() error {
	if err := a.takeMigrations(false); err != nil {
		return err
	}
	answer, err := a.once()
	if err != nil {
		return err
	}
	plan, err := answered[migrationPlan](answer)
	if err == nil && plan.Blocked {
		err = failure{exitInvalid, plan.Migrations[len(plan.Migrations)-1].Name + " does not fit what is there; nothing was changed"}
	}
	return err
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

// migrateApply applies the migrations of DIR one by one.
func (a *asked) migrateApply() error {
	if err := a.takeMigrations(false); err != nil {
		return err
	}
	for done := 0; ; done++ {
		a.verb.text = decoded(func(w io.Writer, r migrated) error {
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
		answer, err := a.once()
		if err != nil {
			return err
		}
		r, err := answered[migrated](answer)
		if err != nil || r.Migration == nil || r.Left == 0 || a.given["dry_run"] == true {
			return err
		}
		delete(a.given, "if_commit") // the head is the commit before this one
	}
}

// migrateRollback rolls back the last migration, or those above --to.
func (a *asked) migrateRollback() error {
	to, _ := a.cmd.Flags().GetInt("to")
	numbers, err := a.toRollBack(a.ctx(), a.file, to, a.cmd.Flags().Changed("to"))
	if err != nil {
		return err
	}
	for _, number := range numbers {
		a.given["number"] = number
		if _, err := a.once(); err != nil || a.given["dry_run"] == true {
			return err
		}
		delete(a.given, "if_commit")
	}
	return nil
}

func writeRolledBack(w io.Writer, r migrated) error {
	if r.Migration != nil {
		r.Migration.write(w, "went back")
	}
	return writeSummary(w, r.written)
}

// toRollBack are the numbers of the migrations to roll back, newest first.
func (p *program) toRollBack(ctx context.Context, file string, to int, several bool) (numbers []int, err error) {
	var status migrationStatus
	if err := p.answerOf(ctx, file, "trails.meta.migrate.status", arguments{}, &status); err != nil {
		return nil, err
	}
	last := len(status.Rows)
	switch {
	case last == 0:
		return nil, fault.New(fault.Missing, "no migration is applied, so there is nothing to roll back")
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
