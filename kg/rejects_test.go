package kg_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
)

const workers = `
types:
  Worker:
    iri: preserve
    properties:
      name: {type: string, required: true}
      age: integer
      email: {type: string, unique: true}
      boss: {class: Worker}
`

// loadGood loads what is good of data and returns the file of the rest.
func loadGood(t testing.TB, g *kg.Graph, name, text string) (rejects string, done kg.Loaded, err error) {
	t.Helper()
	o := load.Options{Type: "Worker", Rejects: true, Inputs: []load.Input{{Name: name, Reader: strings.NewReader(text)}}}
	r, err := g.Session(ana).ReadLoad(t.Context(), kg.Load{Options: o})
	if err != nil {
		return "", done, err
	}
	defer r.Close()
	if done, err = r.Commit(t.Context(), kg.ChangeSet{}); err != nil {
		return "", done, err
	}
	var out bytes.Buffer
	err = r.WriteRejects(t.Context(), &out)
	return out.String(), done, err
}

// TestBadRowsAreLeftOutAndCanBeMended draws tables and records with bad rows of every kind,
// rows that refer to those among them, loads the good ones, mends the file of the others and
// loads that: what is there then is what the data without mistakes makes.
func TestBadRowsAreLeftOutAndCanBeMended(t *testing.T) {
	testrun.Alone(t)
	format := "csv"
	property := func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(12)
		right, wrong := make([][]string, n), make([][]string, n)
		bad := make([]bool, n)
		for i := range n {
			boss := ""
			if i > 0 && r.IntN(2) == 0 {
				boss = fmt.Sprintf("w%d", r.IntN(i))
			}
			right[i] = []string{fmt.Sprintf("w%d", i), []string{"Ana", "B \"b\"", "two\nlines", "c, d"}[r.IntN(4)], fmt.Sprint(20 + i), fmt.Sprintf("%d@example.org", i), boss}
			wrong[i] = slices.Clone(right[i])
			switch r.IntN(10) {
			case 0:
				wrong[i][2], bad[i] = "old", true
			case 1:
				wrong[i][1], bad[i] = "", true
			case 2:
				wrong[i][4], bad[i] = "nobody", true
			case 3:
				if i > 0 && !bad[i-1] { // which of the two is right is not known
					wrong[i][3], bad[i], bad[i-1] = right[i-1][3], true, true
				}
			}
		}
		var want []string  // ids of the rows that are left out
		for i := range n { // those of the rows before are known
			out := bad[i]
			for j := range i {
				out = out || wrong[i][4] == right[j][0] && slices.Contains(want, right[j][0])
			}
			if out {
				want = append(want, right[i][0])
			}
		}
		write := func(rows [][]string) string {
			var b bytes.Buffer
			names := []string{"id", "name", "age", "email", "boss"}
			if format == "csv" {
				w := csv.NewWriter(&b)
				_ = w.WriteAll(append([][]string{names}, rows...)) // to memory
				return b.String()
			}
			for i, row := range rows {
				b.WriteString(map[bool]string{true: "[", false: ","}[i == 0])
				for at, cell := range row {
					b.WriteString(map[bool]string{true: "{", false: ","}[at == 0])
					value := fmt.Sprintf("%q", cell)
					if at == 2 && cell != "old" {
						value = cell
					}
					if cell == "" {
						value = "null"
					}
					fmt.Fprintf(&b, "%q: %s", names[at], value)
				}
				b.WriteString("}")
			}
			return b.String() + "]"
		}
		whole, parts := newGraph(t, workers), newGraph(t, workers)
		if _, err := whole.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Type: "Worker", Inputs: []load.Input{{Name: "in." + format, Reader: strings.NewReader(write(right))}}}}); err != nil {
			t.Fatal(err)
		}
		rejects, done, err := loadGood(t, parts, "in."+format, write(wrong))
		for _, id := range want {
			if err == nil && !strings.Contains(rejects, id) {
				t.Errorf("%s is not among the rejects\n%s", id, rejects)
			}
		}
		if len(want) == n {
			if !fault.Is(err, fault.InvalidData) {
				t.Fatalf("of no good row: %v", err)
			}
			return
		}
		if err != nil || int(done.Records) != n-len(want) || int(done.LeftOut.Count) != len(want) || (len(want) == 0) != (rejects == "") {
			t.Fatalf("%d of %d, want without %v: %v\n%s", done.Records, n, want, err, rejects)
		}
		if rejects == "" {
			return
		}
		var mended string
		if format == "csv" {
			rows, err := csv.NewReader(strings.NewReader(rejects)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			var again [][]string
			for _, row := range rows[1:] {
				at := slices.IndexFunc(right, func(r []string) bool { return r[0] == row[0] })
				if row[5] == "" || !slices.Equal(row[:5], wrong[at]) {
					t.Fatalf("the row is %q and was %q", row, wrong[at])
				}
				again = append(again, append(slices.Clone(right[at]), row[5]))
			}
			var b bytes.Buffer
			_ = csv.NewWriter(&b).WriteAll(append([][]string{rows[0]}, again...)) // to memory
			mended = b.String()
		} else {
			for line := range strings.Lines(rejects) {
				at := slices.IndexFunc(right, func(r []string) bool { return strings.Contains(line, fmt.Sprintf(`"id":%q`, r[0])) })
				object := strings.Trim(write(right[at:at+1]), "[]")
				_, because, _ := strings.Cut(line, `"_rejected"`)
				mended += strings.TrimSuffix(object, "}") + `,"_rejected"` + because
			}
		}
		name := map[string]string{"csv": "rejects.csv", "json": "rejects.ndjson"}[format]
		if rejects, _, err := loadGood(t, parts, name, mended); err != nil || rejects != "" {
			t.Fatalf("what was mended is refused: %v\n%s", err, rejects)
		}
		if diff := cmp.Diff(export(t, whole, load.NQuads), export(t, parts, load.NQuads)); diff != "" {
			t.Fatal(diff)
		}
	}
	for _, format = range []string{"csv", "json"} {
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("%s of seed %d", format, seed), func(t *testing.T) { property(t, seed) })
		}
	}
}

