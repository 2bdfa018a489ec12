package invoke_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

func TestArgumentsAreBoundedBeforeTheyAreJudged(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	var keys, members strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&keys, `,"k%d":1`, i)
		fmt.Fprintf(&members, `,"v%d"`, i)
	}
	for name, args := range map[string]string{
		"keys":    `{"x":1` + keys.String() + `}`,
		"members": `{"params":{"x":["v"` + members.String() + `]}}`,
	} {
		for _, capability := range []string{"query", "decision.create"} {
			f := e.Refused(t, invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: "test"}, fault.TooLarge)
			if !strings.Contains(f.Message, "10000 members") || !strings.Contains(f.Message, "load") || f.Details["limit"] != 10_000 {
				t.Errorf("%s of %s: %s names no limit or no way out", name, capability, f.Message)
			}
		}
	}
	f := e.Refused(t, invoke.Call{Capability: "mutate", Args: json.RawMessage(`{"update":"CLEAR ALL","message":"` + strings.Repeat("é", 10_001) + `"}`), Principal: invoketest.Ana, Via: "test"}, fault.InvalidArguments)
	if len(f.Fields) != 1 || f.Fields[0].Field != "message" || f.Fields[0].Code != fault.MaxLength {
		t.Errorf("a long message: %v", f)
	}
}
