package main

import (
	"fmt"
	"io"
	"os"

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
` + fileHelp,
		Example: `  trails backup notes.trails notes-monday.trails
  trails backup notes.trails for-others.trails --without-artifacts`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			p.inspect = true
			dest, progress := rest[0], p.newMeter()
			defer progress.close()
			err := p.withGraph(cmd.Context(), file, func(g *kg.Graph) error {
				return g.Backup(cmd.Context(), dest, kg.BackupOptions{WithoutArtifacts: without, Progress: progress.counter("backup", "pages")})
			})
			if err != nil {
				return err
			}
			progress.close()
			info, err := os.Stat(dest)
			if err != nil {
				return fmt.Errorf("look at the copy: %w", err)
			}
			made := struct {
				File  string `json:"file"`
				Bytes int64  `json:"bytes"`
			}{dest, info.Size()}
			return p.print(made, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "wrote %s, %s\n", dest, bytesOf(info.Size()))
				return err
			})
		}, "DEST"),
	}
	cmd.Flags().BoolVar(&without, "without-artifacts", false, "leave out the results of tools that the file keeps; takes the time to write the copy twice")
	return cmd
}
