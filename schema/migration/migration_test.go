package migration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/schema"
	"trails/schema/migration"
)

// What is wrong with a text is said with its place.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"a name without a number", "two_names.yaml", "", "a migration is called NNNN_name.yaml"},
		{"a name with capitals", "0001_Two.yaml", "", "a migration is called NNNN_name.yaml"},
		{"the number 0", "0000_a.yaml", "", "numbered from 0001"},
		{"text that is no YAML", "0001_a.yaml", "steps: [", "0001_a.yaml: the migration is not YAML"},
		{"text that is no UTF-8", "0001_a.yaml", "steps: \xff", "not valid UTF-8"},
		{"text that is too long", "0001_a.yaml", strings.Repeat("#\n", 1<<19+1), "at most 1048576 are allowed"},
		{"a list", "0001_a.yaml", "- drop_type: A", "line 1, column 1: the migration must be a mapping"},
		{"two documents", "0001_a.yaml", "steps: []\n---\nsteps: []\n", "more than one YAML document"},
		{"an alias", "0001_a.yaml", "description: &a x\nsteps: []\n", "anchors and aliases are not allowed"},
		{"an unknown key", "0001_a.yaml", "step: []\n", `; did you mean "steps"?`},
		{"steps that are no list", "0001_a.yaml", "steps: {drop_type: A}\n", "steps are a list"},
		{"a step of two words", "0001_a.yaml", "steps:\n- {drop_type: A, add_type: B}\n", "a step is one word"},
		{"an update without a way back", "0001_a.yaml", "steps:\n- update: {forward: 'DELETE {} WHERE {}'}\n", "the way back is missing"},
		{"an update without a way there", "0001_a.yaml", "steps:\n- update: {reverse: history}\n", "say what the update does"},
		{"a split without its type", "0001_a.yaml", "steps:\n- split_property: {name: {into: [a, b], at: x}}\n", "a property is named with its type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := migration.Parse(c.file, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A text of comments alone is a migration without steps.
func TestParseOfComments(t *testing.T) {
	m, err := migration.Parse(`C:\work\0012_a-b_c.yaml`, "# Nothing yet.\n")
	if err != nil || m.Number != 12 || m.Name != "a-b_c" || len(m.Steps) > 0 || m.File() != "0012_a-b_c.yaml" {
		t.Errorf("got %+v, %v", m, err)
	}
}

// Records come back from the statements that hold them.
// A migration says its steps, or that there are none; what says neither is a template still.
func TestWhatNobodyHasFilledInIsRefused(t *testing.T) {
	template, err := migration.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []*migration.Migration
	var want []string
	for i, c := range []struct {
		text   string
		filled bool
	}{
		{template, false},
		{strings.Replace(template, "# description: what for", "description: what for", 1), false},
		{"steps:\n", false},
		{"steps: null\n", false},
		{"description: later\n", false},
		{"steps: []\n", true},
		{"description: a marker\nsteps: []\n", true},
		{"steps:\n- add_property: {Note.due: date}\n", true},
		{strings.Replace(template, "# - drop_property", "- drop_property", 1), true},
	} {
		m, err := migration.Parse(fmt.Sprintf("%04d_a.yaml", i+1), c.text)
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		if all = append(all, m); !c.filled {
			want = append(want, m.File())
		}
	}
	refused := fault.Of(migration.Filled(all))
	if refused.Count != len(want) || len(refused.Fields) != 1 || !slices.Equal(refused.Fields[0].Places, want[:3]) {
		t.Errorf("refuses %+v, want %v", refused.Fields, want)
	}
	if err := migration.Filled(all[5:]); err != nil {
		t.Errorf("refuses what is filled in: %v", err)
	}
}

// A file that is gone, was renamed or has another text than it had is told with the way back to
// what was applied.
func TestAFileThatIsNotAsItWasAppliedIsNamed(t *testing.T) {
	parse := func(file, text string) *migration.Migration {
		m, err := migration.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const first, second, third = "steps:\n- drop_type: A\n", "steps:\n- drop_type: B\n", "steps:\n- drop_type: C\n"
	var applied []migration.Record
	for i, text := range []string{first, second} {
		m := parse(migration.FileName(i+1, "a"), text)
		applied = append(applied, migration.Record{Number: i + 1, Name: "a", Text: text, Checksum: m.Checksum(), Actor: "ana"})
	}
	a, b, c := parse("0001_a.yaml", first), parse("0002_a.yaml", second), parse("0003_a.yaml", third)
	for _, given := range []struct {
		name    string
		all     []*migration.Migration
		gone    []string
		refused string // "" for none
		pending int
	}{
		{"all of them", []*migration.Migration{c, b, a}, nil, "", 1},
		{"none", nil, []string{"0001_a.yaml", "0002_a.yaml"}, "", 0},
		{"the last is gone", []*migration.Migration{a}, []string{"0002_a.yaml"}, "", 0},
		{"the first is gone", []*migration.Migration{b, c}, []string{"0001_a.yaml"}, "", 1},
		{"only what is new", []*migration.Migration{c}, []string{"0001_a.yaml", "0002_a.yaml"}, "", 1},
		{"renamed", []*migration.Migration{parse("0001_b.yaml", first), b}, nil, "0001_b.yaml: it was applied as 0001_a.yaml; give it that name again", 0},
		{"numbered anew", []*migration.Migration{a, parse("0003_a.yaml", second)}, []string{"0002_a.yaml"}, "0003_a.yaml: its text is that of 0002_a.yaml, which is applied and not among those given; give it that name again, or give both", 0},
		{"the same once more", []*migration.Migration{a, b, parse("0003_a.yaml", second)}, nil, "", 1},
		{"another text", []*migration.Migration{parse("0001_a.yaml", third), b}, nil, "; put the old text back, which definitions_get has, and write what is new as migration 3", 0},
		{"line ends of Windows", []*migration.Migration{parse("0001_a.yaml", strings.ReplaceAll(first, "\n", "\r\n")), b}, nil, ", by the ends of its lines or a byte order mark alone; put the old text back", 0},
		{"a byte order mark", []*migration.Migration{parse("0001_a.yaml", "\ufeff"+first), b}, nil, ", by the ends of its lines or a byte order mark alone; put the old text back", 0},
	} {
		var gone []string
		for _, r := range migration.Gone(applied, given.all) {
			gone = append(gone, r.File())
		}
		pending, err := migration.Pending(applied, given.all)
		if refused := err != nil && given.refused != "" && strings.Contains(err.Error(), given.refused); refused != (given.refused != "") || err != nil != refused || len(pending) != given.pending || !slices.Equal(gone, given.gone) {
			t.Errorf("%s: %d pending, %v gone, %v", given.name, len(pending), gone, err)
		}
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	at := time.Date(2026, 11, 22, 1, 2, 3, 4_000_000, time.UTC)
	want := []migration.Record{
		{Number: 2, Name: "b", Text: "steps: []\n", Checksum: "c0", Actor: "ana", Time: at},
		{Number: 10, Name: "k", Text: "# \"quoted\"\n", Checksum: "c1", Actor: "bo", Time: at.Add(time.Hour)},
	}
	quads := append(want[1].Quads(), want[0].Quads()...)
	if diff := cmp.Diff(want, migration.FromQuads(quads)); diff != "" {
		t.Error(diff)
	}
	for _, q := range quads {
		if kind, _ := schema.RecordOf(q); kind != schema.MigrationRecord {
			t.Errorf("%v is no record", q)
		}
	}
}

// Moves gather the steps of a patch that stand behind one another, and say why there is no
// way back.
func TestMoves(t *testing.T) {
	s, err := schema.ParseYAML([]byte("types: {Task: {properties: {title: string, size: integer, note: string}}}"), "http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	m, err := migration.Parse("0001_a.yaml", `steps:
- rename_property: {Task.title: name}
- alter_property: {Task.name: {max_length: 20}}
- convert_property: {Task.size: decimal}
- update: {forward: 'DELETE { ?t :size 0 } WHERE { ?t :size 0 }', reverse: 'DELETE {} WHERE {}'}
- drop_property: Task.note
`)
	if err != nil {
		t.Fatal(err)
	}
	moves, err := m.Moves(s)
	if err != nil {
		t.Fatal(err)
	}
	var steps [][2]int
	for _, move := range moves {
		steps = append(steps, [2]int{move.First, move.Last})
	}
	if diff := cmp.Diff([][2]int{{1, 2}, {3, 3}, {4, 4}, {5, 5}}, steps); diff != "" {
		t.Error(diff)
	}
	if why := migration.ByHistory(moves[:3]); why != "" {
		t.Errorf("the first three go back by history: %s", why)
	}
	if why := migration.ByHistory(moves); why != "drop property Task.note" {
		t.Errorf("all of them go back by history: %q", why)
	}
	back, err := migration.Back(moves[:3])
	if err != nil {
		t.Fatal(err)
	}
	if end := back[len(back)-1].After.Schema; string(end.YAML()) != string(s.YAML()) {
		t.Errorf("back it is\n%s", end.YAML())
	}
}

// What is wrong with the records of a graph is named with the migration.
func TestCheckOfRecords(t *testing.T) {
	record := func(number int, text string) migration.Record {
		m, err := migration.Parse(migration.FileName(number, "a"), text)
		if err != nil {
			t.Fatal(err)
		}
		return migration.Record{Number: number, Name: "a", Text: text, Checksum: m.Checksum(), Time: time.Unix(1_700_000_000, 0)}
	}
	one, two := record(1, "steps: []"), record(2, "description: two")
	changed, broken, timeless := one, one, one
	changed.Text, broken.Text, timeless.Time = "steps: [ ]", "strps: []", time.Time{}
	for _, c := range []struct {
		applied []migration.Record
		want    string
	}{
		{nil, ""},
		{[]migration.Record{one, two}, ""},
		{[]migration.Record{two}, "number 1 is missing before 0002_a.yaml"},
		{[]migration.Record{changed, two}, "0001_a.yaml: its text has the SHA-256 "},
		{[]migration.Record{broken}, `there is no "strps" here`},
		{[]migration.Record{timeless}, "it is not recorded when it was applied"},
	} {
		got := strings.Join(migration.Check(c.applied), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
