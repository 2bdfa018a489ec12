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

// Credentials are a caller's own for upstream servers, by the names of the servers. They travel
// in the context of what the caller does and nowhere else: nothing stores or logs them. The
// zero Credentials are none.
type Credentials struct{ byServer map[string]Credential }

// Credential is what one caller shows one upstream server. The zero Credential is none.
// Printing it, or what has it, shows nothing of its value.
type Credential struct {
	value *string // behind a pointer, which is what printing a struct follows no further than
	sent  bool    // with a request, to a process that has other callers
}

// Where a caller gives the credential for a server: in a header of a request, or in a variable
// of the environment of a process that has this one caller. The name of the server stands
// behind the prefix, in a variable in capitals and with _ in the place of -.
const (
	credentialHeader   = "Trails-Upstream-"
	CredentialVariable = "TRAILS_UPSTREAM_" // the prefix of the variables
)

// HowGiven says to a caller where the credential for a server is looked for.
func HowGiven(server string) string {
	return fmt.Sprintf("send it in the header %s of the request, or set %s where the process is yours alone",
		http.CanonicalHeaderKey(credentialHeader+server), CredentialVariable+strings.ToUpper(strings.ReplaceAll(server, "-", "_")))
}

type credentialsKey struct{}

// TakeCredentials returns a request with the credentials of its sender in its context, and
// without the headers that had them, so that nothing behind it sees those. Of a header that is
// there twice nothing is taken.
func TakeCredentials(r *http.Request) *http.Request {
	all := map[string]Credential{}
	var others http.Header // nil while there is nothing to take
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

// WithVariables returns the context of what the one caller of a process does, with the
// credentials of its environment.
func WithVariables(ctx context.Context, environment map[string]string) context.Context {
	all := map[string]Credential{}
	for name, value := range environment {
		if server, is := strings.CutPrefix(name, CredentialVariable); is {
			add(all, strings.ReplaceAll(strings.ToLower(server), "_", "-"), value, false)
		}
	}
	return WithCredentials(ctx, Credentials{all})
}

// add adds what can be the value of a header.
func add(all map[string]Credential, server, value string, sent bool) {
	if value = strings.TrimSpace(value); value != "" && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		all[server] = Credential{&value, sent}
	}
}

// WithCredentials returns a context with the credentials of a caller; with none, it is ctx.
func WithCredentials(ctx context.Context, c Credentials) context.Context {
	if len(c.byServer) == 0 {
		return ctx
	}
	return context.WithValue(ctx, credentialsKey{}, c)
}

// CredentialsOf returns the credentials of the caller for whom something is done.
func CredentialsOf(ctx context.Context) Credentials {
	c, _ := ctx.Value(credentialsKey{}).(Credentials)
	return c
}

// For returns the credential for an upstream server, and whether there is one.
func (c Credentials) For(server string) (Credential, bool) {
	one, has := c.byServer[server]
	return one, has
}

// Reveal returns the value, which goes to the upstream server and nowhere else.
func (c Credential) Reveal() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Key tells credentials apart for as long as the process lives. Nothing of the value can be
// guessed by it: it is made with a secret of the process.
func (c Credential) Key() string {
	mac := hmac.New(sha256.New, processSecret())
	mac.Write([]byte(c.Reveal()))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Apart tells a caller who sent the credential from others who have the same name, as all have
// where one token or none is asked for: it is the Key, and "" for the one caller of a process.
func (c Credential) Apart() string {
	if !c.sent {
		return ""
	}
	return c.Key()
}

// String shows that there is one.
func (c Credential) String() string { return "[credential]" }

var processSecret = sync.OnceValue(func() []byte {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	return secret
})
