package schema_test

import (
	"encoding/json"
	"testing"
)

func BenchmarkTerm(b *testing.B) {
	s := parse(b, everyDatatype)
	for property, v := range map[string]any{
		"string": "some text of a usual length", "integer": json.Number("12345"), "datetime": "2024-02-29T10:00:00.000Z", "ref": "Thing/T1059.001",
	} {
		p := s.Property(s.Type("Thing"), property)
		b.Run(property, func(b *testing.B) {
			for b.Loop() {
				if _, problem := s.Term(p, v); problem != nil {
					b.Fatal(problem.Message)
				}
			}
		})
	}
}
