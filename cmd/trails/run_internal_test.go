package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

func TestEveryKindHasAnExitCode(t *testing.T) {
	for k := fault.Internal; k <= fault.Unusable; k++ {
		if exitCodes[k] == exitDone {
			t.Errorf("%s has no exit code", k)
		}
	}
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		if c.Short == "" || c.Example == "" || (c.Long == "" && c.Name() != "version") {
			t.Errorf("%s: its help lacks a line, a text or an example", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check((&program{}).root())
}

func TestAFailureHasTheMembersOfItsFault(t *testing.T) {
	for _, f := range invoketest.Refusals(t, "../../builtin/testdata/calls") {
		var out, errs bytes.Buffer
		p := &program{stdout: &sink{name: "stdout", Writer: &out}, stderr: &errs, output: "json", log: slog.New(slog.DiscardHandler)}
		p.report(t.Context(), &cobra.Command{Use: "x"}, f)
		invoketest.HasMembers(t, f, out.Bytes(), "kind", "message", "exit_code", "trace_id")
	}
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a bug") }

func TestAPanicIsOneLineWithATrace(t *testing.T) {
	var errs bytes.Buffer
	if code := run([]string{"version"}, strings.NewReader(""), panicking{}, &errs, nil); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if got := errs.String(); !strings.HasPrefix(got, "trails: internal error, trace ") || strings.Count(got, "\n") != 1 || strings.Contains(got, "goroutine") {
		t.Errorf("got %q", got)
	}
}

func TestFieldErrorsComeInTheOrderOfTheInput(t *testing.T) {
	var errs bytes.Buffer
	p := &program{stderr: &errs}
	p.reportFields([]fault.FieldError{
		{Source: "b.ndjson:2", Node: "Note/n1", Field: "id", Message: "width is wrong"},
		{Source: "a.ndjson:10", Message: "ten"},
		{Source: "a.ndjson:9", Field: "stars", Message: "stars must be\nfew"},
		{Field: "title", Message: "title is required"},
	})
	want := "  title is required\n  a.ndjson:9: stars must be few\n  a.ndjson:10: ten\n  b.ndjson:2 Note/n1: id: width is wrong\n"
	if diff := cmp.Diff(want, errs.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTheMeterIsSilentUnlessItHasATerminal(t *testing.T) {
	p := &program{stderr: &bytes.Buffer{}}
	if p.newMeter().hook() != nil || p.newMeter().phases() != nil {
		t.Error("a meter that nobody can see has a hook")
	}
	var screen bytes.Buffer
	m := &meter{w: &screen}
	show := m.hook()
	show(progressOf("read", 10, 100))
	show(progressOf("write", 5, 0))
	m.phases()("verify", 5, 100)
	m.close()
	m.close()
	if got := screen.String(); !strings.Contains(got, "read, quads") || !strings.Contains(got, "write, quads") || !strings.Contains(got, "verify ") {
		t.Errorf("got %q", got)
	}
}

// What a bar shows is what was done and what there is to do: no rate and no time that is left, which
// would be made of the first step.
func TestTheMeterShowsNoFigureThatNobodyMeasured(t *testing.T) {
	rate := regexp.MustCompile(`/ ?(s|sec|min|m|hr|h)\b|[0-9][smh]:|[GTP]i?B|it/`)
	for _, unit := range []string{"bytes", "quads", "rows", "records"} {
		for _, total := range []int64{0, 1, 100, 68 << 30} {
			for _, steps := range [][]int64{{0}, {total}, {0, total}, {total / 2, total}, {1, total / 3, total, total}, {total, total + 5}} {
				var screen bytes.Buffer
				m := &meter{w: &screen}
				for _, done := range steps {
					m.hook()(invoke.Progress{Phase: "read", Done: done, Total: total, Unit: unit})
				}
				m.close()
				text := screen.String()
				if found := rate.FindString(text); found != "" {
					t.Errorf("%d %s in the steps %v shows %q: %q", total, unit, steps, found, text)
				}
				want := "read, " + unit
				if unit == "bytes" {
					want = "read, MiB"
				}
				begins := steps[0] < total
				if unit == "bytes" {
					begins = mebibytes(steps[0]) < mebibytes(total)
				}
				if (total == 0 || begins) && !strings.Contains(text, want) { // else it ends as it begins
					t.Errorf("%d %s in the steps %v shows %q, without %q", total, unit, steps, text, want)
				}
			}
		}
	}
}

func progressOf(phase string, done, total int64) invoke.Progress {
	return invoke.Progress{Phase: phase, Done: done, Total: total, Unit: "quads"}
}

// Whatever command fails, with -o json its stdout is one object that says what is wrong,
// with the exit code.
func TestEveryCommandFailsAsJSON(t *testing.T) {
	var paths [][]string
	var walk func(*cobra.Command, []string)
	walk = func(cmd *cobra.Command, path []string) {
		if !cmd.HasSubCommands() {
			paths = append(paths, path)
		}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub, slices.Concat(path, []string{sub.Name()}))
			}
		}
	}
	walk((&program{}).root(), nil)
	if len(paths) < 20 {
		t.Fatalf("only %d commands", len(paths))
	}
	fails := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		code := run(args, strings.NewReader(""), &stdout, &stderr, nil)
		var got struct {
			Kind, Message string
			ExitCode      int `json:"exit_code"`
		}
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || got.Kind == "" || got.Message == "" || code == exitDone || got.ExitCode != code {
			t.Errorf("%q: exit %d, %v: %s", args, code, err, &stdout)
		}
		if !strings.Contains(stderr.String(), "trails: ") {
			t.Errorf("%q: nothing for people: %s", args, &stderr)
		}
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for _, path := range paths {
		fails(slices.Concat(path, []string{"--no-such-flag", "-o", "json"})...)
		fails(slices.Concat([]string{"-o=json"}, path, []string{"a", "b", "c", "d", "--no-such-flag"})...)
		switch path[0] {
		case "version", "completion", "demo", "serve", "mcp", "init":
			continue // they do not read a file, or stay
		}
		fails(slices.Concat([]string{"--output-format", "json"}, path, []string{missing, missing})...)
	}
	fails("no-such-command", "-o", "json")
	fails("schema", "-ojson")
}

// Every command that help shows has a page, whose help is no macro of the formatter.
func TestEveryCommandHasAManualPage(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	var errs bytes.Buffer
	if code := run([]string{"man", dir}, strings.NewReader(""), &errs, &errs, nil); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	pages := 0
	var check func(*cobra.Command)
	check = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		pages++
		text, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
		}
		for _, want := range []string{".SH NAME\n", ".SH SYNOPSIS\n", ".SH EXAMPLES\n"} {
			if !bytes.Contains(text, []byte(want)) {
				t.Errorf("the page of %s lacks %q", c.CommandPath(), want)
			}
		}
		for line := range strings.Lines(string(text)) {
			macro, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(line, ".") && !slices.Contains([]string{".TH", ".SH", ".nf", ".fi"}, macro) || strings.HasPrefix(line, "'") {
				t.Errorf("the page of %s has help that reads as a macro: %s", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check((&program{}).root())
	if all, err := os.ReadDir(dir); err != nil || len(all) != pages {
		t.Errorf("%d pages of %d commands: %v", len(all), pages, err)
	}
}
