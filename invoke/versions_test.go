package invoke_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/builtin"
	"trails/capability"
	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// program is one process on a file: what it offers besides what is built in.
func program(t *testing.T, path, version string, own ...capability.Descriptor) (*invoke.Engine, *kg.Graph) {
	t.Helper()
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var offer invoke.Offer
	for _, d := range own {
		offer.Capabilities = append(offer.Capabilities, invoke.Capability{Descriptor: d, Handle: func(context.Context, *invoke.Request) (any, error) { return struct{}{}, nil }})
	}
	e := invoke.New(g, invoke.Config{Version: version, Providers: append(builtin.Providers(), invoke.Fixed(offer)), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
		g.Close()
	})
	return e, g
}

// versionOf is the version under which a program lists a capability.
func versionOf(t *testing.T, e *invoke.Engine, id string) string {
	t.Helper()
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tools.Descriptors, func(d capability.Descriptor) bool { return d.ID == id })
	if i < 0 {
		t.Fatalf("%s is not listed", id)
	}
	return capability.Base(tools.Descriptors[i].Version)
}

// recorded waits until the file has so many versions of a capability, and returns them with
// who made them, the oldest first.
func recorded(t *testing.T, g *kg.Graph, id string, n int) (list []string) {
	t.Helper()
	for range 500 {
		list = nil
		err := g.Session(policy.Principal{}).View(t.Context(), func(s *kg.Snapshot) error {
			all, err := s.CapabilityHistory(t.Context(), id)
			for _, v := range slices.Backward(all) {
				list = append(list, fmt.Sprintf("%s by %q, program %s, after commit %d", capability.Base(v.Version), v.Agent, v.Program, v.CommitSeq))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == n {
			return list
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the file has %q of %s, and not %d", list, id, n)
	return nil
}

func newFile(t *testing.T, schema string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "versions.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: []byte(schema), By: invoketest.Ana}); err != nil {
		t.Fatal(err)
	}
	return path
}

func schemaWith(properties string) string {
	return "base: \"urn:v:\"\ntypes: {Note: {label: title, properties: {title: {type: string, required: true}" + properties + "}}}"
}

// A change of the schema raises the versions of what it changes, by the part that it means,
// and every process sees the same.
func TestTheVersionOfATypedToolFollowsTheSchema(t *testing.T) {
	path := newFile(t, schemaWith(""))
	e, g := program(t, path, "one")
	if got := versionOf(t, e, "note.create"); got != "1.0.0" {
		t.Errorf("at first it is %s", got)
	}
	recorded(t, g, "note.create", 1)
	for i, c := range []struct{ properties, want, update string }{
		{", due: {type: date}", "1.1.0", "1.1.0"},
		{", due: {type: date, required: true}", "2.0.0", "2.0.0"},
		{", due: {type: date, description: When.}", "2.1.0", "2.1.0"},
		{"", "1.0.0", "1.0.0"}, // its content has that version
	} {
		args := fmt.Sprintf(`{"schema": %q, "message": "step"}`, schemaWith(c.properties))
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "trails.meta.schema.apply", Args: []byte(args), Principal: invoketest.Ana}); err != nil {
			t.Fatal(err)
		}
		other, _ := program(t, path, "two")
		for _, e := range []*invoke.Engine{e, other} {
			if got, update := versionOf(t, e, "note.create"), versionOf(t, e, "note.update"); got != c.want || update != c.update {
				t.Errorf("step %d: note.create is %s, want %s, and note.update %s, want %s", i, got, c.want, update, c.update)
			}
		}
		if n := min(i+2, 4); n > 0 {
			recorded(t, g, "note.create", n)
		}
	}
	want := []string{
		`1.0.0 by "local:ana via test", program one, after commit 1`, `1.1.0 by "local:ana via test", program `,
		`2.0.0 by "local:ana via test", program `, `2.1.0 by "local:ana via test", program `,
	}
	for i, got := range recorded(t, g, "note.create", 4) {
		if !strings.HasPrefix(got, want[i]) {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
	if got := recorded(t, g, "query", 1)[0]; got != `1.0.0 by "", program one, after commit 1` {
		t.Errorf("what the program has by itself is %s", got)
	}
	if report, err := g.Verify(t.Context(), kg.VerifyOptions{}); err != nil || !report.OK() {
		t.Errorf("%v, error %v", report.Problems, err)
	}
}

func noteFind(arguments ...string) capability.Descriptor {
	d := capability.Descriptor{ID: "note.find", Description: "Find.", CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read}}
	for _, name := range arguments {
		d.InputShape.Fields = append(d.InputShape.Fields, capability.Field{Name: name, Type: capability.String})
	}
	return d
}

// Two programs on one file each keep the version of what they have, whoever came last.
func TestProgramsOfTwoVersionsKeepTheirs(t *testing.T) {
	testrun.Alone(t)
	path := newFile(t, schemaWith(""))
	older, g := program(t, path, "one", noteFind("word"))
	if got := versionOf(t, older, "note.find"); got != "1.0.0" {
		t.Errorf("the first is %s", got)
	}
	recorded(t, g, "note.find", 1)
	newer, _ := program(t, path, "two", noteFind("word", "limit"))
	for range 3 {
		if a, b := versionOf(t, older, "note.find"), versionOf(t, newer, "note.find"); a != "1.0.0" || b != "1.1.0" {
			t.Errorf("the older program has %s, the newer %s", a, b)
		}
		recorded(t, g, "note.find", 2)
		older, _ = program(t, path, "one", noteFind("word"))
		newer, _ = program(t, path, "two", noteFind("word", "limit"))
	}
}

// A version that somebody wrote is refused when it is too low for the change, where the
// provider is registered.
func TestAVersionThatIsTooLowIsRefused(t *testing.T) {
	path := newFile(t, schemaWith(""))
	written := func(version string, arguments ...string) capability.Descriptor {
		d := noteFind(arguments...).Completed()
		d.Version = version
		return d
	}
	register := func(d capability.Descriptor) error {
		e, g := program(t, path, "one")
		err := e.Register(t.Context(), invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{{Descriptor: d, Handle: func(context.Context, *invoke.Request) (any, error) { return nil, nil }}}}))
		if err == nil {
			if got := versionOf(t, e, d.ID); got != d.Version {
				t.Errorf("%s is listed as %s", d.Version, got)
			}
			recorded(t, g, d.ID, 1)
		}
		return err
	}
	if err := register(written("1.0.0", "word", "limit")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ version, want string }{
		{"1.0.0", "capability note.find: its input_shape.limit is gone, and the file knows version 1.0.0 without that; give it version 2.0.0 or a higher one"},
		{"1.3.0", "capability note.find: version 1.3.0 is too low, because the file knows version 1.0.0, since which its input_shape.limit is gone (major); give it version 2.0.0 or a higher one"},
	} {
		if err := register(written(c.version, "word")); !fault.Is(err, fault.InvalidData) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if err := register(written("1.0.0", "word", "limit")); err != nil {
		t.Errorf("the same again: %v", err)
	}
}

// While somebody writes, nobody waits for versions to be stored: they are written later.
func TestVersionsAreRecordedWhenTheFileIsFree(t *testing.T) {
	path := newFile(t, schemaWith(""))
	e, g := program(t, path, "one")
	other, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	w, err := other.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := versionOf(t, e, "note.create"); got != "1.0.0" {
		t.Errorf("got %s", got)
	}
	time.Sleep(100 * time.Millisecond) // the store has tried
	recorded(t, g, "note.create", 0)
	w.Close()
	recorded(t, g, "note.create", 1)
}

// Two thousand capabilities cost little when a file is opened.
func BenchmarkOpenTwoThousand(b *testing.B) {
	var schema strings.Builder
	schema.WriteString("base: \"urn:v:\"\ntypes:\n")
	for i := range 650 {
		fmt.Fprintf(&schema, "  Type%d: {label: title, properties: {title: {type: string, required: true}, due: {type: date}, of: {class: Type0}}}\n", i)
	}
	path := filepath.Join(b.TempDir(), "many.db")
	if err := kg.Create(b.Context(), path, kg.CreateOptions{Schema: []byte(schema.String()), By: invoketest.Ana}); err != nil {
		b.Fatal(err)
	}
	g, err := kg.Open(b.Context(), path, kg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	for n := 0; b.Loop(); n++ {
		e := invoke.New(g, invoke.Config{Version: "test", Providers: builtin.Providers()})
		tools, err := e.Tools(b.Context(), invoketest.Ana)
		if err != nil || len(tools.Descriptors) < 1950 {
			b.Fatalf("%d tools, error %v", len(tools.Descriptors), err)
		}
		b.StopTimer()
		if err := e.Close(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
