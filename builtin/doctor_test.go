package builtin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/auth/policy"
	"trails/builtin"
	"trails/capability"
	"trails/capability/project"
	"trails/e2e/testrun"
	"trails/example"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/schema/migration"
)

type diagnosis struct {
	OK     bool
	Checks []checked
}

type checked struct {
	Name, Result, Detail string
	Findings             []project.Finding
}

// diagnose asks the doctor of a new graph, to whose file something was done.
func diagnose(t *testing.T, c invoke.Config, args string, harm func(path string)) diagnosis {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.trails")
	invoketest.Create(t, path, kg.CreateOptions{Schema: example.Schema})
	e := invoketest.Open(t, path, c)
	e.Must(t, "standard.create", `{"name":"trails","title":"A title","url":"https://trails.example"}`)
	if harm != nil {
		harm(path)
	}
	var d diagnosis
	if err := json.Unmarshal(jsonOf(e.Must(t, "trails.meta.doctor.run", args)), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// found is what a check says.
func (d diagnosis) found(t *testing.T, name string) (result, detail string) {
	t.Helper()
	for _, c := range d.Checks {
		if c.Name == name {
			return c.Result, c.Detail
		}
	}
	t.Fatalf("there is no check %s in %v", name, d)
	return "", ""
}

func TestTheDoctorFindsASoundGraphWell(t *testing.T) {
	testrun.Alone(t)
	for _, args := range []string{"{}", `{"deep":true}`} {
		d := diagnose(t, invoke.Config{}, args, nil)
		for _, c := range d.Checks {
			if c.Result != "ok" && c.Name != "disk" || c.Detail == "" {
				t.Errorf("%+v", c)
			}
		}
		if !d.OK || len(d.Checks) != 17 {
			t.Errorf("%+v", d)
		}
		if _, detail := d.found(t, "file"); !strings.HasPrefix(detail, "all of it is sound") {
			t.Errorf("the file: %s", detail)
		}
	}
}

// A projector that says something else than the descriptor is named, with capability,
// view and field.
func TestTheDoctorFindsASabotagedProjector(t *testing.T) {
	testrun.Alone(t)
	for i, name := range []string{"tools/list", "/capabilities", "/openapi.json", "/.well-known/wot"} {
		views := project.Encodings(project.Process{})
		encode := views[i].Encode
		views[i].Encode = func(d capability.Descriptor) ([]byte, error) {
			text, err := encode(d)
			if d.ID == "decision.update" {
				text = bytes.Replace(text, []byte("Change"), []byte("Admire"), 1)
			}
			return text, err
		}
		d := diagnose(t, invoke.Config{Providers: builtin.ProvidersWithViews(views)}, "{}", nil)
		result, detail := d.found(t, "capabilities")
		if d.OK || result != "failed" || !strings.Contains(detail, "capability decision.update, field description: "+name+" shows") {
			t.Errorf("%s: %s %s", name, result, detail)
		}
	}
}

// A saved document with an edit is told, with capability and field, by the same call.
func TestTheDoctorTellsAnEditOfASavedDocument(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	l := project.Listing{Version: tools.Version, Descriptors: tools.Descriptors, Process: tools.Process, Base: "https://trails.example"}
	text, err := l.OpenAPI(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{string(text), ""},
		{strings.Replace(string(text), "Create a Decision.", "Make a Decision.", 1), "decision.create description edited"},
	} {
		args, err := json.Marshal(map[string]any{"served": c.text})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal(e.Must(t, "trails.meta.doctor.run", string(args)))
		if err != nil {
			t.Fatal(err)
		}
		var d diagnosis
		if err := json.Unmarshal(answer, &d); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, check := range d.Checks {
			for _, f := range check.Findings {
				got = append(got, f.Capability+" "+f.Field+" "+f.Rule)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// What a strict client refuses is named with its capability, and so is what costs too much.
func TestTheDoctorFindsToolsThatStrictClientsRefuse(t *testing.T) {
	testrun.Alone(t)
	long := invoke.Define(capability.Descriptor{ID: "find.it", Description: strings.Repeat("word ", 3000)},
		func(context.Context, *invoke.Request, struct{}) (struct{}, error) { return struct{}{}, nil })
	d := diagnose(t, invoke.Config{Providers: append(builtin.Providers(), invoke.Fixed(invoke.Offer{Capabilities: []invoke.Capability{long}}))}, "{}", nil)
	rules := map[string]bool{}
	for _, check := range d.Checks {
		for _, f := range check.Findings {
			rules[check.Name+" "+f.Rule+" "+f.Capability] = true
		}
	}
	for _, want := range []string{"clients description find.it", "clients tool-cost find.it", "clients surface-cost "} {
		if !rules[want] {
			t.Errorf("no finding %q in %v", want, rules)
		}
	}
}

// The doctor reports each server by itself, and leaves a server that the file requires a required one.
func TestTheDoctorLeavesARequiredServerRequired(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{Providers: builtin.Providers()})
	e.Must(t, "trails.meta.gateway.add", `{"definition": {"name": "down", "http": "http://127.0.0.1:1/mcp", "required": true}}`)
	e.Must(t, "trails.meta.doctor.run", "{}")
	if list := invoketest.Indented(t, jsonOf(e.Must(t, "gateway_list", "{}"))); !strings.Contains(list, `"required": true`) {
		t.Errorf("after a doctor the servers are\n%s", list)
	}
}

// What the doctor looks at can be found wrong, and then it says what to do.
func TestTheDoctorsChecksCanFail(t *testing.T) {
	testrun.Alone(t)
	sql := func(text string) func(string) {
		return func(path string) {
			c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			// The descriptors are written soon after the first call, and not with it.
			for deadline := time.Now().Add(10 * time.Second); text != ""; time.Sleep(5 * time.Millisecond) {
				if err := sqlitex.ExecuteScript(c, text, nil); err != nil {
					t.Fatal(err)
				}
				if c.Changes() > 0 {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s changes nothing", text)
				}
			}
		}
	}
	migrated := func(text string) func(string) {
		return func(path string) {
			g, err := kg.Open(t.Context(), path, kg.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			m, err := migration.Parse("0001_kept.yaml", "description: Kept for ever.\nsteps: []\n")
			if err == nil {
				_, _, err = g.Session(policy.Local("ana", "")).ApplyMigration(t.Context(), kg.MigrationChange{Given: []*migration.Migration{m}})
			}
			if err != nil {
				t.Fatal(err)
			}
			sql(text)(path)
		}
	}
	for _, c := range []struct {
		check, result, says string
		harm                func(path string)
	}{
		{"file", "failed", "restore the file from a backup", sql("UPDATE prov SET agent = 'somebody else' WHERE commit_seq <> 0")},
		{"versions", "failed", "capability search, field version", sql("UPDATE descriptors SET descriptor = replace(descriptor, 'words', 'texts') WHERE capability = 'search'")},
		{"file", "failed", "restore the file from a backup", sql("DELETE FROM live WHERE s = (SELECT max(s) FROM live)")},
		{"schema", "ok", ", 1 migrations", migrated("")},
		{"schema", "warning", "0001_kept.yaml: its text has the SHA-256 ", migrated("UPDATE terms SET value = replace(value, 'for ever', 'for now') WHERE value LIKE 'description: Kept%'")},
		{"schema", "warning", "0001_kept.yaml line 2", migrated("UPDATE terms SET value = replace(value, 'steps:', 'strps:') WHERE value LIKE 'description: Kept%'")},
		{"permissions", "warning", "chmod o-w", func(path string) {
			if err := os.Chmod(path, 0o666); err != nil {
				t.Fatal(err)
			}
		}},
		{"permissions", "warning", "its directory", func(path string) {
			if err := os.Chmod(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
		}},
		{"links", "failed", "trails backup", func(path string) {
			if err := os.Link(path, path+".link"); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(path + ".link") }) // a file with two names is not written
		}},
		{"activities", "warning", "delete them", func(path string) {
			if err := os.Mkdir(path+"-activities", 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(path+"-activities", "x.refused"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		d := diagnose(t, invoke.Config{}, `{"deep":true}`, c.harm)
		fails := slices.ContainsFunc(d.Checks, func(one checked) bool { return one.Result == "failed" })
		if result, detail := d.found(t, c.check); result != c.result || !strings.Contains(detail, c.says) || d.OK == fails {
			t.Errorf("%s is %s: %s; want %s: %s", c.check, result, detail, c.result, c.says)
		}
	}
}

// Where no endpoint was ever named there are no vectors, so that nothing is to be dropped.
func TestTextsWithoutAnEndpointOfEmbeddingsAreFoundByWords(t *testing.T) {
	e := invoketest.New(t, "types:\n  Note: {properties: {body: {type: string, embed: true}}}\n", invoke.Config{})
	var d diagnosis
	if err := json.Unmarshal(jsonOf(e.Must(t, "trails.meta.doctor.run", "{}")), &d); err != nil {
		t.Fatal(err)
	}
	if result, detail := d.found(t, "vectors"); result != "warning" || !strings.Contains(detail, "found by words alone; trails gateway settings names one") {
		t.Errorf("%s: %s", result, detail)
	}
}
