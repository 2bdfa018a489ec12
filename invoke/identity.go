package invoke

import (
	"fmt"
	"slices"

	"trails/capability"
	"trails/kg"
	"trails/text/jsontext"
)

// besides are arguments that limit the work or affect errors only, but not what is done.
var besides = []string{"timeout_ms", "keep_going", capability.AllowMassChange}

// identity is the canonical form of a call for idempotency: the id of the capability and its arguments. Members are
// sorted, numbers have one notation, and arguments equal to their default are left out. The data of a load (see
// [Capability.Inputs]) is not included: it is digested while it is read, from an argument or from streams.
func (r *Request) identity() ([32]byte, error) {
	args := map[string]any{}
	for name, v := range r.Args {
		f, _ := r.Capability.InputShape.Field(name)
		isDefault := f.Default != nil && jsontext.Equal(v, f.Default) || name == "branch" && v == kg.Main
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
