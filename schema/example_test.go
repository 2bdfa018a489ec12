package schema_test

import (
	"fmt"

	"trails/schema"
)

func Example() {
	s, err := schema.ParseYAML([]byte(`
types:
  Book:
    label: title
    properties:
      title: {type: string, required: true}
      year: {type: integer, min_value: 1450}
`), "urn:trails:library:")
	if err != nil {
		fmt.Println(err)
		return
	}
	book := s.Type("Book")
	fmt.Println(s.EntityIRI(book, "dune"))
	_, problem := s.Term(s.Property(book, "year"), "1965")
	fmt.Println(problem.Message)
	// Output:
	// <urn:trails:library:Book/dune>
	// year: "1965" is not a valid integer; give one such as 42
}
