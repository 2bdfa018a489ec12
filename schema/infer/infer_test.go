package infer_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"trails/schema"
	"trails/schema/infer"
)

func TestATypeIsCalledAsItsFile(t *testing.T) {
	for file, want := range map[string]string{"people": "People", "order-items": "OrderItems", "my data.v2": "MyDataV2", "2024": "T2024", "größe": "Groe", "日本": "T", "HTTPThing": "HTTPThing"} {
		if got := infer.TypeName(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

func TestNamesThatNoPropertyCanHaveAreChanged(t *testing.T) {
	var p infer.Proposal
	names := []string{"id", "Full Name", "full-name", "fullName", "AGE", "Name", "2nd", "", "at"}
	if err := p.Add(infer.Record{Type: "T", Names: names, Data: map[string]any{}, Cells: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range p.Renamed("T") {
		got = append(got, r.Name+"="+r.Property)
	}
	if want := "at=atValue =column 2nd=column2nd Full Name=fullName2 full-name=fullName3 id=idValue"; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
}

// TestAPropertyHasTheHeadOfItsColumnAsLabel reads each proposal as a schema, since not every head can be a label.
func TestAPropertyHasTheHeadOfItsColumnAsLabel(t *testing.T) {
	long := strings.Repeat("ä ", 60)
	for head, want := range map[string]string{
		"Full Name": "Full Name", " Full\n name ": "Full name", "AGE": "AGE", "E-Mail": "E-Mail", "Größe \"L\"": `Größe "L"`, "%": "%", "id": "id",
		long:        strings.Repeat("ä ", 39) + "ä…",               // 80 characters
		"full name": "", "due_date": "", "dueDate": "", "name": "", // pages show these words for the property's name
		"chosen name": "", "no\xffname": "", "": "",
	} {
		p := infer.Proposal{Given: map[string]infer.Given{"chosen name": {Property: "other"}}}
		if err := p.Add(infer.Record{Type: "T", Names: []string{head}, Unnamed: map[string]bool{"": true}, Data: map[string]any{}, Cells: true, Header: true}); err != nil {
			t.Fatal(err)
		}
		if err := p.Add(infer.Record{Type: "T", Names: []string{head}, Data: map[string]any{head: "x"}, Cells: true}); err != nil {
			t.Fatal(err)
		}
		s, err := schema.ParseYAML(p.YAML(), "urn:t:")
		if err != nil {
			t.Errorf("%q: %v\n%s", head, err, p.YAML())
			continue
		}
		if got := s.Types[0].Properties[0].Label; got != want {
			t.Errorf("the label for %q is %q, want %q", head, got, want)
		}
	}
	var p infer.Proposal
	if err := p.Add(infer.Record{Type: "T", Data: map[string]any{"Full Name": "x"}, Named: true}); err != nil {
		t.Fatal(err)
	}
	if text := string(p.YAML()); strings.Contains(text, ", label:") || !strings.Contains(text, `called "Full Name"`) {
		t.Errorf("a member of records has a label:\n%s", text)
	}
}

// A property that has nothing but empty lists is a list: records say so, whatever it will hold.
func TestAnEmptyListIsAList(t *testing.T) {
	for name, records := range map[string][]infer.Record{
		"alone":                     {{Data: map[string]any{"p": []any{}}}},
		"in every record":           {{Data: map[string]any{"p": []any{}}}, {Data: map[string]any{"p": []any{}}}},
		"beside null":               {{Data: map[string]any{"p": nil}}, {Data: map[string]any{"p": []any{}}}},
		"beside no such member":     {{Data: map[string]any{"q": "x"}}, {Data: map[string]any{"p": []any{}, "q": "y"}}},
		"beside one value":          {{Data: map[string]any{"p": []any{}}}, {Data: map[string]any{"p": "x"}}},
		"after one value":           {{Data: map[string]any{"p": "x"}}, {Data: map[string]any{"p": []any{}}}},
		"in a cell":                 {{Data: map[string]any{"p": "[]"}, Cells: true}},
		"in a cell beside no value": {{Data: map[string]any{}, Cells: true}, {Data: map[string]any{"p": "[]"}, Cells: true}},
		"and numbers":               {{Data: map[string]any{"p": []any{}}}, {Data: map[string]any{"p": json.Number("7")}}},
	} {
		t.Run(name, func(t *testing.T) {
			var p infer.Proposal
			for i, r := range records {
				r.Type, r.ID = "T", fmt.Sprint("t", i)
				if err := p.Add(r); err != nil {
					t.Fatal(err)
				}
			}
			word := "string"
			if name == "and numbers" {
				word = "integer"
			}
			if text := string(p.YAML()); !strings.Contains(text, "      p: {type: "+word+", many: true}") {
				t.Error(text)
			}
		})
	}
}

// TestATextSaysWhatMostOfItCouldBe: too many cells are bad for the type of the others to be
// proposed, and whoever reads the proposal is told of it.
func TestATextSaysWhatMostOfItCouldBe(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"dates":                {[]string{"2024-01-02", "2024-01-03", "later"}, "2 of 3 fit type: date, which"},
		"dates by convention":  {[]string{"13.2.2024", "31.2.2024", "14.2.2024"}, "2 of 3 fit type: date, which"},
		"numbers":              {[]string{"1", "2", "few", "none"}, "2 of 4 fit type: integer, which"},
		"amounts":              {[]string{"1.234,50", "2.345,60", "few"}, "2 of 3 fit type: decimal, which"},
		"yes and no":           {[]string{"yes", "?", "no"}, "2 of 3 fit type: boolean, which"},
		"times of day":         {[]string{"10:30", "9:15", "late"}, "2 of 3 fit type: time, which"},
		"times":                {[]string{"2024-01-02 10:30", "2024-01-02 9:15", "late"}, "2 of 3 fit type: datetime, which"},
		"dates beside times":   {[]string{"2024-01-02", "2024-01-02T10:30:00", "2024-01-03", "late"}, "3 of 4 fit type: datetime, which"},
		"few of them":          {[]string{"1", "few", "some"}, ""},
		"words":                {[]string{"a", "b"}, ""},
		"two currencies":       {[]string{"€ 5", "$ 7"}, ""},
		"codes beside numbers": {[]string{"007", "12", "0815"}, ""},
		"all of them":          {[]string{"1", "2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var p infer.Proposal
			for i, cell := range c.cells {
				if err := p.Add(infer.Record{Type: "T", ID: fmt.Sprint("t", i), Data: map[string]any{"p": cell}, Cells: true}); err != nil {
					t.Fatal(err)
				}
			}
			if text := string(p.YAML()); strings.Contains(text, "fit type:") != (c.want != "") || !strings.Contains(text, c.want) {
				t.Errorf("there is no %q in\n%s", c.want, text)
			}
		})
	}
}

// TestWhatIsNotKnownIsNotProposed gives more different values than are remembered.
func TestWhatIsNotKnownIsNotProposed(t *testing.T) {
	if testing.Short() {
		t.Skip("two million values")
	}
	var p infer.Proposal
	for i := range 1_100_000 {
		if err := p.Add(infer.Record{Type: "T", ID: fmt.Sprint("t", i), Data: map[string]any{"code": fmt.Sprint("c", i), "n": json.Number("1")}}); err != nil {
			t.Fatal(err)
		}
	}
	if text := string(p.YAML()); strings.Contains(text, "unique") || !strings.Contains(text, "code: {type: string, required: true}") {
		t.Error(text)
	}
}

func TestWhatIsNoNameIsRefused(t *testing.T) {
	var p infer.Proposal
	for _, r := range []infer.Record{{Type: "person"}, {Type: "A b"}, {Edge: "x", From: "nowhere"}} {
		if err := p.Add(r); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	if text := string(p.YAML()); !strings.Contains(text, "types: {}") {
		t.Error(text)
	}
}

// TestAProposalDoesNotDependOnTheOrderOfItsRows has cells with several values, with space around them and long ones among
// others, since whole cells and their parts are counted apart only from the first of them on.
func TestAProposalDoesNotDependOnTheOrderOfItsRows(t *testing.T) {
	for name, odd := range map[string]string{
		"several values": "a-1; a-2", "several numbers": "1;2", "space": " a-3 ", "spaces alone": "  ", "an array": `["a-1", "a-9"]`, "no values": "[]",
		"several sentences": "It rains; it does not stop!", "an empty part": "a-1;", "a long text": strings.Repeat("x", 80),
	} {
		for kind, cell := range map[string]func(int) string{
			"codes": func(i int) string { return fmt.Sprintf("a-%d", i) }, "numbers": strconv.Itoa, "few words": func(i int) string { return []string{"red", "blue"}[i%2] },
			"references": func(i int) string { return fmt.Sprintf("T/%d", i) }, "spaced": func(i int) string { return fmt.Sprintf(" %d", i) },
		} {
			t.Run(name+" among "+kind, func(t *testing.T) {
				proposed := func(at int) string {
					var p infer.Proposal
					for i := range 61 {
						text := cell(i)
						switch {
						case i == at:
							text = odd
						case i > at:
							text = cell(i - 1)
						}
						if err := p.Add(infer.Record{Type: "T", Names: []string{"C"}, Data: map[string]any{"C": text}, Cells: true}); err != nil {
							t.Fatal(err)
						}
					}
					p.FindKeys()
					return string(p.YAML())
				}
				first := proposed(0)
				for _, at := range []int{1, 30, 60} {
					if got := proposed(at); got != first {
						t.Errorf("with it in row %d:\n%s\nand in the first:\n%s", at, got, first)
					}
				}
			})
		}
	}
}

// TestACellOfSpacesDoesNotDecideWhatItsColumnIs holds that it is no value among numbers and dates, and a text among texts.
func TestACellOfSpacesDoesNotDecideWhatItsColumnIs(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"texts":    {[]string{"ab", "cd", "  "}, "c: {type: string, required: true}"},
		"the rest": {[]string{"\n", "  "}, "c: {type: string, required: true}"},
		"numbers":  {[]string{"  ", "1", "2"}, "c: {type: integer}"},
		"dates":    {[]string{"2024-01-02", " ", "2024-01-03"}, "c: {type: date}"},
		"lists":    {[]string{"a; b", " ", "c"}, "c: {type: string, many: true}"},
	} {
		t.Run(name, func(t *testing.T) {
			var p infer.Proposal
			for _, cell := range c.cells {
				if strings.TrimSpace(cell) == "" {
					cell = strings.Repeat(cell, 10_000)
				}
				if err := p.Add(infer.Record{Type: "T", Names: []string{"c"}, Data: map[string]any{"c": cell}, Cells: true}); err != nil {
					t.Fatal(err)
				}
			}
			p.FindKeys()
			if got := string(p.YAML()); !strings.Contains(got, c.want) || len(got) > 1000 {
				t.Errorf("want %s in\n%s", c.want, got)
			}
		})
	}
}

// TestNumbersThatMayBeTwoAreUndecided holds that 1.250 is asked for as 1,250 is, unless the table decides what it is.
func TestNumbersThatMayBeTwoAreUndecided(t *testing.T) {
	for name, c := range map[string]struct {
		cells  map[string][]string
		sheets []string
		given  map[string]infer.Given
		want   string
	}{
		"a point":                        {cells: map[string][]string{"paid": {"1.250", "2.500"}}, want: "2.500"},
		"a comma":                        {cells: map[string][]string{"paid": {"1,250", "2,500"}}, want: "2,500"},
		"whole numbers beside it":        {cells: map[string][]string{"paid": {"1.250", "7"}}, want: "1.250"},
		"a cell with one reading":        {cells: map[string][]string{"paid": {"1.250", "2.5"}}},
		"a fraction alone":               {cells: map[string][]string{"paid": {"1.250", "0.125"}}},
		"another column with a point":    {cells: map[string][]string{"paid": {"1.250", "2.500"}, "rate": {"3.5", "1.5"}}},
		"another column with a comma":    {cells: map[string][]string{"paid": {"1.250", "2.500"}, "rate": {"3,5", "1,5"}}},
		"numbers of a workbook":          {cells: map[string][]string{"paid": {"1.250", "2.500"}}, sheets: []string{"Sheet1"}},
		"a kind that somebody has given": {cells: map[string][]string{"paid": {"1.250", "2.500"}}, given: map[string]infer.Given{"paid": {Kind: "string"}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &infer.Proposal{Given: c.given}
			if err := p.Add(infer.Record{Type: "Bill", Cells: true, Header: true, Names: []string{"paid", "rate"}, Sheets: c.sheets}); err != nil {
				t.Fatal(err)
			}
			for i := range c.cells["paid"] {
				data := map[string]any{}
				for column, cells := range c.cells {
					data[column] = cells[i]
				}
				if err := p.Add(infer.Record{Type: "Bill", Cells: true, Data: data}); err != nil {
					t.Fatal(err)
				}
			}
			if _, number := p.Undecided(); number != c.want {
				t.Errorf("asked for %q, want %q", number, c.want)
			}
		})
	}
}
