// Package scaffold writes first versions of files that people keep beside a graph: types,
// shapes, capabilities and their tests. It returns texts and never touches a disk: the
// same arguments and the same schema give the same bytes. Read [Diff] first.
package scaffold

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"trails/fault"
	"trails/schema"
)

// Action says what becomes of a file.
type Action string

// What can become of a file.
const (
	Create Action = "create"
	Modify Action = "modify"
	Delete Action = "delete"
)

// File is one file that is proposed.
type File struct {
	// Path is relative to a directory that the reader chooses, with slashes.
	Path   string `json:"path" doc:"Relative."`
	Action Action `json:"action" oneof:"create,modify,delete"`
	// Diff leads from the present text to Content, as git apply and patch take it.
	Diff string `json:"diff" doc:"Unified."`
	// Content is empty for a file that goes.
	Content string `json:"content" doc:"The new text."`
}

// Diff is a set of files that are proposed together. A file whose text would stay as it is
// is left out, so that Files may be empty; it is never nil.
type Diff struct {
	Files []File `json:"files"`
}

// Draft is a file as somebody wants it.
type Draft struct{ Path, Text string }

// Between returns what leads to the drafts from the texts that are there now, by path. A
// path that has no text now is a file to create.
func Between(now map[string]string, drafts ...Draft) Diff {
	d := Diff{Files: []File{}}
	for _, draft := range drafts {
		was, there := now[draft.Path]
		f := File{Path: draft.Path, Action: Create, Content: draft.Text}
		from := "/dev/null"
		switch {
		case there && was == draft.Text:
			continue
		case there:
			f.Action, from = Modify, "a/"+draft.Path
		}
		text := string(diff.Diff(from, []byte(was), "b/"+draft.Path, []byte(draft.Text)))
		_, f.Diff, _ = strings.Cut(text, "\n") // without a line that names a command
		d.Files = append(d.Files, f)
	}
	return d
}

// typeOf finds a type by the name in an argument.
func typeOf(s *schema.Schema, argument, name string) (*schema.Type, error) {
	if t := s.Type(name); t != nil {
		return t, nil
	}
	var names []string
	for _, t := range s.Types {
		names = append(names, t.Name)
	}
	return nil, fault.Argument(argument, fault.OneOf, name, "the schema has no type "+name+fault.DidYouMean(name, names))
}
