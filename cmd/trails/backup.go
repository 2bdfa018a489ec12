package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"trails/kg"
)

func (p *program) backupCommand() *cobra.Command {
	var without bool
	cmd := &cobra.Command{
		Use:   "backup FILE DEST",
		Short: "Copy the graph while it is in use",
		Long: `Write a consistent copy of FILE to DEST, which must not exist, while others go on reading
and writing. The copy is a whole graph: open it, serve it, or put it in FILE's place. Results of
tools that FILE keeps for a while go along, unless --without-artifacts leaves them out.

The copy is checked for a second, as the doctor does. That of a damaged FILE stays, for what can
be saved of it; backup then exits with 1, so that no older backup has to go for it.
` + fileHelp,
		Example: `  trails backup notes.trails notes-monday.trails
  trails backup notes.trails for-others.trails --without-artifacts`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			p.inspect = true
			dest, progress := rest[0], p.newMeter()
			defer progress.close()
			foreign := false
			err := p.withGraph(cmd.Context(), file, func(g *kg.Graph) error {
				foreign = g.Foreign() != nil // which is warned of
				return g.Backup(cmd.Context(), dest, kg.BackupOptions{WithoutArtifacts: without, Progress: progress.counter("backup", "pages")})
			})
			progress.close()
			problem := ""
			if err == nil && !foreign {
				problem, err = p.damage(cmd.Context(), dest)
			}
			if err != nil {
				return err
			}
			info, err := os.Stat(dest)
			if err != nil {
				return fmt.Errorf("look at the copy: %w", err)
			}
			made := struct {
				File  string `json:"file"`
				Bytes int64  `json:"bytes"`
			}{dest, info.Size()}
			err = p.print(made, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "wrote %s, %s\n", dest, bytesOf(info.Size()))
				return err
			})
			if err != nil || problem == "" {
				return err
			}
			return failure{exitFailed, fmt.Sprintf("%s is damaged, as %s is: %s; keep the backups from before; trails verify %s says all", dest, file, problem, file)}
		}, "DEST"),
	}
	cmd.Flags().BoolVar(&without, "without-artifacts", false, "leave out the results of tools that the file keeps; takes the time to write the copy twice")
	return cmd
}

// damage checks a file for a second, as the doctor does, and returns the first problem, "" for none.
func (p *program) damage(ctx context.Context, file string) (problem string, err error) {
	progress := p.newMeter()
	defer progress.close()
	err = p.withGraph(ctx, file, func(g *kg.Graph) error {
		report, err := g.Verify(ctx, kg.VerifyOptions{Sample: time.Second, Progress: progress.hook()})
		if !report.OK() {
			problem = line(report.Problems[0])
		}
		return err
	})
	return problem, err
}
