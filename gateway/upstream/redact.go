package upstream

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"sort"
	"strings"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/artifact"
	"trails/text/jsontext"
)

// redactor takes secrets out of what a server says, the credential of a caller's own and the values
// of the variables that the definition refers to, in the ways in
// which a server that repeats it writes it: whole, without the scheme before it, inside base64, and as JSON or
// an address escapes it. What a server hides in another way it does not find. The zero redactor
// changes nothing.
type redactor struct{ secrets []hidden } // longer ones first

// hidden is a form of a secret, and what stands in its place.
type hidden struct{ text, mark []byte }

// redacted replaces a secret.
var redacted = []byte("[credential]")

// shortSecret is the length up to which a secret cannot be distinguished from ordinary words.
const shortSecret = 8

// newRedactor hides the credential of a caller, and the secrets of the owner.
func newRedactor(c auth.Credential, secrets []string) (r redactor) {
	add := func(text string) {
		if len(text) < shortSecret {
			return
		}
		forms := []string{text, url.QueryEscape(text), url.PathEscape(text), strings.ReplaceAll(text, "/", `\/`),
			base64.RawStdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)), // with an end or without
		}
		for _, marshal := range []func(any) ([]byte, error){json.Marshal, jsontext.Marshal} {
			if escaped, err := marshal(text); err == nil {
				forms = append(forms, string(escaped[1:len(escaped)-1])) // without the quotes
			}
		}
		for _, form := range forms {
			r.secrets = append(r.secrets, hidden{[]byte(form), redacted})
		}
		r.secrets = append(r.secrets, insideBase64(text)...)
	}
	for _, secret := range append([]string{c.Reveal()}, secrets...) {
		add(secret)
		if scheme, rest, has := strings.Cut(secret, " "); has {
			add(strings.TrimSpace(rest))
			if user, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest)); err == nil && strings.EqualFold(scheme, "basic") {
				_, password, _ := strings.Cut(string(user), ":")
				add(string(user))
				add(password)
			}
		}
	}
	sort.SliceStable(r.secrets, func(i, j int) bool {
		a, b := r.secrets[i].text, r.secrets[j].text
		return len(a) > len(b) || len(a) == len(b) && bytes.Compare(a, b) < 0
	})
	r.secrets = slices.CompactFunc(r.secrets, func(a, b hidden) bool { return bytes.Equal(a.text, b.text) })
	return r
}

// insideBase64 returns what base64 writes of a text behind and before other bytes, as in the user:password of Basic
// authentication: of its first and last characters only those that the text alone decides. What stands in its place
// is the mark as base64 writes it there, so that the whole can still be decoded.
func insideBase64(text string) (forms []hidden) {
	const bits = 6 // of a character
	mark := string(redacted) + "]]"[:len(text)%3]
	for _, code := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			written := func(what string) []byte {
				all := code.EncodeToString(append(make([]byte, before), what...))
				return []byte(all[(8*before+bits-1)/bits : 8*(before+len(what))/bits])
			}
			forms = append(forms, hidden{written(text), written(mark)})
		}
	}
	return forms
}

// clean returns text without secrets, possibly the same slice.
func (r redactor) clean(text []byte) []byte {
	for _, secret := range r.secrets {
		text = bytes.ReplaceAll(text, secret.text, secret.mark)
	}
	return text
}

// begun is how many bytes at the end of a text may begin a secret.
func (r redactor) begun(text []byte) (most int) {
	for _, secret := range r.secrets {
		for n := min(len(secret.text)-1, len(text)); n > most; n-- {
			if bytes.HasSuffix(text, secret.text[:n]) {
				most = n
			}
		}
	}
	return most
}

// reader filters a stream. It only holds back what may begin a secret.
func (r redactor) reader(in io.ReadCloser) io.ReadCloser {
	if len(r.secrets) == 0 {
		return in
	}
	return &redactedReader{ReadCloser: in, redactor: r, chunk: make([]byte, 32<<10)}
}

// redactedReader is used by one reader at a time.
type redactedReader struct {
	io.ReadCloser
	redactor
	chunk []byte
	held  []byte // may begin a secret
	ready []byte // filtered output
	err   error  // error of the underlying reader
}

// Read reads what is clean.
func (r *redactedReader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 && r.err == nil {
		var n int
		n, r.err = r.ReadCloser.Read(r.chunk)
		text := r.clean(append(r.held, r.chunk[:n]...))
		end := len(text)
		if r.err == nil {
			end -= r.begun(text)
		}
		r.ready, r.held = text[:end], slices.Clone(text[end:])
	}
	n := copy(p, r.ready)
	if r.ready = r.ready[n:]; n > 0 || len(r.ready) > 0 {
		return n, nil
	}
	return 0, r.err
}

// redactor is the filter for a server and a caller.
func (p *Pool) redactor(ctx context.Context, s gateway.Server) redactor {
	var own auth.Credential
	if s.PerCaller() {
		own, _ = auth.CredentialsOf(ctx).For(s.Name)
	}
	return newRedactor(own, s.Secrets(p.config.Lookup))
}

// parts filters bytes that the server has encoded.
func (r redactor) parts(parts []Part) {
	for i := range parts {
		parts[i].Data = r.clean(parts[i].Data)
	}
}

// fields are wrong fields as somebody may read them.
func (r redactor) fields(all []fault.FieldError) []fault.FieldError {
	for i := range all {
		f := &all[i]
		f.Field, f.Message, f.Node, f.Source = r.shown(f.Field), r.shown(f.Message), r.shown(f.Node), ""
		for _, value := range []*any{&f.Value, &f.Constraint} {
			if text, err := jsontext.Marshal(*value); err != nil || json.Unmarshal(gateway.VisibleJSON([]byte(r.scrubbed(string(text)))), value) != nil {
				*value = nil
			}
		}
	}
	return all
}

// scrubbed is a text without secrets, known ones and those recognized by form.
func (r redactor) scrubbed(text string) string {
	clean, _ := artifact.Scrub(r.clean([]byte(text)))
	return string(clean)
}

// shown is a text of a server for people: without secrets, and with invisible characters escaped.
func (r redactor) shown(text string) string {
	return gateway.Visible(r.scrubbed(text))
}
