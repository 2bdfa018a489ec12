package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"trails/builtin/view"
)

// log lists commits, or with --denied and --refused what was refused.
func (a *asked) log() error {
	flags := a.cmd.Flags()
	given := func(name string) string { return flags.Lookup(name).Value.String() }
	all := given("refused") == "true"
	if !all && given("denied") != "true" {
		if flags.Changed("actor") {
			return usageError{"--actor goes with --denied or --refused"}
		}
		_, err := a.once()
		return err
	}
	for _, name := range []string{"branch", "at"} {
		if a.given[name] != nil {
			return usageError{"refused calls are of the whole file; leave --" + name + " out"}
		}
	}
	args := arguments{"all": all}
	for _, name := range []string{"limit", "before"} {
		if value, is := a.given[name]; is {
			args[name] = value
		}
	}
	if actor := given("actor"); actor != "" {
		args["actor"] = actor
	}
	res, err := a.makeCall(a.ctx(), a.file, a.call("refusals_list", args))
	if err != nil {
		return err
	}
	return a.print(res.Structured, func(w io.Writer) error { return decoded(writeRefusals)(w, res.Unwarned()) })
}

// refusals is the answer of refusals_list.
type refusals struct {
	Rows [][]any
	Next string
}

func writeRefusals(w io.Writer, list refusals) error {
	if len(list.Rows) == 0 {
		_, err := fmt.Fprintln(w, "none")
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "TIME\tACTOR\tCAPABILITY\tERROR\tWHY\tTRACE")
	for _, row := range list.Rows {
		text := func(i int) string { return line(fmt.Sprint(row[i])) }
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", seconds(text(0)), text(1), text(2), text(4), text(5), text(8))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if list.Next != "" {
		fmt.Fprintf(w, "older ones: --before %s\n", line(list.Next))
	}
	return nil
}

// seconds is a time without fractions of a second.
func seconds(text string) string {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UTC().Format("2006-01-02 15:04:05Z")
	}
	return text
}

func writeLog(w io.Writer, list view.CommitList) error {
	if len(list.Commits) == 0 {
		_, err := fmt.Fprintln(w, "no commits")
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "COMMIT\tTIME\tAUTHOR\tDOOR\tORIGIN\tCHANGES\tWHAT\tMESSAGE")
	for _, c := range list.Commits {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t+%s -%s\t%s\t%s\n", line(c.ID), seconds(line(c.Time)), line(c.Author), line(c.Door), line(c.Origin), grouped(c.Added), grouped(c.Removed), line(c.What), line(c.Message))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if list.Next != nil {
		fmt.Fprintf(w, "older ones: --before %s\n", line(*list.Next))
	}
	return nil
}
