package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/schema"
)

func notes(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.ParseYAML([]byte(`
types:
  Note:
    iri: preserve
    properties:
      title: {type: string, required: true}
`), "urn:notes:")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// edits are what data says, a line each.
func edits(t *testing.T, d *load.Data) string {
	t.Helper()
	var b strings.Builder
	for e, err := range d.Edits.Edits(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%c %s:%d %s\n", e.Op, d.Sources[e.Source.File], e.Source.Line, rdf.Lexical(e.Quad.Object))
	}
	return b.String()
}

// The format is told by the name, or else by how the data begins; data in every format
// comes to edits with the line that each was said on.
func TestEveryFormatComesToEdits(t *testing.T) {
	testrun.Alone(t)
	for name, text := range map[string]string{
		"in.ttl":   "\n<urn:s> <urn:p> \"v\" .",
		"turtle":   "@prefix : <urn:> .\n:s :p \"v\" .",
		"in.nq.gz": "\n<urn:s> <urn:p> \"v\" <urn:g> .", // the name says more than it should
		"quads":    "\n<urn:s> <urn:p> \"v\" <urn:g> .",
		"in.trig":  "\n<urn:g> { <urn:s> <urn:p> \"v\" }",
	} {
		d, err := load.Read(t.Context(), load.Options{Inputs: []load.Input{{Name: name, Reader: strings.NewReader(text)}}}, notes(t), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defer d.Close()
		want := fmt.Sprintf("%c %s:2 v\n", change.Assert, name)
		if got := edits(t, d); got != want || d.Records != 1 || d.UsesSchema {
			t.Errorf("%s: got %q of %d records, want %q", name, got, d.Records, want)
		}
	}
}

func TestBadLinesStandBesideTheGoodOnes(t *testing.T) {
	testrun.Alone(t)
	text := `{"type":"Note","id":"a","data":{"title":"A"}}
{"type":"Nota","id":"b"}
{"type":"Note","id":"c","data":{"titel":"C"}}
`
	o := load.Options{Inputs: []load.Input{{Name: "in", Reader: strings.NewReader(strings.Repeat(text, load.MaxBad/2+1))}}}
	if _, err := load.Read(t.Context(), o, notes(t), nil); fault.Of(err).Count != load.MaxBad || fault.Of(err).Details["stopped_at"] != "in:15000" {
		t.Errorf("of too many bad lines: %v", err)
	}
	o.Inputs[0].Reader = strings.NewReader(text)
	var read int64
	d, err := load.Read(t.Context(), o, notes(t), func(n int64) { read += n })
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var places []string
	for _, f := range d.Bad {
		places = append(places, f.Source+" "+f.Field)
	}
	if diff := cmp.Diff([]string{"in:2 type", "in:3 titel"}, places); diff != "" {
		t.Error(diff)
	}
	if d.Records != 3 || !d.UsesSchema || d.BadNodes["Note/c"] || d.BadNodes["Note/a"] || d.Tried.Len() == 0 || read != int64(len(text)) {
		t.Errorf("%+v after %d bytes", d, read)
	}
	if got := edits(t, d); !strings.Contains(got, "in:1 A\n") {
		t.Errorf("the good line comes to %q", got)
	}
}

// Members that no record has are refused where they stand, with the members that there are, and
// the one that was probably meant.
func TestAMemberThatNoRecordHasIsNamedWithItsPlace(t *testing.T) {
	good := `{"type":"Note","id":"a","data":{"title":"A"}}`
	records := map[string][]string{
		`{"type":"Note","id":"b",%q:{"title":"B"}}`:                 {"data"},
		`{"type":"Note","id":"b","data":{"title":"B"},%q:1}`:        {"type", "id", "data"},
		`{"edge":"cites","from":"Note/a","to":"Note/b",%q:{"x":1}}`: {"edge", "from", "to"},
	}
	for form, members := range records {
		for _, member := range members {
			for _, wrong := range []string{member + "s", "_" + member, member[:1] + "x" + member[1:], strings.ToUpper(member), strings.ToUpper(member[:1]) + member[1:], "nothing like it", ""} {
				renamed := !strings.Contains(form, `"data"`) && member == "data"
				if renamed && (wrong == "" || wrong == "nothing like it") {
					continue // that is no record at all
				}
				record := fmt.Sprintf(form, wrong)
				for name, text := range map[string]string{
					"in.ndjson": good + "\n\n" + record + "\n" + good,
					"in.json":   "[" + good + ",\n\n" + record + ",\n" + good + "]",
				} {
					d, err := load.Read(t.Context(), load.Options{Inputs: []load.Input{{Name: name, Reader: strings.NewReader(text)}}}, notes(t), nil)
					if err != nil {
						t.Fatalf("%s: %v", record, err)
					}
					if len(d.Bad) != 1 || d.Bad[0].Source != name+":3" || d.Records != 2 {
						t.Errorf("%s in %s: %+v of %d records", record, name, d.Bad, d.Records)
						d.Close()
						continue
					}
					message := d.Bad[0].Message
					if !strings.Contains(message, fmt.Sprintf("has the member %q, which no record has", wrong)) || !strings.Contains(message, `a node has "type", "id" and "data", an edge "edge", "from" and "to"`) {
						t.Errorf("%s in %s: %s", record, name, message)
					}
					near := wrong != "nothing like it" && wrong != "" && (len(member) > 2 || strings.EqualFold(wrong, member)) // other short names are near to all
					if got := strings.Contains(message, fmt.Sprintf("did you mean %q?", member)); got != near {
						t.Errorf("%s in %s: a near name %t, want %t: %s", record, name, got, near, message)
					}
					d.Close()
				}
			}
		}
	}
}

// With Replace, quads with blank nodes are set aside while they are few.
func TestBlankNodesAreSetAsideWhileTheyAreFew(t *testing.T) {
	testrun.Alone(t)
	for n, aside := range map[int]int{3: 3, load.MaxBlank: load.MaxBlank, load.MaxBlank + 1: 0} {
		text := "<urn:s> <urn:p> 1 ." + strings.Repeat("<urn:s> <urn:p> [] .\n", n)
		o := load.Options{Format: load.Turtle, Mode: load.Replace, Graph: "urn:g", Inputs: []load.Input{{Name: "in", Reader: strings.NewReader(text)}}}
		d, err := load.Read(t.Context(), o, notes(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Blank) != aside || d.Edits.Len() != int64(n+1-aside) {
			t.Errorf("of %d quads %d are set aside and %d are edits", n+1, len(d.Blank), d.Edits.Len())
		}
		d.Close()
	}
}

// TestWhatBreaksOffIsNotLeftOut holds that an input of which nobody knows the rest is refused even where bad rows are left out.
func TestWhatBreaksOffIsNotLeftOut(t *testing.T) {
	testrun.Alone(t)
	for name, c := range map[string]struct{ text, place string }{
		"open.csv":   {"id,title\na,A\n\"" + strings.Repeat("b\n", 9<<20), "open.csv:3:1"},
		"open.json":  {`[{"id":"a","title":"A"},` + "\n" + `{"id":"b","title":"B"}`, "open.json:2"},
		"more.json":  {`[{"id":"a","title":"A"}]` + "\n" + `[{"id":"b","title":"B"}]`, "more.json:2"},
		"empty.json": {" ", "empty.json:1"},
	} {
		for _, rejects := range []bool{false, true} {
			o := load.Options{Type: "Note", Format: load.FormatByName(name), Rejects: rejects, Inputs: []load.Input{{Name: name, Reader: strings.NewReader(c.text)}}}
			if o.Format != load.CSV {
				o.Format = load.JSONArray
			}
			d, err := load.Read(t.Context(), o, notes(t), nil)
			if err == nil {
				err = fault.Invalid(d.Bad)
				if !d.Partial {
					t.Errorf("%s is not known to be partial", name)
				}
				d.Close()
			}
			if fields := fault.Of(err).Fields; !fault.Is(err, fault.InvalidData) || len(fields) != 1 || fields[0].Source != c.place {
				t.Errorf("%s with rejects %t: %v %+v, want %s", name, rejects, err, fields, c.place)
			}
		}
	}
}
