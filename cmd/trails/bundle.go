package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/bundle"
)

func bundleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bundle",
		Short: "Take commits from one file to another",
		Long: `A bundle is a range of commits as one file, with their ids, authors, times and messages. Another
file with the same history takes them as they are: afterwards both have the same commits. pull and
push do that between two files that are both here.
`,
		Example: `  trails bundle create notes.trails --since head~10 --output ten.bundle
  trails bundle verify ten.bundle
  trails bundle apply copy.trails ten.bundle`,
		RunE: chooseCommand,
	}
}

// arrived is the answer of taking a bundle.
type arrived struct {
	Outcome, Branch, Head string
	Commits               int
	Added, Removed        int64
	DryRun                bool `json:"dry_run"`
}

// write says what came to a file, and how it is merged if it stands beside the branch into.
func (r arrived) write(w io.Writer, file, into string) error {
	if r.Outcome == "up_to_date" {
		_, err := fmt.Fprintf(w, "already up to date: %s has commit %s\n", line(r.Branch), r.Head)
		return err
	}
	came := "came to"
	if r.DryRun {
		came = "would come to"
	}
	_, err := fmt.Fprintf(w, "%s %s %s: +%s -%s statements, now at %s\n", count(int64(r.Commits), "commit"), came, line(r.Branch), grouped(r.Added), grouped(r.Removed), r.Head)
	if err == nil && r.Outcome == "beside" {
		target := ""
		if into != kg.Main {
			target = " --into " + into
		}
		_, err = fmt.Fprintf(w, "%s has commits of its own; merge these with: trails branch merge %s %s%s\n", line(into), file, line(r.Branch), target)
	}
	return err
}

// bundleCreate writes a bundle to stdout or to a file.
func (a *asked) bundleCreate() error {
	output, _ := a.cmd.Flags().GetString("output")
	force, _ := a.cmd.Flags().GetBool("force")
	if len(a.words) > 0 {
		from, to, isRange := strings.Cut(a.words[0], "..")
		if !isRange {
			from, to = "", a.words[0]
		}
		for name, value := range map[string]string{"since": from, "to": to} {
			if value != "" && a.given[name] != nil {
				return usageError{"RANGE and a flag both say where it begins or ends; give one of them"}
			}
			if value != "" {
				a.given[name] = value
			}
		}
	}
	a.given["compressed"] = strings.HasSuffix(output, ".gz")
	c := a.keyed()
	if output == "" {
		c.Output = a.stdout
		_, err := a.makeCall(a.ctx(), a.file, c)
		return err
	}
	if _, err := os.Stat(output); err == nil && !force {
		return fault.New(fault.Conflict, "%s exists; --force replaces it", output)
	}
	var res invoke.Result
	err := replaceFile(output, func(w io.Writer) (err error) {
		c.Output = w
		res, err = a.makeCall(a.ctx(), a.file, c)
		return err
	})
	if err != nil {
		return err
	}
	done, err := answered[struct{ Commits int }](res.Structured)
	if err != nil {
		return err
	}
	return a.print(res.Structured, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "wrote %s: %s\n", output, count(int64(done.Commits), "commit"))
		return err
	})
}

// bundleApply takes the commits of a bundle.
func (a *asked) bundleApply() error {
	inputs, closeAll, err := a.openInputs(a.ctx(), a.words)
	if err != nil {
		return err
	}
	defer closeAll()
	c := a.keyed()
	c.Inputs = inputs
	a.verb.text = decoded(func(w io.Writer, r arrived) error {
		into, _ := a.given["into"].(string)
		return r.write(w, a.file, cmp.Or(into, "the branch"))
	})
	_, err = a.make(c)
	return err
}

func (p *program) bundleVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify BUNDLE [FILE]",
		Short: "Check a bundle, and whether a file can take it",
		Long: `Read BUNDLE, or stdin for -, and check its digest, the ids of all commits and their order. With FILE
it is also tried there, as bundle apply does, and nothing is changed.`,
		Example: `  trails bundle verify ten.bundle
  trails bundle verify ten.bundle copy.trails`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, closeAll, err := p.openInputs(cmd.Context(), args[:1])
			if err != nil {
				return err
			}
			defer closeAll()
			if len(args) == 1 {
				return p.checkBundle(inputs[0].Reader)
			}
			c := p.call("trails.meta.bundle.apply", arguments{"dry_run": true})
			c.Inputs = inputs
			return p.take(cmd.Context(), args[1], c, kg.Main)
		},
	}
}

// checkBundle reads all of a bundle.
func (p *program) checkBundle(in io.Reader) error {
	b, err := bundle.NewReader(in)
	if err != nil {
		return err
	}
	var changes int64
	for {
		c, err := b.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		changes += c.Added + c.Removed
	}
	needs := []string{}
	for _, id := range b.Header.Needs {
		needs = append(needs, id[:12])
	}
	found := struct {
		Branch  string   `json:"branch"`
		Head    string   `json:"head"`
		Commits int      `json:"commits"`
		Changes int64    `json:"changes"`
		Needs   []string `json:"needs"`
	}{b.Header.Branch, b.Header.Head[:12], b.Header.Commits, changes, needs}
	return p.print(found, func(w io.Writer) error {
		behind := "from the first commit on"
		if len(needs) > 0 {
			behind = "behind " + strings.Join(needs, ", ")
		}
		_, err := fmt.Fprintf(w, "good: %s of %s %s, up to %s, with %s\n", count(int64(found.Commits), "commit"), line(found.Branch), behind, found.Head, count(changes, "change"))
		return err
	})
}

