// Package scaffold writes first versions of files that people keep beside a graph: types,
// shapes, capabilities and their tests. It returns texts, and reads or writes no files: the
// same arguments and schema give the same bytes. Read [Diff] first.
package scaffold

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"trails/fault"
	"trails/schema"
)

// Action says whether a file is created, changed or deleted.
type Action string

// The actions on a file.
const (
	Create Action = "create"
	Modify Action = "modify"
	Delete Action = "delete"
)

// File is one proposed change of a file.
type File struct {
	// Path is relative to a directory of the reader's choice, with slashes.
	Path   string `json:"path" doc:"Relative."`
	Action Action `json:"action" oneof:"create,modify,delete"`
	// Diff changes the present text into Content, in the format of git apply and patch.
	Diff string `json:"diff" doc:"Unified."`
	// Content is the new text; "" for a deleted file.
	Content string `json:"content" doc:"The new text."`
}

// Diff is a set of proposed changes. Unchanged files are left out; Files may be empty and is
// never nil.
type Diff struct {
	Files []File `json:"files"`
}

// Draft is the wanted text of a file.
type Draft struct{ Path, Text string }

// Between returns the changes from the present texts, by path, to the drafts. A path without a
// present text is a file to create.
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
		_, f.Diff, _ = strings.Cut(text, "\n") // without the first line, which names a command
		d.Files = append(d.Files, f)
	}
	return d
}

// typeOf returns the type that an argument names.
func typeOf(s *schema.Schema, argument, name string) (*schema.Type, error) {
	if t := s.Type(name); t != nil {
		return t, nil
	}
	return nil, fault.Argument(argument, fault.OneOf, name, s.NoType(name, s.Types...))
}
