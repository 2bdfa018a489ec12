package policy

import (
	"crypto/sha256"
	"crypto/subtle"
	"regexp"
	"strings"
	"time"
)

// Token is what a graph knows of a token that it issued. The token itself, its secret, is shown once and not kept. The
// zero value admits nobody.
type Token struct {
	// Name is unique in the graph; see [TokenName].
	Name string
	// Hash is the SHA-256 of the secret.
	Hash [sha256.Size]byte
	// Scopes are the most that a caller with the token may have.
	Scopes Scopes
	// Groups are the groups that the caller is in, for policies.
	Groups []string
	// Created by Creator at this time.
	Created time.Time
	Creator string
	// Expires is when it ceases to be valid; the zero time is never.
	Expires time.Time
	// Revoked by Revoker at this time; the zero time is not.
	Revoked time.Time
	Revoker string
	// Grant is what a person gave to a client, whose access token this is; nil for a token that was issued to somebody.
	Grant *Grant
	// Used is about when a call with it was recorded last, to the minute; the zero time is never.
	Used time.Time
}

// TokenName matches the names that tokens and groups may have.
var TokenName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// tokenPrefix begins every secret, so that people and scanners see what it is.
const tokenPrefix = "trails_"

// Secret returns the secret of the token with a name, of random letters and digits: trails_ci_ and these.
func Secret(name, random string) string { return tokenPrefix + name + "_" + random }

// NameInSecret returns the name of the token that a secret says it is of; "" if it has not the form of one.
func NameInSecret(secret string) string {
	rest, is := strings.CutPrefix(secret, tokenPrefix)
	name, _, whole := strings.Cut(rest, "_")
	if !is || !whole || !TokenName.MatchString(name) {
		return ""
	}
	return name
}

// Admits reports whether a hash is that of the token's secret, and the token is valid at a time.
func (t Token) Admits(hash [sha256.Size]byte, at time.Time) bool {
	return t.Is(hash) && t.Valid(at) && (t.Grant == nil || at.Before(t.Grant.Until))
}

// Is reports whether a hash is that of the token's secret, also of one that is not valid any more. The comparison takes the
// same time for every hash.
func (t Token) Is(hash [sha256.Size]byte) bool {
	return subtle.ConstantTimeCompare(hash[:], t.Hash[:]) == 1
}

// Valid reports whether the token is neither revoked nor expired at a time.
func (t Token) Valid(at time.Time) bool {
	return t.Name != "" && t.Revoked.IsZero() && (t.Expires.IsZero() || at.Before(t.Expires))
}

// Principal is the caller by the token in a process that has all scopes.
func (t Token) Principal() Principal {
	return Principal{ID: t.Actor(), Owner: t.Actor(), Scopes: t.Scopes, Groups: t.Groups, Authenticated: true}
}

// Actor is the ID of a caller with the token.
func (t Token) Actor() string { return TokenActor + t.Name }

// TokenActor begins the ID of callers with a token of the graph.
const TokenActor = "token:"
