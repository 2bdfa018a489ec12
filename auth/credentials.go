package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
)

// Credentials are a caller's own credentials for upstream servers, by server name. They exist only in the
// context of the caller's requests: they are never stored or logged. The zero Credentials is empty.
type Credentials struct{ byServer map[string]Credential }

// Credential is a caller's credential for one upstream server. The zero Credential is empty. Printing it, or
// a struct that contains it, does not reveal its value.
type Credential struct {
	value *string // printing a struct does not follow pointers
	sent  bool    // it came with a request to a process with several callers
}

// Where callers give a credential for a server: in a request header or, if the process has only one caller,
// in an environment variable. The prefix is followed by the server's name; variables are in upper case, with
// _ for -.
const (
	credentialHeader   = "Trails-Upstream-"
	CredentialVariable = "TRAILS_UPSTREAM_" // the prefix of the variables
)

// HowGiven tells a caller where to give the credential for a server.
func HowGiven(server string) string {
	return fmt.Sprintf("send it in the header %s of the request, or set %s where the process is yours alone",
		http.CanonicalHeaderKey(credentialHeader+server), CredentialVariable+strings.ToUpper(strings.ReplaceAll(server, "-", "_")))
}

type credentialsKey struct{}

// TakeCredentials moves credentials from a request's headers to its context, so that no later code sees the
// headers. A header that occurs twice is ignored.
func TakeCredentials(r *http.Request) *http.Request {
	all := map[string]Credential{}
	var others http.Header // nil if no header was removed
	for name, values := range r.Header {
		server, is := strings.CutPrefix(name, credentialHeader)
		if !is {
			continue
		}
		if others == nil {
			others = maps.Clone(r.Header)
		}
		delete(others, name)
		if len(values) == 1 {
			add(all, strings.ToLower(server), values[0], true)
		}
	}
	if others == nil {
		return r
	}
	r = r.WithContext(WithCredentials(r.Context(), Credentials{all}))
	r.Header = others
	return r
}

// WithVariables returns a context with the credentials in the environment of a process with one caller.
func WithVariables(ctx context.Context, environment map[string]string) context.Context {
	all := map[string]Credential{}
	for name, value := range environment {
		if server, is := strings.CutPrefix(name, CredentialVariable); is {
			add(all, strings.ReplaceAll(strings.ToLower(server), "_", "-"), value, false)
		}
	}
	return WithCredentials(ctx, Credentials{all})
}

// add adds a credential if it is a valid header value.
func add(all map[string]Credential, server, value string, sent bool) {
	if value = strings.TrimSpace(value); value != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		all[server] = Credential{&value, sent}
	}
}

// WithCredentials returns a context with a caller's credentials; without any, it returns ctx.
func WithCredentials(ctx context.Context, c Credentials) context.Context {
	if len(c.byServer) == 0 {
		return ctx
	}
	return context.WithValue(ctx, credentialsKey{}, c)
}

// CredentialsOf returns the credentials of the context's caller.
func CredentialsOf(ctx context.Context) Credentials {
	c, _ := ctx.Value(credentialsKey{}).(Credentials)
	return c
}

// For returns the credential for an upstream server, and whether there is one.
func (c Credentials) For(server string) (Credential, bool) {
	one, has := c.byServer[server]
	return one, has
}

// Reveal returns the value, for the upstream server alone.
func (c Credential) Reveal() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Key identifies the credential during the life of the process. The value cannot be guessed from it, because
// it is keyed with a random secret.
func (c Credential) Key() string {
	mac := hmac.New(sha256.New, processSecret())
	mac.Write([]byte(c.Reveal()))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// CallerKey distinguishes callers with the same name, as all have if they share a token or need none, by their
// credentials: it returns Key, or "" in a process with one caller.
func (c Credential) CallerKey() string {
	if !c.sent {
		return ""
	}
	return c.Key()
}

// String does not reveal the value.
func (c Credential) String() string { return "[credential]" }

var processSecret = sync.OnceValue(func() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	return secret
})
