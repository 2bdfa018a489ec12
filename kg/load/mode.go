package load

import (
	"fmt"
	"slices"

	"trails/fault"
)

// Mode says how a load treats existing data.
type Mode string

// The modes.
const (
	// Merge makes new nodes and sets the given properties of existing ones; RDF text is added.
	Merge Mode = "merge"
	// Append makes new nodes only: one that exists is refused.
	Append Mode = "append"
	// Skip makes new nodes, and passes over records of those that exist.
	Skip Mode = "skip"
	// Overwrite replaces every instance of the types that the data has.
	Overwrite Mode = "overwrite"
	// Replace puts RDF text in the place of one graph. Statements that stay are not
	// touched, nor are blank nodes when all of them say the same as before.
	Replace Mode = "replace"
)

// Modes are all that there are.
func Modes() []Mode { return []Mode{Merge, Append, Skip, Overwrite, Replace} }

// check refuses an unknown mode; an empty mode is Merge.
func (m Mode) check() error {
	if m == "" || slices.Contains(Modes(), m) {
		return nil
	}
	return fault.Arguments(fault.FieldError{Field: "mode", Code: fault.OneOf, Value: string(m), Constraint: Modes(),
		Message: fmt.Sprintf("mode %q is not one of merge, append, skip, overwrite, replace", m)})
}
