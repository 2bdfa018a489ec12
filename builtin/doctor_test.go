package builtin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/builtin"
	"trails/capability"
	"trails/capability/project"
	"trails/example"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/migration"
	"trails/policy"
)

type diagnosis struct {
	OK     bool
	Checks []struct{ Name, Result, Detail string }
}

// diagnose asks the doctor of a new graph, to whose file something was done.
func diagnose(t *testing.T, c invoke.Config, args string, harm func(path string)) diagnosis {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.trails")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: example.Schema}); err != nil {
		t.Fatal(err)
	}
	e := invoketest.Open(t, path, c)
	e.Must(t, "standard.create", `{"name":"trails","title":"A title","url":"https://trails.example"}`)
	if harm != nil {
		harm(path)
	}
	text, err := json.Marshal(e.Must(t, "trails.meta.doctor.run", args))
	if err != nil {
		t.Fatal(err)
	}
	var d diagnosis
	if err := json.Unmarshal(text, &d); err != nil {
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
	for _, args := range []string{"{}", `{"deep":true}`} {
		d := diagnose(t, invoke.Config{}, args, nil)
		for _, c := range d.Checks {
			if c.Result != "ok" && c.Name != "disk" || c.Detail == "" {
				t.Errorf("%+v", c)
			}
		}
		if !d.OK || len(d.Checks) != 11 {
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
	for i, name := range []string{"tools/list", "/capabilities", "/openapi.json", "/.well-known/wot"} {
		views := project.Views(project.Process{})
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

// What the doctor looks at can be found wrong, and then it says what to do.
func TestTheDoctorsChecksCanFail(t *testing.T) {
	sql := func(text string) func(string) {
		return func(path string) {
			c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := sqlitex.ExecuteScript(c, text, nil); err != nil {
				t.Fatal(err)
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
		fails := slices.ContainsFunc(d.Checks, func(one struct{ Name, Result, Detail string }) bool { return one.Result == "failed" })
		if result, detail := d.found(t, c.check); result != c.result || !strings.Contains(detail, c.says) || d.OK == fails {
			t.Errorf("%s is %s: %s; want %s: %s", c.check, result, detail, c.result, c.says)
		}
	}
}
