package policy

import (
	"strings"

	"trails/fault"
)

// Scope is a kind of work that callers may be allowed to do. No scope includes another.
type Scope string

// The scopes.
const (
	Runtime Scope = "runtime" // use the graph
	Builder Scope = "builder" // change its schema, queries, policies and migrations
	Dev     Scope = "dev"     // generate files; hidden in production
)

// scopeOrder lists the scopes by name; a scope's index is its bit in [Scopes].
var scopeOrder = [...]Scope{Builder, Dev, Runtime}

// Valid reports whether s is one of the scopes.
func (s Scope) Valid() bool { return s.bit() != 0 }

func (s Scope) bit() uint8 {
	for i, known := range scopeOrder {
		if s == known {
			return 1 << i
		}
	}
	return 0
}

// Scopes is an immutable set of scopes, comparable with ==. The zero value is empty.
type Scopes struct{ bits uint8 }

// NewScopes returns a set of scopes; unknown ones are ignored.
func NewScopes(scopes ...Scope) Scopes {
	var set Scopes
	for _, s := range scopes {
		set.bits |= s.bit()
	}
	return set
}

// AllScopes returns the set of every scope.
func AllScopes() Scopes { return NewScopes(scopeOrder[:]...) }

// ParseScopes reads a comma-separated list such as "runtime,builder". Spaces around words are ignored, "" is
// the empty set, and an unknown word is an InvalidArguments fault that names it.
func ParseScopes(list string) (Scopes, error) {
	var set Scopes
	if strings.TrimSpace(list) == "" {
		return set, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		s := Scope(strings.TrimSpace(word))
		if !s.Valid() {
			return Scopes{}, fault.New(fault.InvalidArguments, "unknown scope %q: allowed are %s", string(s), AllScopes())
		}
		set.bits |= s.bit()
	}
	return set, nil
}

// Has reports whether s is in the set.
func (set Scopes) Has(s Scope) bool { return set.bits&s.bit() != 0 }

// Intersect returns the scopes that are in both sets.
func (set Scopes) Intersect(other Scopes) Scopes { return Scopes{set.bits & other.bits} }

// With returns the set with s added.
func (set Scopes) With(s Scope) Scopes { return Scopes{set.bits | s.bit()} }

// Without returns the scopes that are not in other.
func (set Scopes) Without(other Scopes) Scopes { return Scopes{set.bits &^ other.bits} }

// List returns the names in alphabetical order, never nil.
func (set Scopes) List() []string {
	names := make([]string, 0, len(scopeOrder))
	for _, s := range scopeOrder {
		if set.Has(s) {
			names = append(names, string(s))
		}
	}
	return names
}

// String returns the names in alphabetical order, such as "builder, runtime".
func (set Scopes) String() string { return strings.Join(set.List(), ", ") }
