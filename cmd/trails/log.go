package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"trails/builtin/view"
)

func writeLog(w io.Writer, list view.CommitList) error {
	if len(list.Commits) == 0 {
		_, err := fmt.Fprintln(w, "no commits yet")
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "COMMIT\tTIME\tAUTHOR\tCHANGES\tMESSAGE")
	for _, c := range list.Commits {
		stamp := line(c.Time)
		if t, err := time.Parse(time.RFC3339Nano, c.Time); err == nil {
			stamp = t.UTC().Format("2006-01-02 15:04:05Z")
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t+%s -%s\t%s\n", line(c.ID), stamp, line(c.Author), grouped(c.Added), grouped(c.Removed), line(c.Message))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if list.Next != nil {
		fmt.Fprintf(w, "older ones: --before %s\n", line(*list.Next))
	}
	return nil
}
