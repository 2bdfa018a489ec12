package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"trails/fault"
)

// proposed is a FileDiff.
type proposed struct {
	Files []struct{ Path, Diff, Content string }
}

// genFlags say what becomes of the files that are proposed.
type genFlags struct {
	write bool
	dir   string
}

func (f *genFlags) on(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.write, "write", false, "write the files; one that is there with another text is refused")
	cmd.Flags().StringVar(&f.dir, "dir", ".", "the `directory` that paths are relative to")
}

func (p *program) genCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gen",
		Short: "Propose files: a type, a shape, a Go capability, a migration",
		Long: `Propose files that follow from the schema of a graph. Nothing is changed in the graph. What is
printed is a diff, which git apply takes, and with -o json what the tools trails_meta_gen_* of MCP
answer; --write writes the files.`,
		Example: `  trails gen type notes.trails Task "title: string" "due: date" --write
  trails schema plan notes.trails --patch schema/add_task.yaml
  trails gen shape notes.trails Note > note.diff`,
		RunE: chooseCommand,
	}
	cmd.AddCommand(p.genShapeCommand(), p.genTypeCommand(), p.genCapabilityCommand(), p.genMigrationCommand())
	return cmd
}

func (p *program) genShapeCommand() *cobra.Command {
	var f genFlags
	cmd := &cobra.Command{
		Use:   "shape FILE TYPE",
		Short: "A type of the schema as SHACL, in Turtle",
		Long: `Propose shapes/TYPE.ttl: the type as SHACL, with the types that it extends, by which any SHACL
processor checks data.
` + fileHelp,
		Example: `  trails gen shape notes.trails Note --write`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			return p.propose(cmd.Context(), file, "shape", f, arguments{"type": rest[0]})
		}, "TYPE"),
	}
	f.on(cmd)
	return cmd
}

func (p *program) genTypeCommand() *cobra.Command {
	var f genFlags
	var label, description string
	cmd := &cobra.Command{
		Use:   "type FILE TYPE [PROPERTY ...]",
		Short: "A schema patch that adds a type",
		Long: `Propose schema/add_TYPE.yaml: a patch for schema plan and schema apply that adds the type. A
PROPERTY is a name, a colon, and what the schema's YAML says of a property: "due: date", or
"owner: {class: Person, required: true}".
` + fileHelp,
		Example: `  trails gen type notes.trails Task "title: {type: string, required: true}" "due: date" --write
  trails schema apply notes.trails --patch schema/add_task.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, rest, err := p.fileThenSome(cmd, args)
			if err == nil && len(rest) == 0 {
				err = missing(cmd, args, []string{"FILE", "TYPE"})
			}
			if err != nil {
				return err
			}
			return p.propose(cmd.Context(), file, "type", f, arguments{"type": rest[0], "properties": rest[1:]}, arguments{"label": label, "description": description})
		},
	}
	cmd.Flags().StringVar(&label, "label", "", "the `property` that people read; by itself one called label, name or title")
	cmd.Flags().StringVar(&description, "description", "", "what the type is")
	f.on(cmd)
	return cmd
}

func (p *program) genCapabilityCommand() *cobra.Command {
	var f genFlags
	var properties []string
	var description string
	var writes bool
	cmd := &cobra.Command{
		Use:   "capability FILE ID TYPE",
		Short: "A Go capability about a type, and its test",
		Long: `Propose a Go file with the capability ID, such as task.find, its test, and the schema of the
test. It lists the nodes of TYPE by some of their properties, or with --writes creates one, and is
where your own begins: docs/extending.md says how a program offers it.
` + fileHelp,
		Example: `  trails gen capability notes.trails note.find Note --property title --write
  trails gen capability notes.trails note.add Note --writes -o json`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			given := arguments{"id": rest[0], "type": rest[1]}
			if len(properties) > 0 {
				given["properties"] = properties
			}
			return p.propose(cmd.Context(), file, "capability", f, given, arguments{"description": description, "writes": writes})
		}, "ID", "TYPE"),
	}
	cmd.Flags().StringArrayVar(&properties, "property", nil, "a `property` of the type that it takes; may be repeated")
	cmd.Flags().StringVar(&description, "description", "", "what it does")
	cmd.Flags().BoolVar(&writes, "writes", false, "create a node, in the place of listing")
	f.on(cmd)
	return cmd
}

func (p *program) genMigrationCommand() *cobra.Command {
	var f genFlags
	var number int
	cmd := &cobra.Command{
		Use:   "migration FILE NAME SCHEMA",
		Short: "The next migration, from the schema to another one",
		Long: `Propose migrations/NNNN_NAME.yaml: a migration from the graph's schema to the one in SCHEMA
(YAML, - for stdin). trails migrate new does the same in a folder where migrations wait, and
counts those.
` + fileHelp,
		Example: `  trails gen migration notes.trails add_due schema.yaml --write
  trails migrate plan notes.trails`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			text, err := p.readText(cmd.Context(), rest[1])
			if err != nil {
				return err
			}
			given := arguments{"name": rest[0], "schema": string(text)}
			if cmd.Flags().Changed("number") {
				given["number"] = number
			}
			return named(p.propose(cmd.Context(), file, "migration", f, given), rest[1])
		}, "NAME", "SCHEMA"),
	}
	cmd.Flags().IntVar(&number, "number", 0, "its `number`, where migrations wait to be applied")
	f.on(cmd)
	return cmd
}

// propose asks a generator, prints the diff, and writes the files if that was asked for.
func (p *program) propose(ctx context.Context, file, op string, f genFlags, given arguments, optional ...arguments) error {
	res, err := callAndPrint(ctx, p, file, p.call("trails.meta.gen."+op, given, optional...), func(w io.Writer, d proposed) error {
		for _, f := range d.Files {
			if _, err := io.WriteString(w, f.Diff); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !f.write {
		return err
	}
	return p.writeProposed(f.dir, res)
}

// writeProposed writes files that are proposed, each whole or not at all, and none when one
// of them is there with another text.
func (p *program) writeProposed(dir string, d proposed) error {
	var missing []int
	for i, f := range d.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return fmt.Errorf("the path %s leads out of its directory", f.Path)
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, i)
		case err != nil:
			return fault.New(fault.Unusable, "%w", err)
		case string(text) != f.Content:
			return fault.New(fault.Conflict, "%s is there with another text; nothing was written: remove it first, or take the diff by hand", f.Path)
		}
	}
	for _, i := range missing {
		f, path := d.Files[i], filepath.Join(dir, filepath.FromSlash(d.Files[i].Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fault.New(fault.Unusable, "%w", err)
		}
		if err := replaceFile(path, func(w io.Writer) error { _, err := io.WriteString(w, f.Content); return err }); err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "wrote %s\n", line(path))
	}
	return nil
}
