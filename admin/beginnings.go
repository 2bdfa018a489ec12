package admin

import (
	"fmt"
	"net/http"
	"strings"

	"trails/builtin/view"
	demo "trails/example"
	"trails/invoke"
	"trails/schema"
)

// importExample imports the built-in example, its types and its nodes, as one commit. Unlike in the file of `trails demo`
// the nodes are as they are at the end, and the types are in the graph's own namespace.
func (s *site) importExample(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	types, err := schema.ParseYAML(demo.Schema, "")
	if err != nil {
		return fmt.Errorf("the schema of the example: %w", err)
	}
	data, err := demo.Whole()
	if err != nil {
		return err
	}
	d := &importData{Name: "the example", Once: values.Get(keyName), Plan: &view.ImportPlan{}}
	var patch strings.Builder
	for _, t := range types.Types {
		patch.WriteString("- add_type:\n")
		for line := range strings.Lines(string(types.TypeYAML(t))) {
			patch.WriteString("    " + line)
		}
		d.Plan.Tables = append(d.Plan.Tables, view.ImportTable{Type: t.Name})
	}
	a := s.asker(w, r)
	a.call.Inputs = []invoke.Input{{Name: "example.ndjson", Source: "example.ndjson", Reader: strings.NewReader(string(data)), Size: int64(len(data))}}
	a.call.IdempotencyKey = d.Once
	done := &importDone{}
	err = a.ask("import", map[string]any{"patch": patch.String(), "tables": []view.ImportedTable{{}}, "format": "ndjson", "mode": "append", "message": "import the example"}, done)
	a.call.Inputs, a.call.IdempotencyKey = nil, ""
	if err != nil {
		d.Plan = nil
		return s.importRefused(w, r, d, err)
	}
	d.Done = done
	if done.Commit != nil {
		d.Commit = *done.Commit
	}
	return s.showImport(w, r, http.StatusOK, d)
}

// beginning is a schema that an empty graph can be begun with.
type beginning struct{ name, about, schema string }

// beginnings are small enough to be read whole, and show references, dates and lists of values.
var beginnings = []beginning{
	{"people and teams", "People with email, date of hiring and manager, in teams.", `types:
  Team:
    label: name
    properties:
      name: {type: string, required: true, unique: true}
  Person:
    label: name
    properties:
      name: {type: string, required: true}
      email: {type: string}
      hired: {type: date, label: Hired on}
      team: {class: Team}
      manager: {class: Person}
`},
	{"projects and tasks", "Projects with tasks, who does them, and how far they are.", `types:
  Project:
    label: name
    properties:
      name: {type: string, required: true, unique: true}
      begins: {type: date, label: Begins on}
      ends: {type: date, label: Ends on}
  Task:
    label: title
    properties:
      title: {type: string, required: true}
      project: {class: Project}
      status: {type: string, one_of: [open, doing, done]}
      due: {type: date, label: Due on}
      after: {class: Task, many: true, label: Comes after}
`},
	{"a library", "Books, their authors, subjects and years.", `types:
  Author:
    label: name
    properties:
      name: {type: string, required: true}
      born: {type: integer, label: Year of birth}
  Book:
    label: title
    properties:
      title: {type: string, required: true}
      authors: {class: Author, many: true}
      published: {type: integer, label: Year of publication}
      isbn: {type: string, unique: true, label: ISBN}
      subjects: {type: string, many: true}
`},
}
