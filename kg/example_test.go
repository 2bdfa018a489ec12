package kg_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trails/auth/policy"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
)

// A Go program embeds the graph: it makes a file with a schema, writes a node that
// the schema accepts, is refused one that it does not, and reads back.
func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "trails")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "library.db")

	me := policy.Local("ana", "example")
	err := kg.Create(ctx, path, kg.CreateOptions{By: me, Schema: []byte(`
types:
  Book:
    label: title
    key: isbn
    iri: key
    properties:
      isbn: {type: string, required: true, pattern: '^\d{13}$'}
      title: {type: string, required: true}
`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	session := g.Session(me)

	write := func(values map[string]any) {
		var edits []change.Edit
		session.View(ctx, func(s *kg.Snapshot) error {
			edits = change.CreateEntity(s.Schema(), change.Entity{Type: s.Schema().Type("Book"), Values: values}).List
			return nil
		})
		result, err := session.Commit(ctx, kg.ChangeSet{Edits: edits, Message: "a book"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("added", result.AddedCount, "by", result.After.Author)
	}
	write(map[string]any{"isbn": "9780441013593", "title": "Dune"})
	write(map[string]any{"isbn": "none"})

	session.View(ctx, func(s *kg.Snapshot) error {
		books, err := s.Table(ctx, browse.TableQuery{Type: s.Schema().Type("Book"), Limit: 10})
		for _, row := range books.Rows {
			fmt.Println(row.Node.Label)
		}
		return err
	})
	// Output:
	// added 3 by local:ana via example
	// validation failed on 2 fields
	//   isbn must match ^\d{13}$; "none" does not
	//   title is required
	// Dune
}
