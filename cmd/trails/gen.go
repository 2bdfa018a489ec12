package main

import (
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

func (p *program) genCommand() *cobra.Command {
	return &cobra.Command{
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
}

// genFlags say what becomes of the files that are proposed.
func genFlags(cmd *cobra.Command) {
	cmd.Flags().Bool("write", false, "write the files; one that is there with another text is refused")
	cmd.Flags().String("dir", ".", "the `directory` that paths are relative to")
}

// propose prints the diff of a generator, and writes the files if requested.
func (a *asked) propose() error {
	answer, err := a.once()
	if write, _ := a.cmd.Flags().GetBool("write"); err != nil || !write {
		return err
	}
	files, err := answered[proposed](answer)
	if err != nil {
		return err
	}
	dir, _ := a.cmd.Flags().GetString("dir")
	return a.writeProposed(dir, files)
}

func writeDiffs(w io.Writer, d proposed) error {
	for _, f := range d.Files {
		if _, err := io.WriteString(w, f.Diff); err != nil {
			return err
		}
	}
	return nil
}

// writeProposed writes proposed files, each completely or not at all, and none if one exists with another text.
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
			return fault.New(fault.Unusable, "%v", err)
		case string(text) != f.Content:
			return fault.New(fault.Conflict, "%s is there with another text; nothing was written: remove it first, or take the diff by hand", f.Path)
		}
	}
	for _, i := range missing {
		f, path := d.Files[i], filepath.Join(dir, filepath.FromSlash(d.Files[i].Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fault.New(fault.Unusable, "%v", err)
		}
		if err := replaceFile(path, func(w io.Writer) error { _, err := io.WriteString(w, f.Content); return err }); err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "wrote %s\n", line(path))
	}
	return nil
}
