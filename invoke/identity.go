package invoke

import (
	"fmt"
	"slices"

	"trails/capability"
	"trails/text/jsontext"
)

// besides are arguments that say how far the work may go and how errors are told, and
// nothing of what is to be done.
var besides = []string{"timeout_ms", "keep_going", capability.AllowMassChange}

// identity is what an idempotency key stands for: the capability and its arguments, in
// one form for all that ask for the same. The capability is its id, whichever name it was
// called by. Members are sorted, numbers are written in one way, and an argument with its
// default is one that is left out. The data of a load (see [Capability.Inputs]) is not in
// it: it is digested as it is read, whether it came as an argument or as streams.
func (r *Request) identity() ([32]byte, error) {
	args := map[string]any{}
	for name, v := range r.Args {
		f, _ := r.Capability.InputShape.Field(name)
		isDefault := f.Default != nil && jsontext.Equal(v, f.Default) || name == "branch" && v == MainBranch
		if !isDefault && !slices.Contains(besides, name) {
			args[name] = v
		}
	}
	delete(args, r.Capability.Inputs)
	text, err := jsontext.Canonical(args)
	if err != nil {
		return [32]byte{}, fmt.Errorf("encode arguments: %w", err)
	}
	return [32]byte(digest(r.Capability.ID, text)), nil
}