// take makes a call that takes a bundle into a branch of a file, and says what came.
func (p *program) take(ctx context.Context, file string, c invoke.Call, into string) error {
	res, err := p.makeCall(ctx, file, c)
	if err != nil {
		return err
	}
	r, err := answered[arrived](res.Structured)
	if err != nil {
		return err
	}
	return p.print(res.Structured, func(w io.Writer) error { return r.write(w, file, into) })
}

// longName is how much of a file's name the name of a branch begins with.
const longName = 24

func (p *program) pullCommand() *cobra.Command {
	var branch string
	var dryRun, mass bool
	cmd := &cobra.Command{
		Use:   "pull FILE OTHER",
		Short: "Take the commits of another file",
		Long: `Take the commits of a branch of OTHER, main unless --branch names one, that FILE does not have. Both
files have a common history: one was copied from the other, or they have exchanged commits before.
A FILE without commits takes all.

If FILE has no commits of its own on that branch since then, the branch moves on. Else the commits
come to a branch beside it, OTHER's name before the slash, and how to merge them is said. All of it
happens or nothing. Definitions come along, since they are part of the history.
` + fileHelp,
		Example: `  trails pull notes.trails laptop.trails
  trails pull notes.trails laptop.trails --branch review`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			name := kg.NameOf(rest[0])
			beside := name[:min(len(name), longName)] + "/" + branch
			return p.bring(cmd.Context(), rest[0], file, branch, arguments{"beside": beside, "dry_run": dryRun, "allow_mass_change": mass})
		}, "OTHER"),
	}
	cmd.Flags().StringVar(&branch, "branch", kg.Main, "the `branch` of OTHER, and of FILE")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check everything and change nothing")
	cmd.Flags().BoolVar(&mass, "allow-mass-change", false, "remove more than 1,000 statements without being asked")
	return cmd
}

func (p *program) pushCommand() *cobra.Command {
	var branch string
	var dryRun, mass bool
	cmd := &cobra.Command{
		Use:   "push FILE OTHER",
		Short: "Give another file the commits of this one",
		Long: `Give OTHER the commits of a branch of FILE, main unless --branch names one, that it does not have. It
is pull as seen from the other file, and refused if OTHER has commits of its own on that branch.
` + fileHelp,
		Example: `  trails push laptop.trails notes.trails
  trails push laptop.trails notes.trails --branch review`,
		RunE: p.onFile(func(cmd *cobra.Command, file string, rest []string) error {
			err := p.bring(cmd.Context(), file, rest[0], branch, arguments{"dry_run": dryRun, "allow_mass_change": mass})
			if fault.Is(err, fault.Precondition) && fault.Of(err).Details["branch"] != nil {
				return fault.New(fault.Precondition, "%s of %s has commits that %s does not have, so nothing was pushed; take these there instead, and merge them: trails pull %[2]s %[3]s", branch, rest[0], file).With("branch", branch)
			}
			return err
		}, "OTHER"),
	}
	cmd.Flags().StringVar(&branch, "branch", kg.Main, "the `branch` of FILE, and of OTHER")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check everything and change nothing")
	cmd.Flags().BoolVar(&mass, "allow-mass-change", false, "remove more than 1,000 statements without being asked")
	return cmd
}

// bring takes the commits of a branch from one file to another.
func (p *program) bring(ctx context.Context, from, to, branch string, how arguments) (err error) {
	if a, err := os.Stat(from); err == nil {
		if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
			return usageError{"both are the same file"}
		}
	}
	var have []string
	err = p.withGraph(ctx, to, func(g *kg.Graph) error {
		return g.Session(me()).View(ctx, func(s *kg.Snapshot) (err error) {
			have, err = s.Landmarks(ctx)
			return err
		})
	})
	if err != nil {
		return err
	}
	create := p.call("trails.meta.bundle.create", arguments{"have": have, "to": branch})
	return p.between(ctx, from, create, func(in invoke.Input, _ invoke.Result) error {
		how["into"] = branch
		apply := p.call("trails.meta.bundle.apply", how)
		apply.Inputs = []invoke.Input{in}
		return p.take(ctx, to, apply, branch)
	})
}

// between makes a call that writes to a file of its own, and gives what it wrote to another one. It waits in a temporary
// file, so that no graph is kept open for another one.
func (p *program) between(ctx context.Context, file string, c invoke.Call, then func(invoke.Input, invoke.Result) error) (err error) {
	between, err := os.CreateTemp("", "trails-between-*")
	if err != nil {
		return fault.New(fault.Unusable, "a temporary file cannot be made").Because(err)
	}
	defer func() { err = errors.Join(err, between.Close(), os.Remove(between.Name())) }()
	c.Output = &sink{name: between.Name(), Writer: between}
	res, err := p.makeCall(ctx, file, c)
	if err != nil {
		return err
	}
	if _, err := between.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return then(invoke.Input{Name: file, Reader: between}, res)
}
