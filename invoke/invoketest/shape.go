package invoketest

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"trails/auth/policy"
	"trails/capability"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/outline"
)

// Callable lists everything that can be called, including hidden capabilities.
func (e *Engine) Callable(t testing.TB) []capability.Descriptor {
	t.Helper()
	var all []capability.Descriptor
	err := e.Graph().Session(Ana).View(t.Context(), func(s *kg.Snapshot) error {
		for _, p := range e.providers {
			o, err := p.Offer(s)
			if err != nil {
				return err
			}
			for _, c := range o.Capabilities {
				all = append(all, c.Descriptor)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// CheckResult checks a result against the tool's output schema, and against the shape of its answers, which is closed
// and has required members: those of its parts, too, if nothing is cut. What is left of it in the least room that a
// call may give has to be of that shape as well.
func CheckResult(t testing.TB, e *Engine, name string, structured []byte) {
	t.Helper()
	d, found := e.named(t, name)
	if !found {
		return
	}
	checkOutput(t, d, structured)
	shape := project.AnswerSchema(d)
	fits := func(shape, structured []byte) {
		t.Helper()
		if err := projecttest.Fits(shape, structured); err != nil {
			t.Errorf("the result of %s is not of its shape: %v\n%s\n%s", name, err, structured, shape)
		}
	}
	if isCut(structured) {
		fits(shape, structured)
		return
	}
	fits(project.WholeSchema(d), structured)
	least, err := outline.Parse(structured)
	if err != nil {
		t.Fatal(err)
	}
	if least.Fit(capability.LeastChars-invoke.CutRoom) != nil {
		fits(shape, []byte(least.JSON()))
	}
}

// isCut reports whether an answer says that something is missing from it.
func isCut(structured []byte) bool {
	var answer struct{ Cut string }
	_ = json.Unmarshal(structured, &answer) // of an answer with another member of this name: the whole shape
	return answer.Cut != ""
}

// named returns the capability with this id or tool name.
func (e *Engine) named(t testing.TB, name string) (capability.Descriptor, bool) {
	t.Helper()
	all := e.Callable(t)
	i := slices.IndexFunc(all, func(d capability.Descriptor) bool { return d.ID == name || capability.ToolName(d.ID) == name })
	if i < 0 {
		return capability.Descriptor{}, false
	}
	return all[i], true
}

// checkOutput checks an answer against the tool's output schema, and the names of columns against those of the shape.
func checkOutput(t testing.TB, d capability.Descriptor, structured []byte) {
	t.Helper()
	output := project.MCPTool(d, project.Process{}).OutputSchema
	if err := projecttest.FitsOutput(output, structured, false); err != nil {
		t.Errorf("the result of %s is not of its output schema: %v\n%.2000s\n%s", d.ID, err, structured, output)
	}
	var table struct{ Columns []string }
	rows, _ := d.OutputShape.Field("rows")
	if err := json.Unmarshal(structured, &table); err != nil {
		return // its columns are something else
	}
	for i, c := range rows.Cells {
		if i < len(table.Columns) && table.Columns[i] != c.Name {
			t.Errorf("column %d of %s is %q, and its shape says %q", i, d.ID, table.Columns[i], c.Name)
		}
	}
}

// checkRefusal checks an error of a call as MCP returns it in a result: its members against the tool's output schema.
func checkRefusal(t testing.TB, d capability.Descriptor, err error) {
	t.Helper()
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		return // of which callers see nothing
	}
	members := f.Members()
	members["kind"], members["message"] = f.Kind.String(), f.Message
	if len(f.Fields) > 0 {
		members["code"] = -32602
	}
	structured, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	output := project.MCPTool(d, project.Process{}).OutputSchema
	if err := projecttest.FitsOutput(output, structured, true); err != nil {
		t.Errorf("a refusal of %s is not of its output schema: %v\n%s\n%s", d.ID, err, structured, output)
	}
}

// Offering is an engine as doors use it.
type Offering interface {
	Call(ctx context.Context, c invoke.Call) (invoke.Result, error)
	Tools(ctx context.Context, p policy.Principal) (invoke.Tools, error)
}

// CheckedCall makes a call, and checks the answer or refusal of a tool against its output schema. An answer that was cut
// may lack members that its shape requires.
func CheckedCall(ctx context.Context, t testing.TB, e Offering, c invoke.Call) (invoke.Result, error) {
	t.Helper()
	r, err := e.Call(ctx, c)
	tools, unseen := e.Tools(ctx, c.Principal)
	if unseen != nil {
		return r, err
	}
	for _, d := range tools.Descriptors {
		switch {
		case capability.ToolName(d.ID) != capability.ToolName(c.Capability):
		case err != nil:
			checkRefusal(t, d, err)
		case !r.Failed:
			checkOutput(t, d, r.Structured)
		}
	}
	return r, err
}
