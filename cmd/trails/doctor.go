package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"trails/capability"
	"trails/invoke"
	"trails/kg"
)

// diagnosis is what the doctor says.
type diagnosis struct {
	OK     bool
	Checks []struct {
		Name, Result, Detail string
		Findings             []struct{ Capability, Field, Rule, Says, Mend string }
	}
}

// diagnose runs the doctor, after --fix if given, and fails if something is wrong.
func (a *asked) diagnose() error {
	a.inspect = true
	fix, _ := a.cmd.Flags().GetBool("fix")
	dryRun, _ := a.cmd.Flags().GetBool("dry-run")
	if dryRun && !fix {
		return usageError{"--dry-run is for --fix"}
	}
	if fix {
		if err := a.mend(a.ctx(), a.file, dryRun); err != nil {
			return err
		}
	}
	answer, err := a.once()
	if err != nil {
		return err
	}
	d, err := answered[diagnosis](answer)
	if err != nil {
		return err
	}
	code := exitDone
	for _, c := range d.Checks { // checks of the file are shown separately from those of its surroundings
		switch {
		case c.Result == "failed" && (c.Name == "file" || c.Name == "head" || c.Name == "schema"):
			return failure{exitInvalid, a.file + " is not well"}
		case c.Result != "ok":
			code = exitFailed
		}
	}
	if code == exitDone {
		return nil
	}
	return failure{code, a.file + " is not well"}
}

// writeDiagnosis writes a line for each check, and below it the findings about capabilities.
func writeDiagnosis(w io.Writer, d diagnosis) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range d.Checks {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", line(c.Result), line(c.Name), line(c.Detail)) // the first findings, too
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, c := range d.Checks {
		for _, f := range c.Findings {
			fmt.Fprintln(w, line(strings.Join(strings.Fields(strings.Join([]string{c.Name, f.Rule, f.Capability, f.Field}, " ")), " ")+": "+f.Says))
			fmt.Fprintln(w, "  "+line(f.Mend))
		}
	}
	return nil
}

// mend repairs FILE, and reports on stderr what it did.
func (p *program) mend(ctx context.Context, file string, dryRun bool) error {
	say := func(done []string) {
		verb := "mended"
		if dryRun {
			verb = "would mend"
		}
		for _, one := range done {
			fmt.Fprintf(p.stderr, "trails: %s: %s\n", verb, line(one))
		}
	}
	done, err := kg.TakeOut(ctx, file, dryRun)
	if say(done); err != nil {
		return err
	}
	return p.withEngine(ctx, file, nil, func(e *invoke.Engine) error {
		tools, err := e.Tools(ctx, me())
		if err != nil {
			return err
		}
		var all []capability.Descriptor
		all = append(append(all, tools.Descriptors...), tools.Helpers...)
		done, err := e.Graph().Mend(ctx, all, dryRun)
		say(done)
		return err
	})
}