// TestRowsThatCannotBeReadAreRejectsToo has rows that are none: the text is kept.
func TestRowsThatCannotBeReadAreRejectsToo(t *testing.T) {
	for name, c := range map[string]struct {
		in, text, want string
		good           int64
	}{
		"a quote within a cell":      {"in.csv", "id,name\na,Ana\nb,5\" disk\nc,Cy\n", "id,name,_rejected\n\"b,5\"\" disk\",,", 2},
		"cells that are missing":     {"in.csv", "id,name,age\na,Ana,1\nb,Bo\nc,Cy,2\n", "id,name,age,_rejected\nb,Bo,,\"the row has 2 cells", 2},
		"cells too many":             {"in.csv", "id;name\na;Ana\nb;Bo;x;y\n", "id,name,_rejected\nb,Bo,\"the row has 4 cells and the header 2; a cell that holds a separator is quoted; behind the last column: x, y\"", 1},
		"a line that is no JSON":     {"in.ndjson", "{\"id\":\"a\",\"name\":\"A\"}\n{\"id\":\n", `{"line":"{\"id\":","_rejected":"the JSON object does not end on its line"}`, 1},
		"objects on one line":        {"in.json", `[{"id":"a","name":"A"},{"id":"b"},{"id":"c","name":"C"}]`, `{"id":"b","_rejected":"name is required"}` + "\n", 2},
		"rejected again":             {"in.ndjson", `{"id":"b","_rejected":"it had no name"}` + "\n" + `{"id":"c","name":"C"}`, `{"_rejected":"name is required","id":"b"}` + "\n", 1},
		"a line that is too long":    {"in.ndjson", `{"id":"a","name":"A"}` + "\n" + `{"id":"b","name":"` + strings.Repeat("é", 9<<20) + `"}` + "\n" + `{"id":"c","name":"C"}`, `{"line":"{\"id\":\"b\",\"name\":\"ééé`, 2},
		"an object that is too long": {"in.json", `[{"id":"a","name":"A"},{"id":"b","name":"` + strings.Repeat("é", 9<<20) + `"},{"id":"c","name":"C"}]`, `{"line":"{\"id\":\"b\",\"name\":\"ééé`, 2},
		"nothing between commas":     {"in.json", `[{"id":"a","name":"A"},,{"id":"c","name":"C"}]`, `{"line":"","_rejected":"there is nothing before a comma`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			rejects, done, err := loadGood(t, newGraph(t, workers), c.in, c.text)
			if err != nil || !strings.HasPrefix(rejects, c.want) || done.LeftOut.Count != 1 || done.Records != c.good {
				t.Errorf("got %q of %d beside %d, %v, want %q beside %d", rejects, done.LeftOut.Count, done.Records, err, c.want, c.good)
			}
		})
	}
}

// TestRejectsAreForRowsThatAreAdded refuses what leaving out rows would do harm in.
func TestRejectsAreForRowsThatAreAdded(t *testing.T) {
	for name, c := range map[string]struct {
		o     load.Options
		names []string
		want  string
	}{
		"overwrite":       {load.Options{Mode: load.Overwrite, Type: "Worker"}, []string{"in.csv"}, "would remove the nodes of rows that are left out"},
		"statements":      {load.Options{}, []string{"in.ttl"}, "rejects is for tables and records, and lenient for statements"},
		"tables and JSON": {load.Options{Type: "Worker"}, []string{"in.csv", "in.ndjson"}, "load tables and JSON apart"},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Rejects = true
			for _, in := range c.names {
				c.o.Inputs = append(c.o.Inputs, load.Input{Name: in, Reader: strings.NewReader(map[string]string{"in.csv": "id,name\na,A\n", "in.ndjson": `{"id":"b","name":"B"}`, "in.ttl": "<a:b> <a:c> <a:d> ."}[in])})
			}
			_, err := newGraph(t, workers).Session(ana).Load(t.Context(), kg.Load{Options: c.o})
			if !fault.Is(err, fault.InvalidArguments) || !strings.Contains(fmt.Sprint(fault.Of(err).Fields), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
