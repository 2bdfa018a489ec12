package kg_test

import (
	"slices"
	"testing"

	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/rdf"
)

// A year, a month or, for times, a day stands for all dates and times in it.
func TestAConditionOnAPeriodHasTheDatesInIt(t *testing.T) {
	g := open(t, newFile(t, `
types:
  Event: {key: code, iri: key, properties: {code: {type: string, required: true}, on: date, began: datetime, days: {type: date, many: true}}}
`))
	var edits []change.Edit
	for code, day := range map[string]string{"a": "2022-12-31", "b": "2023-01-01", "c": "2023-04-30", "d": "2023-12-31", "e": "2024-01-01"} {
		edits = append(edits, saying("Event", code)...)
		node := edits[len(edits)-1].Quad.Subject
		for _, v := range []struct{ property, text, datatype string }{{"on", day, "date"}, {"began", day + "T23:30:00Z", "dateTime"}, {"days", "2000-01-01", "date"}, {"days", day, "date"}} {
			edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.IRI(base + v.property), Object: rdf.Literal(v.text, rdf.IRI(rdf.XSDNS+v.datatype))}})
		}
	}
	commit(t, g, edits)
	view(t, g, func(s *kg.Snapshot) error {
		event := s.Schema().Type("Event")
		for _, c := range []struct {
			property, op, value string
			want                []string
		}{
			{"on", "=", "2023", []string{"b", "c", "d"}}, {"on", "", "2023-04", []string{"c"}}, {"on", "=", "2023-01-01", []string{"b"}},
			{"on", "<", "2023", []string{"a"}}, {"on", "<=", "2023", []string{"a", "b", "c", "d"}}, {"on", ">", "2023", []string{"e"}}, {"on", ">=", "2023-12", []string{"d", "e"}},
			{"on", "=", "2025", nil}, {"on", ">", "2022-12", []string{"b", "c", "d", "e"}},
			{"began", "=", "2023", []string{"b", "c", "d"}}, {"began", "=", "2023-12-31", []string{"d"}}, {"began", "<", "2023-01-02", []string{"a", "b"}}, {"began", ">", "2023-12-31", []string{"e"}},
			{"days", ">=", "2024", []string{"e"}},
		} {
			path, _ := s.PathOf(event, c.property)
			where, wrong := s.ConditionOf(path, c.op, c.value)
			if len(wrong) > 0 {
				t.Errorf("%v: %v", c, wrong)
				continue
			}
			table, err := s.Table(t.Context(), browse.TableQuery{Type: event, Where: []browse.Condition{where}, Limit: 10})
			if err != nil {
				return err
			}
			var got []string
			for _, row := range table.Rows {
				got = append(got, row.Node.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s %s %s has %v, want %v", c.property, c.op, c.value, got, c.want)
			}
		}
		for _, c := range [][3]string{{"days", "=", "2023"}, {"on", "!=", "2023"}, {"on", "=", "2023-13"}, {"on", "=", "23"}} { // nothing is guessed
			path, _ := s.PathOf(event, c[0])
			if where, wrong := s.ConditionOf(path, c[1], c[2]); len(wrong) == 0 {
				t.Errorf("%v is taken as %v", c, where)
			}
		}
		return nil
	})
}
