package policy

import (
	"crypto/sha256"
	"strings"
	"time"
)

// Grant is what a person gave to a client: access to one graph in their name. It belongs to a [Token], whose name, scopes and
// end are those of the grant, and whose hash is that of the client's latest access token. Its secrets are kept as hashes.
type Grant struct {
	// Person is the ID of who gave it: with a token of the graph, or of the identity provider.
	Person string
	// Groups are those of a person of the identity provider when they gave it. Who has a token of the graph is in its groups.
	Groups []string
	// Client is the client's ID, Host the name to which its answers go, and Title what it calls itself, which proves nothing.
	Client, Host, Title string
	// Issuer is the authorization server that gave it. Its access tokens are for that server alone.
	Issuer string
	// Redirect and Challenge are those of the request for it (RFC 6749, section 4.1.1; RFC 7636, section 4.3).
	Redirect, Challenge string
	// Code is the hash of the authorization code, Refresh that of the refresh token that counts, and Family that of how all
	// refresh tokens of the grant begin. The zero value is no secret's.
	Code, Refresh, Family [sha256.Size]byte
	// Until is when the access token expires; the zero time means that the code was not used yet.
	Until time.Time
}

// GrantPrefix begins the names of the tokens of grants.
const GrantPrefix = "grant-"

// Label is what commits and provenance have as the client of a grant: its host, and the name of the grant.
func (t Token) Label() string { return t.Grant.Host + " (" + t.Name + ")" }

// GrantIn returns the name of the grant in the author of a call that was made by it, "" if it was made by none.
func GrantIn(author string) string {
	_, last, _ := strings.Cut(author, " ("+GrantPrefix)
	name, is := strings.CutSuffix(last, ")")
	if !is || !TokenName.MatchString(GrantPrefix+name) {
		return ""
	}
	return GrantPrefix + name
}
