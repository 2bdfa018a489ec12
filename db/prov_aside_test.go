package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/e2e/testrun"
)

// call is an activity that made no commit.
func call(id, outcome string) db.Activity {
	return db.Activity{ID: id, Capability: "get", Agent: "ana", Started: epoch, Ended: epoch.Add(time.Second),
		Inputs: []byte{1, 2}, Outcome: outcome, Used: []string{"urn:a", "urn:b"}}
}

// asides are the names of the files that wait beside f.
func asides(t *testing.T, f *db.File) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(f.Path()+"-activities", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// activityIDs are those in the file, newest first.
func activityIDs(t *testing.T, f *db.File) []string {
	t.Helper()
	list, err := read(t, f).Activities(t.Context(), db.ActivityFilter{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	return ids
}

func TestWhatIsSetAsideIsTakenInOnce(t *testing.T) {
	f := create(t)
	if err := f.SetAside(t.Context(), []db.Activity{call("1", "ok"), call("2", "denied")}); err != nil {
		t.Fatal(err)
	}
	names := asides(t, f)
	if len(names) != 1 {
		t.Fatalf("%d files", len(names))
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", info.Mode(), err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Record(t.Context(), []db.Activity{call("3", "ok")}); err != nil {
		t.Fatal(err)
	}
	// A process that is killed between its commit and the removal leaves the file.
	if err := os.Mkdir(filepath.Dir(names[0]), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Record(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(activityIDs(t, f), " "); got != "3 2 1" {
		t.Errorf("recorded are %s", got)
	}
	if _, err := os.Lstat(f.Path() + "-activities"); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
	list, err := read(t, f).Activities(t.Context(), db.ActivityFilter{Outcome: "denied"}, 1)
	if err != nil || len(list) != 1 || list[0].Ended != epoch.Add(time.Second) || len(list[0].Used) != 2 || string(list[0].Inputs) != "\x01\x02" {
		t.Errorf("it came back as %+v, error %v", list, err)
	}
}

// What lies beside the file may be damaged, or be no file of ours: nothing of it comes
// into the provenance, it is kept for whoever wants to look, and it hinders nobody.
func TestWhatIsNotWhatWasSetAsideIsRefused(t *testing.T) {
	f, other := create(t), create(t)
	const name = "20260101T000000.000000-X.ndjson"
	aside := func(f *db.File, a db.Activity) string {
		if err := f.SetAside(t.Context(), []db.Activity{a}); err != nil {
			t.Fatal(err)
		}
		names := asides(t, f)
		text, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(names[0])); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	sound := aside(f, call("1", "ok"))
	ofCommit := call("1", "ok")
	ofCommit.CommitSeq = 1
	for what, text := range map[string]string{
		"one byte flipped":    strings.Replace(sound, "urn:a", "urn:c", 1),
		"cut short":           sound[:len(sound)-10],
		"one line more":       sound + sound[strings.Index(sound, "\n")+1:],
		"of another graph":    strings.Replace(sound, `"base":"urn:test:"`, `"base":"urn:other:"`, 1),
		"no head":             sound[strings.Index(sound, "\n")+1:],
		"nothing":             "",
		"says it wrote":       aside(other, ofCommit),
		"an unknown outcome":  aside(other, call("1", "splendid")),
		"without an id":       aside(other, call("", "ok")),
		"a text without end":  aside(other, call(strings.Repeat("x", 70_000), "ok")),
		"a file that is huge": sound + strings.Repeat(" ", 17<<20),
	} {
		dir := f.Path() + "-activities"
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Record(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		waiting, refused, err := f.Aside()
		if waiting != 0 || refused != 1 || err != nil {
			t.Errorf("%s: %d wait, %d refused, error %v", what, waiting, refused, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if got := activityIDs(t, f); len(got) != 0 {
		t.Errorf("recorded are %s", got)
	}
}

func TestALinkIsNotTakenIn(t *testing.T) {
	f := create(t)
	if err := f.SetAside(t.Context(), []db.Activity{call("1", "ok")}); err != nil {
		t.Fatal(err)
	}
	name := asides(t, f)[0]
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(name, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, name); err != nil {
		t.Fatal(err)
	}
	if err := f.Record(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := activityIDs(t, f); len(got) != 0 {
		t.Errorf("recorded are %s", got)
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Error(err)
	}
}

func TestWhatIsSetAsideIsBounded(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	big := call("1", "ok")
	big.Used = []string{strings.Repeat("x", 17<<20)}
	if err := f.SetAside(t.Context(), []db.Activity{big}); err == nil {
		t.Error("17 MB were set aside")
	}
	for n := 0; ; n++ {
		if n > 1000 {
			t.Fatal("there is no end")
		}
		if err := f.SetAside(t.Context(), []db.Activity{call("1", "ok")}); err != nil {
			if n < 1000 || !strings.Contains(err.Error(), "is full") {
				t.Errorf("after %d: %v", n, err)
			}
			break
		}
	}
	for range 10 {
		if err := f.Record(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if names := asides(t, f); len(names) != 0 {
		t.Errorf("%d files are left", len(names))
	}
}
