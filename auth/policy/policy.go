// Package policy decides who may do what. Callers are [Principal]s; how they were identified does not matter
// here. Decisions are pure functions of the principal and the request.
//
// Read [Principal] first, then [Allow].
package policy

import (
	"strings"

	"trails/fault"
)

// Principal is an identified caller. The zero value is nobody: not authenticated, without scopes.
type Principal struct {
	// ID is the caller's name: "local:ana", "anonymous", "token:ci", "oidc:4711@id.example.org".
	ID string
	// Owner is the owner of the caller's idempotency keys: that of the token or, without a token, the user of
	// the process. "" means ID.
	Owner string
	// Issuer is the URL of the identity provider whose token the caller showed; "" for every other caller.
	Issuer string
	// Client is the caller's program, such as "claude-code", by its own unverified statement; with a grant it is that of
	// [Token.Label].
	Client string
	// Version is that of the client, such as "2.1", by the same statement; "" if it says none. It is recorded, and decides
	// nothing.
	Version string
	// Grant is the name of the grant by which a client acts for the caller; "" for every other caller.
	Grant string
	// Scopes are the effective scopes: those that both process and token have.
	Scopes Scopes
	// Process are the scopes of the process where the caller's token may have fewer; otherwise it is empty.
	Process Scopes
	// Groups are the groups that the caller is in by its token, in alphabetical order; empty for none. They are shared, and
	// not to be changed.
	Groups []string
	// Origin is the class of what the caller writes, by the door that it came through; see [Principal.Through].
	Origin Origin
	// Authenticated means that the caller's identity was verified.
	Authenticated bool
	// Owns means that the caller has the file: who works on it by the command line, and who started the process. The
	// policies in the file do not bind it, because it can replace them.
	Owns bool
}

// anonymous is the ID of callers without a token.
const anonymous = "anonymous"

// ProcessActor is the ID of callers with the token of the process, and OIDCActor begins that of those whom an identity
// provider knows.
const (
	ProcessActor = "token"
	OIDCActor    = "oidc:"
)

// NoCaller says why no caller is called by a name, "" if one may be.
func NoCaller(name string) string {
	at := strings.LastIndex(name, "@") + 1
	switch provided := strings.HasPrefix(name, OIDCActor) && at > 0; {
	case provided && strings.HasPrefix(name[at:], "https://"):
		return "no caller is called so; the issuer is without https://, as in " + name[:at] + strings.TrimPrefix(name[at:], "https://")
	case provided, name == anonymous, name == ProcessActor, strings.HasPrefix(name, TokenActor), strings.HasPrefix(name, LocalActor):
		return ""
	}
	return "callers are called token:NAME, oidc:SUB@ISSUER, local:USER, token or anonymous"
}

// Anonymous returns the principal of a caller without a token.
func Anonymous(client string, scopes Scopes) Principal {
	return Principal{ID: anonymous, Client: client, Scopes: scopes}
}

// Local returns the principal of a user of the command line: someone who can write the file has all scopes.
func Local(user, client string) Principal {
	return Principal{ID: LocalActor + user, Client: client, Scopes: AllScopes(), Authenticated: true, Owns: true}
}

// Author returns the author of the caller's commits: the ID and, if there is one, " via " and the client without its version.
// Without an ID it is "anonymous".
func (p Principal) Author() string {
	id := p.ID
	if id == "" {
		id = anonymous
	}
	if p.Client == "" || p.Grant == "" && GrantIn(p.Client) != "" { // a program that calls itself like a grant is none
		return id
	}
	return id + via + p.Client
}

// May reports whether p may use tools that require a scope; [Allow] gives the reason.
func May(p Principal, required Scope) bool {
	return p.Scopes.Has(required) && (required == Runtime || p.Authenticated)
}

// Allow returns nil if p may use a tool that requires a scope. Otherwise the fault is ScopeDenied or, for
// builder and dev tools and an unauthenticated caller, Unauthenticated. Both name the missing scope and how
// to grant it.
func Allow(p Principal, required Scope, tool string) error {
	if May(p, required) {
		return nil
	}
	setting := "TRAILS_MCP_SCOPES=" + strings.Join(p.Scopes.With(required).List(), ",")
	refusal := fault.New(fault.ScopeDenied, "scope denied: %s requires %s; start the process with %s", tool, required, setting)
	switch {
	case p.Process.Has(required) && p.Grant != "":
		refusal = fault.New(fault.ScopeDenied, "scope denied: %s requires %s, which %s did not give to this client, or has not; connect the client again, and tick %s on the page that asks what it may do",
			tool, required, p.ID, required)
	case p.Process.Has(required) && p.Issuer != "":
		refusal = fault.New(fault.ScopeDenied, "scope denied: %s requires %s, which the token of %s has not; the identity provider %s gives scopes, in the claim scope, scopes or scp",
			tool, required, p.ID, p.Issuer)
	case p.Process.Has(required):
		refusal = fault.New(fault.ScopeDenied, "scope denied: %s requires %s, which %s has not; somebody with the scope builder issues a token that has it: trails token create FILE NAME --scopes %s",
			tool, required, p.ID, strings.Join(p.Scopes.With(required).List(), ","))
	case required != Runtime && !p.Authenticated:
		p.Scopes = p.Scopes.Intersect(NewScopes(Runtime))
		refusal = fault.New(fault.Unauthenticated, "Authentication failed: %s requires %s, and callers that are not authenticated have runtime at most. Start the process with %s and one of: %s",
			tool, required, setting, strings.Join(waysToBeKnown, "; ")).With("ways", waysToBeKnown)
	}
	return refusal.With("tool", tool).With("required_scope", string(required)).With("caller_scopes", p.Scopes.List())
}

// waysToBeKnown are the ways to get more scopes than runtime. The help of commands that start a process says
// the same.
var waysToBeKnown = []string{
	"over stdio TRAILS_ENV=dev or --operator, for who starts it",
	"over stdio a token of trails token create, or that of TRAILS_MCP_TOKEN, in TRAILS_TOKEN",
	"over HTTP a token of trails token create, or that of TRAILS_MCP_TOKEN, sent as Authorization: Bearer",
	"on the pages the sign-in link that serve prints",
}

// Production is the environment without dev tools.
const Production = "production"

// Visible reports whether an environment has tools of a scope at all. Production hides dev tools, and calls
// to them are answered as for unknown tools.
func Visible(env string, required Scope) bool {
	return env != Production || required != Dev
}
