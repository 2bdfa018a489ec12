// Package policy decides who may do what. It knows a caller as a [Principal],
// which an edge resolved once from a token or the lack of one; nothing here asks
// how. Decisions are pure functions of the principal and of what is asked for.
//
// Read [Principal] first, then [Allow].
package policy

import (
	"trails/fault"
)

// Principal is a caller, as the edge that let it in resolved it. The zero value
// is nobody: not authenticated and without scopes.
type Principal struct {
	// ID says who: "local:ana", "anonymous", "token:ci".
	ID string
	// Owner is whose the idempotency keys are that they give: the token's or, where none is
	// asked for, the user's whose process they reached. Empty means ID.
	Owner string
	// Client is the program that speaks for them, such as "claude-code 2.1"; it
	// is what the program says of itself and proves nothing.
	Client string
	// Scopes are the effective ones: those of the process that the token has too.
	Scopes Scopes
	// Authenticated reports that the edge knows who it is.
	Authenticated bool
}

// Anonymous returns the principal of a caller that showed no token.
func Anonymous(client string, scopes Scopes) Principal {
	return Principal{ID: "anonymous", Client: client, Scopes: scopes}
}

// Local returns the principal of a person at this machine's command line: whoever
// can write the file has every scope.
func Local(user, client string) Principal {
	return Principal{ID: "local:" + user, Client: client, Scopes: AllScopes(), Authenticated: true}
}

// Author returns the name that commits carry: the ID, and the client after " via "
// when there is one. Nobody is "anonymous".
func (p Principal) Author() string {
	id := p.ID
	if id == "" {
		id = "anonymous"
	}
	if p.Client == "" {
		return id
	}
	return id + " via " + p.Client
}

// Allow returns nil when p may use a tool that requires this scope. Builder and
// dev tools are Unauthenticated for a caller that the edge does not know;
// otherwise a missing scope is ScopeDenied and says which (contract, section 7).
func Allow(p Principal, required Scope, tool string) error {
	if required != Runtime && !p.Authenticated {
		return fault.New(fault.Unauthenticated, "Authentication failed")
	}
	if p.Scopes.Has(required) {
		return nil
	}
	return fault.New(fault.ScopeDenied, "scope denied: %s requires %s", tool, required).
		With("tool", tool).
		With("required_scope", string(required)).
		With("caller_scopes", p.Scopes.List())
}

// Production is the environment that hides and refuses dev tools.
const Production = "production"

// Visible reports whether a process of this environment has tools of this scope
// at all: production hides dev, and a call to such a tool meets an unknown one.
func Visible(env string, required Scope) bool {
	return env != Production || required != Dev
}
