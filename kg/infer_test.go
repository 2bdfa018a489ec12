package kg_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
)

// source is text that is read again and again.
func source(name, text string) kg.Source {
	return kg.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// inferred proposes a schema for data, and loads the data under it as the proposal says.
func inferred(t *testing.T, o load.Options, sources ...kg.Source) string {
	t.Helper()
	proposed, err := kg.Propose(t.Context(), ana, sources, o)
	if err != nil {
		t.Fatalf("%s: %v", sources[0].Name, err)
	}
	g := newGraph(t, string(proposed.Schema))
	for i, o := range proposed.Loads {
		for at, of := range proposed.Sources[i] {
			in, err := sources[of].Open()
			if err != nil {
				t.Fatal(err)
			}
			o.Inputs[at].Reader = in
		}
		if _, err := g.Session(ana).Load(t.Context(), kg.Load{Options: o}); err != nil {
			t.Errorf("%v\n%s", err, proposed.Schema)
		}
	}
	return string(proposed.Schema)
}

func TestDataFitsTheSchemaThatIsProposedForIt(t *testing.T) {
	testrun.Alone(t)
	for name, c := range map[string]struct {
		o    load.Options
		text string
		want []string // lines of the schema
	}{
		"people.csv": {text: "ID,Full Name,AGE,type,boss,tag,zip,on,größe\na,\"Ana, B\",42,x,,p;q,0123,true,1\nb,Bo,7,y,a,q,9000,false,2\nc,Cy,,x,b,,1000,,1.5\n", want: []string{
			"  People: # 3 records", "    iri: preserve", "      fullName: {type: string, required: true, label: \"Full Name\"} # in 3 of 3",
			"      age: {type: integer, label: \"AGE\"} # in 2 of 3", "      typeValue: {type: string, required: true, label: \"type\"}", "      boss: {class: People} # in 2 of 3; all are ids of People",
			"      tag: {type: string, many: true} # in 2 of 3; cells have several values, with \";\" between them or as JSON", "      zip: {type: string, required: true}", "      \"on\": {type: boolean}", "      groe: {type: number, required: true, label: \"größe\"}",
		}},
		"order-items.tsv": {text: "sku\tdate\tat\nA-1\t2024-01-02\t2024-01-02T03:04:05Z\nA-2\t2024-01-03\t2024-01-02T03:04:05+01:00\n", want: []string{
			"  OrderItems: # 2 records", "      date: {type: date, required: true}", "      atValue: {type: datetime, required: true, label: \"at\"}",
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
		schema := inferred(t, c.o, source(name, c.text))
		for _, line := range c.want {
			if !strings.Contains(schema, "\n"+line) {
				t.Errorf("%s: there is no line %q in\n%s", name, line, schema)
			}
		}
	}
}

// TestWhatRepeatsIsProposedAsAConstraint takes enough rows.
func TestWhatRepeatsIsProposedAsAConstraint(t *testing.T) {
	var text strings.Builder
	text.WriteString("code,status,no,note\n")
	for i := range 60 {
		fmt.Fprintf(&text, "T%04d%s,%s,%d,note of %d\n", i, map[bool]string{true: ".001"}[i%7 == 0], []string{"open", "closed", "\"a \"\"b\"\"\""}[i%3], i, i)
	}
	schema := inferred(t, load.Options{Type: "Ticket"}, source("in.csv", text.String()))
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
}

// TestAnyTableFitsItsSchema draws tables of texts that look like values of datatypes.
func TestAnyTableFitsItsSchema(t *testing.T) {
	testrun.Alone(t)
	random := testrun.Random(t)
	texts := []string{"1", "-2", "007", "+3", "1.50", "1e3", "true", "false", "2024-01-02", "2024-13-01", "2024-01-02T00:00:00Z", "a", "b;c", "x;", ";", " ", " 1", "[1]", `["a"]`, `["b;c","1"]`, `[]`, "Row/1", "Row/", "Other/2", "r1", "r2", "http://a.b/", "http://a b", "é", "é", "NaN", "INF", "-0", "9007199254740993", "1e999", "\n", "urn:x:y", "N/A", "-", "null", "5%", "$5", "€ 1,5"}
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
		schema := inferred(t, load.Options{Type: "Row", Format: load.CSV}, source(fmt.Sprintf("round %d", round), text.String()))
		if t.Failed() {
			t.Fatalf("round %d: %s\n%s", round, text.String(), schema)
		}
	}
}

func TestTheSameRecordsGiveTheSameSchema(t *testing.T) {
	testrun.Alone(t)
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
	first := inferred(t, load.Options{}, source("attack.ndjson", string(text)))
	if second := inferred(t, load.Options{}, source("attack.ndjson", string(text))); first != second {
		t.Error("the second time the schema is another")
	}
}

// TestWhatIsProposedLoadsItsOwnData has names and rows that are hard to take, one kind each.
func TestWhatIsProposedLoadsItsOwnData(t *testing.T) {
	testrun.Alone(t)
	for name, c := range map[string]struct {
		file, text string
		want       string // a piece of the schema
	}{
		"a line break in a header":           {"in.csv", "id,\"List\r\n price\"\n1,2\n", `listPrice: {type: integer`},
		"control characters in a header":     {"in.csv", "id,\x1b[1m\x02odd\u202e\x7f\n1,2\n", `column1modd: {type: integer`},
		"a column without a name":            {"in.csv", ",name\n7,Ana\n", `column1: {type: integer`},
		"a column without anything":          {"in.csv", "id,a,,\n1,x,,\n", `# column3 is left out`},
		"a name twice":                       {"in.csv", "id,name,name,name 2,Name\n1,a,b,c,d\n", `name3: {type: string`},
		"names of the same letters":          {"in.csv", "full name,full-name,fullName,FULLNAME\na,b,c,d\n", `fullname: {type: string`},
		"an id twice":                        {"in.csv", "id,a\n1,x\n1,y\n", `idValue: {type: integer`},
		"an id that is a path":               {"in.csv", "id,a\n..,1\nx,2\n", `# "id" is no id: the id ".." has a path segment`},
		"an id that is none":                 {"in.csv", "id,a\nx\ty,1\n http://a b/,2\n", `a: {type: integer`},
		"ids in some rows":                   {"in.csv", "id,a\n,1\nx,2\n", `a: {type: integer`},
		"a record's id twice":                {"in.ndjson", `{"type":"A","id":"1","data":{"n":"x","m":"z"}}` + "\n" + `{"type":"A","id":"1","data":{"n":"y"}}`, `"n": {type: string, required: true, many: true`},
		"names with blanks in records":       {"in.ndjson", `{"type":"A","id":"1","data":{"First Name":"x","id":"y","type":1}}`, `firstName: {type: string`},
		"one name in records of two types":   {"in.ndjson", `{"type":"A","data":{"x y":1,"xY":2}}` + "\n" + `{"type":"B","data":{"x y":1}}`, `xY2: {type: integer`},
		"edges with odd names":               {"in.ndjson", `{"type":"A","id":"1","data":{}}` + "\n" + `{"edge":"knows well","from":"A/1","to":"A/1"}`, `knowsWell: {class: A`},
		"what one type leaves out":           {"in.ndjson", `{"type":"A","data":{"=":1,"b":1}}` + "\n" + `{"type":"A","data":{"=":[]}}` + "\n" + `{"type":"B","data":{"=":{"c":1}}}`, `# column is left out`},
		"names that are no words":            {"in.ndjson", `{"type":"A","id":"1","data":{"":1,"=":2,"'":3,"\n":4,"日本":5}}`, `column: {type: integer`},
		"values of several kinds":            {"in.json", `[{"a":1,"b":{"c":1}},{"a":"x","b":2}]`, `# a is left out`},
		"reserved names":                     {"in.csv", "iri,type,branch,at,message,if_commit,dry_run,allow_mass_change\n1,2,3,4,5,6,7,8\n", `allowMassChange: {type: integer`},
		"a label that is a reference":        {"in.csv", "id,name\na,b\nb,a\n", `name: {class: In, required: true}`},
		"empty lists alone":                  {"in.json", `[{"a":[]},{"a":[]}]`, `a: {type: string, many: true}`},
		"CR alone":                           {"in.csv", "id,name\r1,\"A\rB\"\r2,C", `name: {type: string, required: true}`},
		"a header alone":                     {"in.csv", "id,a\n", `a: {type: string}`},
		"blanks before numbers":              {"in.csv", "id,n\n1, 5\n2, 6\n", `"n": {type: integer`},
		"rows without anything":              {"in.csv", "id,n\n,\n1,5\n,\n", `"n": {type: integer, required: true}`},
		"tabs in CSV":                        {"in.csv", "a\tb\n1,5\t2\n", `b: {type: integer`},
		"bars":                               {"in.csv", "a|b\n1,5|2\n", `b: {type: integer`},
		"sep= as spreadsheets write it":      {"in.csv", "sep=;\r\na;b\r\n1;2\r\n", `b: {type: integer`},
		"JSON in a cell":                     {"in.ndjson", `{"type":"Note","id":"N","data":{"tags":"[\"p\",\"q\"]"}}`, `tags: {type: string`},
		"a file whose name is a tool's":      {"branches.csv", "a\n1\n", `TBranches:`},
		"long names":                         {strings.Repeat("long-", 40) + ".csv", strings.Repeat("x", 300) + "," + strings.Repeat("x", 301) + "\n1,2\n", `: {type: integer`},
		"texts that YAML would take amiss":   {"in.csv", "true,null,a: b,# c,\"{\"\n1,2,3,4,5\n", `c: {type: integer`},
		"few values with what is not seen":   {"in.ndjson", strings.Repeat("{\"type\":\"A\",\"data\":{\"v\":\"x\\u007f\\u0085\"}}\n{\"type\":\"A\",\"data\":{\"v\":\"\\ufeff\"}}\n", 30), `one_of: `},
		"a value that is like a type's name": {"in.csv", "id,a\nx,In/y\n", `a: {type: iri`},
	} {
		t.Run(name, func(t *testing.T) {
			if schema := inferred(t, load.Options{}, source(c.file, c.text)); !strings.Contains(schema, c.want) {
				t.Errorf("there is no %q in\n%s", c.want, schema)
			}
		})
	}
}

// TestWhatPeopleWriteInTablesIsFoundOut has columns whose convention is found by their cells,
// or stays open where the cells can be read in two ways.
func TestWhatPeopleWriteInTablesIsFoundOut(t *testing.T) {
	testrun.Alone(t)
	column := func(name string, cells ...string) string {
		text := "row," + name + "\n"
		for i, cell := range cells {
			text += fmt.Sprintf("%d,%q\n", i, cell)
		}
		return text
	}
	for name, c := range map[string]struct{ text, want string }{
		"several values in a cell":          {column("tag", "red; green", "blue"), `tag: {type: string, required: true, many: true} # in 2 of 2; cells have several values, with ";" between them or as JSON`},
		"authors in a cell":                 {column("by", "Smith, J.; Doe, A.", "Doe, A."), `by: {type: string, required: true, many: true} # in 2 of 2; cells`},
		"a remark with a semicolon":         {column("note", "called on Monday about the invoice; no answer", "paid"), `note: {type: string, required: true} # in 2 of 2` + "\n"},
		"a remark in quotation marks":       {column("note", "speaks French; “fluently”", "paid"), `note: {type: string, required: true} # in 2 of 2` + "\n"},
		"a question":                        {column("note", "left; or not?", "paid"), `note: {type: string, required: true} # in 2 of 2` + "\n"},
		"yes and no":                        {column("on", "yes", "No", "YES"), `"on": {type: boolean, required: true} # in 3 of 3; yes and no are true and false`},
		"ja and nein":                       {column("on", "Ja", "nein"), `"on": {type: boolean, required: true} # in 2 of 2; ja and nein are true and false`},
		"oui and non":                       {column("on", "oui", "NON"), `oui and non are true and false`},
		"sí and no":                         {column("on", "no", "Sí"), `sí and no are true and false`},
		"wahr and falsch":                   {column("on", "wahr", "falsch"), `wahr and falsch are true and false`},
		"on and off":                        {column("state", "off", "on"), `on and off are true and false`},
		"only no":                           {column("on", "No", "no"), `no is false`},
		"words that are no pair":            {column("on", "ja", "perhaps", "nein"), `"on": {type: string, required: true}`},
		"directions":                        {column("to", "N", "S", "N"), `to: {type: string, required: true}`},
		"a year first":                      {column("day", "2024/01/05", "2024/1/31"), `day: {type: date, required: true} # in 2 of 2; dates such as "2024/01/05" are read as 2024-01-05`},
		"months by name":                    {column("day", "5 Jan 2024", "December 31, 2024"), `dates such as "5 Jan 2024" are read as 2024-01-05`},
		"a blank before the time":           {column("since", "2024-01-05 10:00", "2024-01-05 10:00:30"), `since: {type: datetime, required: true} # in 2 of 2; times such as "2024-01-05 10:00" are read as 2024-01-05T10:00:00`},
		"times with a half of the day":      {column("since", "2024/01/05 9:05 PM", "2024/01/06 10:00 AM"), `are read as 2024-01-05T21:05:00`},
		"times with a zone":                 {column("since", "2024-01-05 10:00 UTC", "2024-01-05T10:00:00Z", "2024-01-05 10:00:00+0100"), `since: {type: datetime, required: true}`},
		"times that one cell decides":       {column("since", "3/4/2023 10:00", "13/4/2023 10:00"), `since: {type: datetime, required: true} # in 2 of 2; times such as "3/4/2023 10:00" are read as dmy`},
		"times that nothing decides":        {column("since", "3/4/2023 10:00", "5/6/2023 10:00"), `"5/6/2023 10:00" may be two dates: dates dmy or mdy says which`},
		"dates beside times":                {column("since", "2024-01-05", "2024-01-05 10:00"), `since: {type: datetime, required: true} # in 2 of 2; dates such as "2024-01-05 10:00" are read as 2024-01-05T10:00:00; "2024-01-05", without a time, is midnight`},
		"dates beside times of XSD":         {column("since", "2024-01-05", "2024-01-05T10:00:00Z"), `since: {type: datetime, required: true} # in 2 of 2; dates; "2024-01-05", without a time, is midnight`},
		"one time beside many dates":        {column("since", "5/1/2024", "6/1/2024", "7/1/2024", "8/1/2024", "9/1/2024", "10/1/2024", "11/1/2024", "12/1/2024", "13/1/2024", "14/1/2024 8:30"), `since: {type: datetime, required: true} # in 10 of 10; dates such as "5/1/2024" are read as dmy; "5/1/2024", without a time, is midnight`},
		"dates beside times, undecided":     {column("since", "3/4/2023", "5/6/2023 10:00"), `"5/6/2023 10:00" may be two dates: dates dmy or mdy says which`},
		"a bad cell beside dates and times": {column("since", "2024-01-05", "2024-01-05 10:00", "2024-01-06", "2024-01-07", "2024-01-08", "2024-01-09", "2024-01-10", "2024-01-11", "2024-01-12", "2024-01-13", "later"), `since: {type: datetime, required: true} # in 11 of 11; dates such as "2024-01-05 10:00" are read as 2024-01-05T10:00:00; "2024-01-05", without a time, is midnight; not so is "later" in`},
		"times of day":                      {column("opens", "10:30", "9:05", "23:59:30"), `opens: {type: time, required: true} # in 3 of 3; times such as "10:30" are read as 10:30:00`},
		"times of day of XSD":               {column("opens", "10:30:00", "09:05:00Z"), `opens: {type: time, required: true} # in 2 of 2`},
		"times of day with a half":          {column("opens", "10:30 AM", "9:05 pm"), `times such as "10:30 AM" are read as 10:30:00`},
		"minutes that are no times of day":  {column("took", "10:30", "61:05"), `took: {type: string, required: true}`},
		"a minus of print":                  {column("sum", "−5", "7"), `sum: {type: integer, required: true}`},
		"TRUE":                              {column("on", "TRUE", "FALSE"), `"on": {type: boolean, required: true}`},
		"dates with points":                 {column("at date", "12.4.2023", "1.12.2023"), `atDate: {type: date, required: true} # in 2 of 2; dates such as "12.4.2023" are read as`},
		"dates that one cell decides":       {column("day", "3/4/2023", "13/4/2023", "2023-04-01"), `day: {type: date, required: true} # in 3 of 3; dates such as "3/4/2023" are read as dmy`},
		"months first beside points":        {column("day", "16.4.2023", "7/28/2023", "1.2.2023"), `day: {type: date, required: true} # in 3 of 3; dates such as "7/28/2023" are read as mdy`},
		"months first":                      {column("day", "3/4/2023", "7/28/2023", "1.2.2023"), `day: {type: date, required: true} # in 3 of 3; dates such as "3/4/2023" are read as mdy`},
		"dates that nothing decides":        {column("day", "3/4/2023", "5/6/2023"), `day: {type: string, required: true} # in 2 of 2; "5/6/2023" may be two dates: dates dmy or mdy says which`},
		"dates of both orders":              {column("day", "13/4/2023", "4/13/2023"), `day: {type: string, required: true}`},
		"dates that another column decides": {"row,a,b\n1,3/4/2023,13/4/2023\n2,5/6/2023,\n", `a: {type: date, required: true}`},
		"a decimal comma":                   {column("sum", "1.234,56", "7"), `sum: {type: decimal, required: true} # in 2 of 2; numbers such as "1.234,56"`},
		"groups":                            {column("sum", "1,234,567", "7"), `sum: {type: integer, required: true}`},
		"a currency":                        {column("sum", "€ 5", "€ 1200"), `sum: {type: integer, required: true} # in 2 of 2; numbers such as "€ 5", all in €`},
		"two currencies":                    {column("sum", "€ 5", "$ 7"), `sum: {type: string, required: true} # in 2 of 2; amounts in several currencies`},
		"percentages":                       {column("share", "5%", "12.5 %"), `share: {type: string, required: true} # in 2 of 2; percentages are read as texts`},
		"two decimal marks in two columns":  {"row,a,b\n1,\"1,234.5\",\"1.234,5\"\n2,7.25,\"7,25\"\n", `have a comma before their fraction, those of another column a point: decimal , reads these`},
		"no values among numbers":           {column("n", "5", "N/A", "-", "7"), `"n": {type: integer} # in 2 of 4; "-" is no value; "N/A" is no value`},
		"no values among dates":             {column("day", "13.4.2023", "null", "1.2.2023"), `day: {type: date} # in 2 of 3; "null" is no value; dates such as`},
		"no values among words":             {column("on", "yes", "no", "—"), `"on": {type: boolean} # in 2 of 3`},
		"no values among texts":             {column("t", "a", "N/A", "b"), `t: {type: string, required: true} # in 3 of 3`},
		"no values alone":                   {column("t", "N/A", "-"), `t: {type: string, required: true} # in 2 of 2`},
		"ids called as the table":           {"in,city\nred,Bonn\nblue,Rome\n", `iri: preserve # every record has its id`},
		"numbers that nothing decides":      {column("sum", "1,234", "5,678"), `"5,678" may be two numbers: decimal , or . says which`},
		"numbers beside a decimal comma":    {"row,a,b\n1,\"1.234,5\",1.234\n2,\"2,5\",5\n", `b: {type: integer, required: true}`},
		"a point that a comma would lose":   {"row,a,b\n1,\"1.234,5\",1.5\n2,\"2,5\",5\n", `a: {type: string, required: true}`},
		"ids by name, and a label":          {"Employee No,Full name,Manager\n1001,Ana,\n1002,Bo,1001\n1003,Cy,1002\n", "label: fullName # what people read\n    iri: preserve"},
		"one id, where the name says so":    {"Employee No,Full name,Manager\n1001,Ana,\n1002,Bo,1001\n1003,Cy,1001\n", `manager: {class: In, label: "Manager"} # in 2 of 3; all are ids of In`},
		"dates with points are day first":   {"id,due\na,3.1.2023\nb,25.4.2023\n", `dates such as "3.1.2023" are read as dmy`},
		"references by number":              {"Employee No,Full name,Manager\n1001,Ana,\n1002,Bo,1001\n1003,Cy,1002\n", `manager: {class: In, label: "Manager"} # in 2 of 3; all are ids of In`},
		"numbers that are no ids":           {"id,rank\n1,2\n2,1\n3,2\n", `rank: {type: integer, required: true}`},
	} {
		t.Run(name, func(t *testing.T) {
			if schema := inferred(t, load.Options{}, source("in.csv", c.text)); !strings.Contains(schema, c.want) {
				t.Errorf("there is no %q in\n%s", c.want, schema)
			}
		})
	}
}

// TestTablesThatReferToEachOther are loaded in an order in which their references are found.
func TestTablesThatReferToEachOther(t *testing.T) {
	people, teams := source("people.csv", "id,team\na,red\nb,blue\n"), source("teams.csv", "id,city\nred,Bonn\nblue,Rome\n")
	if schema := inferred(t, load.Options{}, people, teams); !strings.Contains(schema, "team: {class: Teams, required: true}") {
		t.Error(schema)
	}
	circle := source("teams.csv", "id,lead\nred,a\nblue,b\n")
	if schema := inferred(t, load.Options{}, people, circle); !strings.Contains(schema, "lead: {class: People, required: true}") || !strings.Contains(schema, "does not hold for a load: team must refer to a Teams") {
		t.Error(schema)
	}
}

// Names that look alike are told apart, in records of several types and in rows.
func TestNamesThatLookAlikeAreToldApart(t *testing.T) {
	for name, text := range map[string]string{
		"records.ndjson": `{"type":"A","id":"x","data":{"true":"a"}}` + "\n" + `{"type":"B","id":"x","data":{"true ":"b"}}` + "\n" + `{"type":"B","id":"y","data":{"a\tb":"c","a b":"d"}}`,
		"rows.json":      `[{"name":"a","name ":"b"},{" name":"c","Name":"d"}]`,
	} {
		inferred(t, load.Options{}, source(name, text))
	}
}

// TestAnyNamesAreTaken draws names of columns and members.
func TestAnyNamesAreTaken(t *testing.T) {
	testrun.Alone(t)
	random := testrun.Random(t)
	pieces := []string{"a", "A", "b", "id", "ID", "name", "type", " ", "-", "_", "1", "é", "日", "\n", "\r\n", "\t", "\x1b", "\x7f", "\u200b", "=", "'", `"`, "\\", "#", ":", ";", "|", "null", "true", "sh:", "/", "\ufeff", "$", "%s"}
	text := func() string {
		var b strings.Builder
		for range random.IntN(4) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	cell := func() string { return `"` + strings.ReplaceAll(text(), `"`, `""`) + `"` }
	quote := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(quoted)
	}
	for round := range 40 {
		var table, records strings.Builder
		columns := 1 + random.IntN(5)
		for range 1 + random.IntN(5) {
			for i := range columns {
				if i > 0 {
					table.WriteByte(',')
				}
				table.WriteString(cell())
			}
			table.WriteByte('\n')
			members := map[string]string{}
			for range columns {
				members[quote(text())] = []string{quote(text()), "1", "true", "[]", "null", "[" + quote(text()) + "]", "{}"}[random.IntN(7)]
			}
			var data []string
			for name, value := range members {
				data = append(data, name+":"+value)
			}
			fmt.Fprintf(&records, `{"type":%q,"id":%q,"data":{%s}}`+"\n", []string{"A", "B"}[random.IntN(2)], []string{"x", "y", "z"}[random.IntN(3)], strings.Join(data, ","))
		}
		for name, text := range map[string]string{"table.csv": table.String(), "records.ndjson": records.String()} {
			schema := inferred(t, load.Options{}, source(name, text))
			if t.Failed() {
				t.Fatalf("round %d: %s\n%s", round, text, schema)
			}
		}
	}
}

// TestOneBadCellDoesNotDecide has columns that are what all cells but one are: these say where
// the others are, and strict takes them for text.
func TestOneBadCellDoesNotDecide(t *testing.T) {
	testrun.Alone(t)
	const rows = 189
	for name, c := range map[string]struct {
		good       func(i int) string
		bad        string
		want, text string
	}{
		"integers":      {func(i int) string { return fmt.Sprint(i * 7) }, "a lot", `v: {type: integer, required: true} # in 189 of 189; all but 1 are; not so is "a lot" in in.csv:43:4`, `v: {type: string`},
		"small numbers": {func(i int) string { return fmt.Sprint(20 + i%40) }, "forty", `v: {type: integer, required: true} # in 189 of 189; all but 1 are; not so is "forty" in in.csv:43:4`, `v: {type: string`}, // which are ids, too
		"numbers":       {func(i int) string { return fmt.Sprintf("%d.5", i) }, "lots", `v: {type: number, required: true} # in 189 of 189; all but 1 are; not so is "lots" in in.csv:43:4`, `v: {type: string`},
		"dates":         {func(i int) string { return fmt.Sprintf("2024-01-%02d", 1+i%28) }, "soon", `v: {type: date, required: true} # in 189 of 189; all but 1 are; not so is "soon" in in.csv:43:4`, `v: {type: string`},
		"dates by dmy":  {func(i int) string { return fmt.Sprintf("%d/4/2023", 1+i%28) }, "soon", `dates such as "1/4/2023" are read as dmy; not so is "soon" in in.csv:43:4`, `v: {type: string`},
		"decimal comma": {func(i int) string { return fmt.Sprintf("\"1.%03d,5\"", i) }, "soon", `v: {type: decimal, required: true} # in 189 of 189; numbers such as "1.000,5"; not so is "soon" in in.csv:43:4`, `v: {type: string`},
		"yes and no":    {func(i int) string { return []string{"yes", "no"}[i%2] }, "maybe", `yes and no are true and false; not so is "maybe" in in.csv:43:4`, `v: {type: string`},
		"booleans":      {func(i int) string { return []string{"true", "false"}[i%2] }, "perhaps", `v: {type: boolean, required: true}`, `v: {type: string`},
		"addresses":     {func(i int) string { return fmt.Sprintf("https://example.org/%d", i) }, "none of them", `v: {type: string, required: true}`, `v: {type: string`}, // a load takes it
		"leading zeros": {func(i int) string { return fmt.Sprint(10000 + i) }, "01234", `v: {type: string, required: true`, `v: {type: string`},                            // and would lose them
		"references":    {func(i int) string { return fmt.Sprint(100 + i/2) }, "999", `manager: {class: In, required: true} # in 189 of 189; nearly all are ids of In; not so is "In/999" in in.csv:43:5`, `manager: {type: integer`},
	} {
		t.Run(name, func(t *testing.T) {
			header := "id,v\n"
			if name == "references" {
				header = "id,manager\n"
			}
			text := header
			for i := range rows {
				cell := c.good(i)
				if i == 41 {
					cell = c.bad
				}
				id := fmt.Sprint(i)
				if name == "references" {
					id = fmt.Sprint(100 + i)
				}
				text += id + "," + cell + "\n"
			}
			if schema := inferred(t, load.Options{}, source("in.csv", text)); !strings.Contains(schema, c.want) {
				t.Errorf("there is no %q in\n%s", c.want, schema)
			}
			if schema := inferred(t, load.Options{Strict: true}, source("in.csv", text)); !strings.Contains(schema, c.text) {
				t.Errorf("strictly there is no %q in\n%s", c.text, schema)
			}
		})
	}
	few := "id,v\n1,5\n2,6\n3,a lot\n"
	if schema := inferred(t, load.Options{}, source("in.csv", few)); !strings.Contains(schema, "v: {type: string") {
		t.Errorf("one of three decides in\n%s", schema)
	}
	long := "id,v\n"
	for i := range 40 {
		long += fmt.Sprintf("%d,%d\n", i, i)
	}
	if schema := inferred(t, load.Options{}, source("in.csv", long+"short\n")); !strings.Contains(schema, "v: {type: integer") {
		t.Errorf("a row that is too short decides in\n%s", schema)
	}
	for text, bad := range map[string]bool{
		"id,v\n1,5\n2\n3,7\n": false, "id,v\n1,5\n2\n": true, "id,v\n1,5\n2,6,7\n3,\"7\" \"\n4,7\n5,8\n": false,
		"id,v\n1,2\n2,2\n3,2\n4,2\n5,2\n6\n7\n8\n9\n": true,
	} {
		proposed, err := kg.Propose(t.Context(), ana, []kg.Source{source("in.csv", text)}, load.Options{})
		if bad != fault.Is(err, fault.InvalidData) || !bad && (err != nil || !proposed.Loads[0].Rejects) {
			t.Errorf("rows that cannot be read decide: %+v, %v of\n%s", proposed, err, text)
		}
	}
}
