// Package policy decides who may do what. It knows a caller as a [Principal],
// which an edge resolved once from a token or the lack of one; nothing here asks
// how. Decisions are pure functions of the principal and of what is asked for.
//
// Read [Principal] first, then [Allow].
package policy

import (
	"strings"

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

// May reports whether p may use tools that require this scope; [Allow] says why not.
func May(p Principal, required Scope) bool {
	return p.Scopes.Has(required) && (required == Runtime || p.Authenticated)
}

// Allow returns nil when p may use a tool that requires this scope. Builder and
// dev tools are Unauthenticated for a caller that the edge does not know;
// otherwise a missing scope is ScopeDenied. Both say which scope is missing and how a
// process gives it (contract, section 7).
func Allow(p Principal, required Scope, tool string) error {
	if May(p, required) {
		return nil
	}
	setting := "TRAILS_MCP_SCOPES=" + strings.Join(p.Scopes.With(required).List(), ",")
	refusal := fault.New(fault.ScopeDenied, "scope denied: %s requires %s; start the process with %s", tool, required, setting)
	if required != Runtime && !p.Authenticated {
		p.Scopes = p.Scopes.Intersect(NewScopes(Runtime))
		refusal = fault.New(fault.Unauthenticated, "Authentication failed: %s requires %s, and callers without a token have runtime at most. Start the process with %s and one of: %s",
			tool, required, setting, strings.Join(waysToBeKnown, "; ")).With("ways", waysToBeKnown)
	}
	return refusal.With("tool", tool).With("required_scope", string(required)).With("caller_scopes", p.Scopes.List())
}

// waysToBeKnown are the ways by which a caller has more than runtime. What starts a process
// says the same in its help.
var waysToBeKnown = []string{
	"over stdio --operator, for who starts it",
	"over stdio TRAILS_MCP_TOKEN, with the client's token in TRAILS_TOKEN",
	"over HTTP TRAILS_MCP_TOKEN, sent as Authorization: Bearer",
	"on the pages the sign-in link that serve prints",
}

// Production is the environment that hides and refuses dev tools.
const Production = "production"

// Visible reports whether a process of this environment has tools of this scope
// at all: production hides dev, and a call to such a tool meets an unknown one.
func Visible(env string, required Scope) bool {
	return env != Production || required != Dev
}
