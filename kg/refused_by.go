package kg

import (
	"net/url"
	"strings"
)

// refusedBy begins the IRI by which provenance names what refused a call, among what the call used.
const refusedBy = "urn:trails:refused:"

// Refused is what refused a call: a scope that the caller lacks, a branch that is protected, or the state of a token. The
// zero Refused is something that is not recorded.
type Refused struct {
	// What is "scope", "branch", "policy" or "token", Of the scope, the branch, the policies that forbid it ("" where none
	// permits it), or what the token was: missing, wrong, expired, revoked, or a key of
	// webTokens or grantTokens.
	What, Of string
	// Name is the name of the token, if any; that of a wrong one proves nothing. For policies it is the names of those whose
	// conditions could not be evaluated.
	Name string
}

// IRI names it in provenance; "" for the zero Refused.
func (r Refused) IRI() string {
	if r.What == "" {
		return ""
	}
	iri := refusedBy + r.What + ":" + url.QueryEscape(r.Of)
	if r.Name != "" {
		iri += ":" + url.QueryEscape(r.Name)
	}
	return iri
}

// RefusedBy returns what refused the call of an activity.
func RefusedBy(a Activity) (r Refused) {
	for _, iri := range a.Used {
		rest, is := strings.CutPrefix(iri, refusedBy)
		parts := strings.SplitN(rest, ":", 3)
		if !is || len(parts) < 2 {
			continue
		}
		texts := make([]string, 3)
		for i, part := range parts {
			if text, err := url.QueryUnescape(part); err == nil {
				texts[i] = text
			}
		}
		return Refused{texts[0], texts[1], texts[2]}
	}
	return r
}

// String is why as a sentence, without its end.
func (r Refused) String() string {
	switch {
	case r.What == "scope":
		return "the scope " + r.Of + " is missing"
	case r.What == "policy" && r.Name != "":
		return Refused{What: r.What, Of: r.Of}.String() + ", and the condition of " + strings.ReplaceAll(r.Name, " ", " and of ") + " could not be evaluated"
	case r.What == "policy" && r.Of == "":
		return "no policy permits it"
	case r.What == "policy":
		return "policy " + strings.ReplaceAll(r.Of, " ", " and ") + " forbids it"
	case r.What == "branch":
		return "branch " + r.Of + " is protected from this caller"
	case r.What == "token" && r.Of == "link":
		return "the sign-in link was used before, is too old, or is of another start"
	case r.What == "token" && r.Of == "missing":
		return "no token was shown"
	case r.What == "token" && r.Of == "wrong" && r.Name != "":
		return "a wrong token was shown, which claims to be " + r.Name
	case r.What == "token" && r.Of == "wrong":
		return "a wrong token was shown"
	case r.What == "token" && r.Of == "expired":
		return "token " + r.Name + " has expired"
	case r.What == "token" && r.Of == "revoked":
		return "token " + r.Name + " was revoked"
	case r.What == "token" && grantTokens[r.Of] != "":
		return grantTokens[r.Of] + r.Name
	case r.What == "token" && webTokens[r.Of] != "":
		return "a token of an identity provider was shown, which " + webTokens[r.Of]
	}
	return ""
}

// grantTokens says what is wrong with the tokens of a grant, whose name follows.
var grantTokens = map[string]string{
	"elsewhere": "an access token was shown that is for another server: ",
	"replayed":  "an authorization code or refresh token was used a second time, which revoked ",
	"mismatch":  "an authorization code or refresh token came with another client, redirect, verifier or resource: ",
}

// webTokens says what is wrong with tokens of identity providers, beside those that have expired. The log has more.
var webTokens = map[string]string{
	"malformed": "cannot be read, or is signed in a way that is not allowed",
	"issuer":    "is of another provider",
	"key":       "is signed with a key that the provider does not have",
	"signature": "the provider did not sign",
	"audience":  "is for another server",
	"early":     "is not valid yet",
	"claims":    "lacks a claim, or has one that cannot be read",
}
