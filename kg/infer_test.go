package kg_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trails/kg"
	"trails/kg/load"
	"trails/schema/infer"
)

// inferred proposes a schema for data, a file's name and text each, and the options that
// load it.
func inferred(t *testing.T, o load.Options, name, text string) (string, load.Options) {
	t.Helper()
	var proposal infer.Proposal
	o.Inputs = []load.Input{{Name: name, Reader: strings.NewReader(text)}}
	err := load.Records(t.Context(), o, func(r infer.Record) error {
		if r.Cells {
			o.Type = r.Type
		}
		return proposal.Add(r)
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	o.Map = map[string]string{}
	for _, r := range proposal.Renamed(o.Type) {
		o.Map[r.Name] = r.Property
	}
	return string(proposal.YAML()), o
}

// loadsUnder fails unless data fits a schema.
func loadsUnder(t *testing.T, schema string, o load.Options, name, text string) {
	t.Helper()
	g := newGraph(t, schema)
	o.Inputs = []load.Input{{Name: name, Reader: strings.NewReader(text)}}
	if _, err := g.Session(ana).Load(t.Context(), kg.Load{Options: o}); err != nil {
		t.Errorf("%s: %v\n%s", name, err, schema)
	}
}

func TestDataFitsTheSchemaThatIsProposedForIt(t *testing.T) {
	for name, c := range map[string]struct {
		o    load.Options
		text string
		want []string // lines of the schema
	}{
		"people.csv": {text: "ID,Full Name,AGE,type,boss,tag,zip,on,größe\na,\"Ana, B\",42,x,,p;q,0123,true,1\nb,Bo,7,y,a,q,9000,false,2\nc,Cy,,x,b,,1000,,1.5\n", want: []string{
			"  People: # 3 records", "    iri: preserve", "      fullName: {type: string, required: true} # in 3 of 3; called \"Full Name\" in the data",
			"      age: {type: integer} # in 2 of 3", "      typeValue: {type: string, required: true}", "      boss: {class: People} # in 2 of 3; all are ids of People",
			"      tag: {type: string, many: true} # in 2 of 3; cells have several values, with \";\" between them or as JSON", "      zip: {type: string, required: true}", "      \"on\": {type: boolean}", "      groe: {type: number, required: true}",
		}},
		"order-items.tsv": {text: "sku\tdate\tat\nA-1\t2024-01-02\t2024-01-02T03:04:05Z\nA-2\t2024-01-03\t2024-01-02T03:04:05+01:00\n", want: []string{
			"  OrderItems: # 2 records", "      date: {type: date, required: true}", "      atValue: {type: datetime, required: true}",
		}},
		"keyed.csv": {o: load.Options{Type: "User", ID: "email"}, text: "email,n\na@x.org,1\nb@x.org,9007199254740993\n", want: []string{
			"      email: {type: string, required: true}", "      \"n\": {type: big_integer, required: true}",
		}},
		"plain.json": {o: load.Options{Type: "Thing"}, text: `[{"id":1,"big":12345678901234567890,"price":1.5,"mixed":[1,"a"],"none":null,"tags":[]},{"id":2,"big":1,"price":2,"tags":["a"]}]`, want: []string{
			"      big: {type: decimal, required: true}", "      price: {type: number, required: true}", "      tags: {type: string, many: true} # in 1 of 2", "      none: {type: string} # no record has a value",
			"      # mixed is left out: in 1 of 2; its values are of several kinds, or objects",
		}},
		"graph.ndjson": {text: `{"type":"A","id":"x","data":{"to":"B/1","see":"http://example.org/","any":["A/x","B/1"],"lost":"B/9"}}
{"edge":"near","from":"A/x","to":"B/1"}
{"edge":"near","from":"B/1","to":"A/x"}
{"type":"B","id":"1","data":{}}
`, want: []string{
			"      to: {class: B, required: true} # in 1 of 1; all are records of B", "      see: {type: uri, required: true}", "      near: {class: B, many: true} # 1 edge; all are records of B",
			"      any: {type: iri, required: true, many: true} # in 1 of 1; refers to A, B", "      lost: {type: iri, required: true} # in 1 of 1; refers to B; not all of them are known to be records here",
		}},
	} {
		schema, o := inferred(t, c.o, name, c.text)
		for _, line := range c.want {
			if !strings.Contains(schema, "\n"+line) {
				t.Errorf("%s: there is no line %q in\n%s", name, line, schema)
			}
		}
		if name == "plain.json" {
			o.Map["mixed"] = "" // the schema says that it cannot be loaded
		}
		loadsUnder(t, schema, o, name, c.text)
	}
}

// TestWhatRepeatsIsProposedAsAConstraint takes enough rows.
func TestWhatRepeatsIsProposedAsAConstraint(t *testing.T) {
	var text strings.Builder
	text.WriteString("code,status,no,note\n")
	for i := range 60 {
		fmt.Fprintf(&text, "T%04d%s,%s,%d,note of %d\n", i, map[bool]string{true: ".001"}[i%7 == 0], []string{"open", "closed", "\"a \"\"b\"\"\""}[i%3], i, i)
	}
	schema, o := inferred(t, load.Options{Type: "Ticket"}, "in.csv", text.String())
	for _, line := range []string{
		`      code: {type: string, required: true, unique: true, pattern: '^T\d{4}(\.\d{3})?$'} # in 60 of 60; all differ; all match`,
		`      status: {type: string, required: true, one_of: ["a \"b\"", "closed", "open"]} # in 60 of 60; 3 values in all`,
		`      "no": {type: integer, required: true, unique: true} # in 60 of 60; all differ`,
		`      note: {type: string, required: true} # in 60 of 60`,
	} {
		if !strings.Contains(schema, "\n"+line+"\n") {
			t.Errorf("there is no line %q in\n%s", line, schema)
		}
	}
	loadsUnder(t, schema, o, "in.csv", text.String())
}

// TestAnyTableFitsItsSchema draws tables of texts that look like values of datatypes.
func TestAnyTableFitsItsSchema(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	texts := []string{"1", "-2", "007", "+3", "1.50", "1e3", "true", "false", "2024-01-02", "2024-13-01", "2024-01-02T00:00:00Z", "a", "b;c", "x;", ";", " ", " 1", "[1]", `["a"]`, `["b;c","1"]`, `[]`, "Row/1", "Row/", "Other/2", "r1", "r2", "http://a.b/", "http://a b", "é", "é", "NaN", "INF", "-0", "9007199254740993", "1e999", "\n", "urn:x:y"}
	for round := range 60 {
		var text strings.Builder
		text.WriteString("id,a,b,c\n")
		kinds := [3][]string{}
		for i := range kinds {
			for range 1 + random.IntN(3) {
				kinds[i] = append(kinds[i], texts[random.IntN(len(texts))])
			}
		}
		rows := 1 + random.IntN(70)
		for row := range rows {
			fmt.Fprintf(&text, "r%d", row)
			for _, kind := range kinds {
				fmt.Fprintf(&text, ",\"%s\"", strings.ReplaceAll(kind[random.IntN(len(kind))], `"`, `""`))
			}
			text.WriteByte('\n')
		}
		schema, o := inferred(t, load.Options{Type: "Row"}, fmt.Sprintf("round %d", round), text.String())
		o.Format = load.CSV
		loadsUnder(t, schema, o, fmt.Sprintf("round %d: %s", round, text.String()), text.String())
		if t.Failed() {
			return
		}
	}
}

func TestTheSameRecordsGiveTheSameSchema(t *testing.T) {
	zipped, err := os.ReadFile(filepath.Join(dataDir(t), "attack", "attack.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	first, o := inferred(t, load.Options{}, "attack.ndjson", string(text))
	if second, _ := inferred(t, load.Options{}, "attack.ndjson", string(text)); first != second {
		t.Error("the second time the schema is another")
	}
	loadsUnder(t, first, o, "attack.ndjson", string(text))
}
