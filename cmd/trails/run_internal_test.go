package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"trails/invoke"
	"trails/kg/fault"
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
	if p.newMeter().hook() != nil {
		t.Error("a meter that nobody can see has a hook")
	}
	var screen bytes.Buffer
	m := &meter{w: &screen}
	show := m.hook()
	show(progressOf("read", 10, 100))
	show(progressOf("write", 5, 0))
	m.close()
	m.close()
	if got := screen.String(); !strings.Contains(got, "read") || !strings.Contains(got, "write") {
		t.Errorf("got %q", got)
	}
}

func progressOf(phase string, done, total int64) invoke.Progress {
	return invoke.Progress{Phase: phase, Done: done, Total: total, Unit: "quads"}
}
