package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trails/kg"
)

// verified is what verify says with -o json.
type verified struct {
	OK       bool     `json:"ok"`
	Head     *string  `json:"head"`
	Commits  int64    `json:"commits"`
	Quads    int64    `json:"quads"`
	Terms    int64    `json:"terms"`
	Problems []string `json:"problems"`
}

func (p *program) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Prove that the file says what was written to it",
		Long: `Check the whole of FILE in one state, and say what is wrong on a line each; then it
exits with 1. These are covered:

  - pages, tables and indexes, and that each index has the rows of its table;
  - the changes of every commit, which give the commit's id again, and what the
    commit says beside them;
  - every statement that is current or was: it is what the commits' changes come to;
  - terms, provenance, the results that are remembered for idempotency keys, versions of
    capabilities, results of tools with their owners, and the file's base and name, by
    digests in their rows.

No accident goes unnoticed, and no edit with another program, in anything that can be
read. Somebody who computes every digest anew is not found out so: then the id of the
head, which is printed, is another than the one that was noted elsewhere.

Not covered: SQLite's statistics, and when the steps that made the tables ran, which
answers do not depend on; whether records of reads and refusals, results of tools, the
newest idempotency keys or the newest versions of capabilities were deleted.
` + fileHelp,
		Example: `  trails verify notes.trails
  trails verify notes.trails -o json`,
		RunE: p.onFile(p.verify),
	}
}

func (p *program) verify(cmd *cobra.Command, file string, _ []string) error {
	p.inspect = true
	var report kg.VerifyReport
	var foreign bool
	progress := p.newMeter()
	defer progress.close()
	err := p.withGraph(cmd.Context(), file, func(g *kg.Graph) (err error) {
		foreign = g.Foreign() != nil
		report, err = g.Verify(cmd.Context(), kg.VerifyOptions{Progress: progress.hook()})
		return err
	})
	if err != nil {
		return err
	}
	progress.close()
	v := verified{
		OK: report.OK(), Head: idOf(report.Head), Commits: report.Commits, Quads: report.Quads, Terms: report.Terms,
		Problems: append([]string{}, report.Problems...),
	}
	err = p.print(v, func(w io.Writer) error {
		for _, problem := range v.Problems {
			fmt.Fprintln(w, line(problem))
		}
		if !v.OK {
			return nil
		}
		_, err := fmt.Fprintf(w, "%s is sound: %s, %s and %s\n", file, count(v.Commits, "commit"), count(v.Quads, "quad"), count(v.Terms, "term"))
		if err == nil && v.Head != nil {
			_, err = fmt.Fprintf(w, "the head is %s\n", *v.Head)
		}
		return err
	})
	if err != nil || v.OK {
		return err
	}
	if foreign {
		return failure{exitFailed, fmt.Sprintf("%s has %s; the warning says the way out of what does not belong into it", file, count(int64(len(v.Problems)), "problem"))}
	}
	return failure{exitFailed, fmt.Sprintf("%s is damaged: %s; restore it from a backup", file, count(int64(len(v.Problems)), "problem"))}
}
