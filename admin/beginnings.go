package admin

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
      hired: {type: date}
      team: {class: Team}
      manager: {class: Person}
`},
	{"projects and tasks", "Projects with tasks, who does them, and how far they are.", `types:
  Project:
    label: name
    properties:
      name: {type: string, required: true, unique: true}
      begins: {type: date}
      ends: {type: date}
  Task:
    label: title
    properties:
      title: {type: string, required: true}
      project: {class: Project}
      status: {type: string, one_of: [open, doing, done]}
      due: {type: date}
      after: {class: Task, many: true}
`},
	{"a library", "Books, their authors, subjects and years.", `types:
  Author:
    label: name
    properties:
      name: {type: string, required: true}
      born: {type: integer}
  Book:
    label: title
    properties:
      title: {type: string, required: true}
      authors: {class: Author, many: true}
      published: {type: integer}
      isbn: {type: string, unique: true}
      subjects: {type: string, many: true}
`},
}
