package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/kg"
)

func (p *program) compactCommand() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "compact FILE",
		Short: "Make the file as small as its content, while it is in use",
		Long: `Rewrite FILE without the room that nothing uses, such as what gc left. A copy is made beside it,
rewritten and checked for two seconds, and its content put into FILE in one transaction: servers that
have FILE open go on, and what they write meanwhile is not lost. If they write while it is copied, it
is copied again while they wait to write. That needs room for three times the content on the disk.
` + fileHelp,
		Example: `  trails gc notes.trails --grace 0d --yes && trails compact notes.trails
  trails compact notes.trails --dry-run`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, _ []string) error { return p.compact(cmd, file, dry) }),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say how small FILE would be, and leave it as it is")
	return cmd
}

func (p *program) compact(cmd *cobra.Command, file string, dry bool) error {
	progress := p.newMeter()
	defer progress.close()
	done, err := kg.Compact(cmd.Context(), file, kg.CompactOptions{DryRun: dry, By: me(), Progress: progress.phases()})
	if err != nil {
		return err
	}
	progress.close()
	small := done.After >= done.Before
	result := struct {
		File    string `json:"file"`
		Before  int64  `json:"before"`
		After   int64  `json:"after"`
		Changed bool   `json:"changed"`
		Waits   bool   `json:"waits"`
		DryRun  bool   `json:"dry_run"`
	}{file, done.Before, done.After, !dry && !small, done.Waits, dry}
	return p.print(result, func(w io.Writer) error {
		switch {
		case small:
			_, err = fmt.Fprintf(w, "%s has no room that nothing uses, and was left as it is: %s\n", file, bytesOf(done.Before))
		case dry:
			_, err = fmt.Fprintf(w, "%s would have %s in the place of %s\n", file, bytesOf(done.After), bytesOf(done.Before))
		default:
			_, err = fmt.Fprintf(w, "%s has %s in the place of %s\n", file, bytesOf(done.After), bytesOf(done.Before))
		}
		if err == nil && done.Waits {
			_, err = fmt.Fprintln(w, "others still read the old state; the file becomes small when they have ended")
		}
		return err
	})
}
