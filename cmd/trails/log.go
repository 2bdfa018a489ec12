package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// logged is a commit as the calls that read history answer it.
type logged struct {
	ID            string `json:"id"`
	Parent        string `json:"parent"`
	Author        string `json:"author"`
	Time          string `json:"time"`
	Message       string `json:"message"`
	SchemaVersion int64  `json:"schema_version"`
	Added         int64  `json:"added"`
	Removed       int64  `json:"removed"`
}

func (p *program) logCommand() *cobra.Command {
	var limit int
	var before string
	cmd := &cobra.Command{
		Use:   "log FILE",
		Short: "List the commits, newest first",
		Long:  "List the commits of the graph, newest first: when, who, how much and why.\n" + fileHelp,
		Example: `  trails log notes.trails
  trails log notes.trails -n 5 -o json`,
		Args: cobra.ArbitraryArgs,
		RunE: p.onFile(func(cmd *cobra.Command, file string) error {
			given := arguments{"limit": limit}
			given.text("before", before)
			c, err := p.call("commits_list", given)
			if err != nil {
				return err
			}
			return p.answer(cmd.Context(), file, c, writeLog)
		}),
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "list at most this `many`")
	cmd.Flags().StringVar(&before, "before", "", "list those before this `commit`")
	return cmd
}

func writeLog(w io.Writer, structured json.RawMessage) error {
	var list struct {
		Commits []logged `json:"commits"`
		Next    string   `json:"next"`
	}
	if err := json.Unmarshal(structured, &list); err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	if err := writeCommits(w, list.Commits); err != nil {
		return err
	}
	if list.Next != "" {
		fmt.Fprintf(w, "older ones: --before %s\n", short(list.Next))
	}
	return nil
}

// short is enough of a commit's id to name it again.
func short(id string) string {
	const digits = 12
	if len(id) < digits {
		return line(id)
	}
	return line(id[:digits])
}

func writeCommits(w io.Writer, commits []logged) error {
	if len(commits) == 0 {
		_, err := fmt.Fprintln(w, "no commits yet")
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "COMMIT\tTIME\tAUTHOR\tCHANGES\tMESSAGE")
	for _, c := range commits {
		stamp := line(c.Time)
		if t, err := time.Parse(time.RFC3339Nano, c.Time); err == nil {
			stamp = t.UTC().Format("2006-01-02 15:04:05Z")
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t+%s -%s\t%s\n", short(c.ID), stamp, line(c.Author), grouped(c.Added), grouped(c.Removed), line(c.Message))
	}
	return tw.Flush()
}
