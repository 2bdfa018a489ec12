package builtin_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// TestCalls runs testdata/calls, one engine a file:
//
//	new [example] [env=E]            an engine, on the example graph or the schema below
//	call NAME [as=WHO] [key=K]       a call with the arguments below; the result or the refusal,
//	     [output [format=F]]         after what it streams
//	read URI [as=WHO] [format=F]     a resource; %20 in the URI of a test is written as it is
//	tools [as=WHO], resources        the lists
//
// Ids of commits are shown as their numbers; ids, digests and times that are others in
// every run as what they are. Every result is held against its capability's shape.
func TestCalls(t *testing.T) {
	testrun.Alone(t)
	datadriven.Walk(t, "testdata/calls", func(t *testing.T, path string) {
		s := &invoketest.Session{TB: t, T: t}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.T = t
			return s.Run(d)
		})
	})
}

// TestEveryBuiltInHasAGoldenResult looks for a call of each in testdata/calls.
func TestEveryBuiltInHasAGoldenResult(t *testing.T) {
	called := map[string]bool{}
	datadriven.Walk(t, "testdata/calls", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "call" && strings.Contains(d.Expected, "{\n") {
				called[d.CmdArgs[0].Key] = true
			}
			return d.Expected
		})
	})
	tools, err := invoketest.New(t, "", invoke.Config{}).Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Descriptors {
		switch d.ID {
		case "tool_view", // only a server's answers are kept, see package gateway/tools
			"trails.meta.grant.end": // no call gives a client access
			continue
		}
		if !called[d.ID] {
			t.Errorf("no result of %s", d.ID)
		}
	}
}
