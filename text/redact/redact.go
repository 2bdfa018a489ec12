// Package redact takes secrets out of texts that others read: logs, records, and what servers of others say. It knows
// them by value or by their form. What somebody hides in another way it does not find.
//
// Read [Redactor] first.
package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"

	"trails/text/jsontext"
)

// Mark replaces a secret.
const Mark = "[credential]"

// token is the form of a token that a graph issues, and of a refresh token, which is longer, webToken that of a JSON Web
// Token (RFC 7519), whose first two parts encode JSON, and bearer that of the header with any token (RFC 6750, section 2.1).
var (
	token    = regexp.MustCompile(`trails_[a-z0-9-]{1,40}_[A-Z2-7]{26,52}`)
	webToken = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)
	bearer   = regexp.MustCompile(`(?i)\b(bearer[ +])[a-z0-9+/._~-]{16,}=*`)
)

// Token returns where the first token of a graph is at or behind a position; a negative begin means that there is none.
func Token(text []byte, at int) (from, to int) {
	found := token.FindIndex(text[at:])
	if found == nil {
		return -1, 0
	}
	return at + found[0], at + found[1]
}

// HasToken reports whether a token of a graph or a JSON Web Token is in a text.
func HasToken(text []byte) bool { return token.Match(text) || webToken.Match(text) }

// Forms returns text without tokens of graphs, JSON Web Tokens, and without what follows Bearer, possibly the same slice.
func Forms(text []byte) []byte {
	if bytes.Contains(text, []byte("trails_")) {
		text = token.ReplaceAll(text, []byte(Mark))
	}
	if bytes.Contains(text, []byte(".eyJ")) {
		text = webToken.ReplaceAll(text, []byte(Mark))
	}
	return bearer.ReplaceAll(text, []byte("${1}"+Mark))
}

// Redactor takes secrets that it was given out of texts, in the ways in which others write them: whole, without the
// scheme before it, inside base64, and as JSON or an address escapes it. The zero Redactor changes nothing. It is safe for
// concurrent use.
type Redactor struct{ secrets []hidden } // longer ones first

// hidden is a form of a secret, and what stands in its place.
type hidden struct{ text, mark []byte }

// shortSecret is the length up to which a secret cannot be distinguished from ordinary words.
const shortSecret = 8

// New returns a redactor of secrets; those shorter than eight bytes are ordinary words, and stay.
func New(secrets ...string) (r Redactor) {
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
			r.secrets = append(r.secrets, hidden{[]byte(form), []byte(Mark)})
		}
		r.secrets = append(r.secrets, insideBase64(text)...)
	}
	for _, secret := range secrets {
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
	mark := Mark + "]]"[:len(text)%3]
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

// Clean returns text without secrets, possibly the same slice.
func (r Redactor) Clean(text []byte) []byte {
	for _, secret := range r.secrets {
		if bytes.Contains(text, secret.text) {
			text = bytes.ReplaceAll(text, secret.text, secret.mark)
		}
	}
	return text
}

// begun is how many bytes at the end of a text may begin a secret.
func (r Redactor) begun(text []byte) (most int) {
	for _, secret := range r.secrets {
		for n := min(len(secret.text)-1, len(text)); n > most; n-- {
			if bytes.HasSuffix(text, secret.text[:n]) {
				most = n
			}
		}
	}
	return most
}

// Reader filters a stream. It only holds back what may begin a secret.
func (r Redactor) Reader(in io.ReadCloser) io.ReadCloser {
	if len(r.secrets) == 0 {
		return in
	}
	return &redactedReader{ReadCloser: in, Redactor: r, chunk: make([]byte, 32<<10)}
}

// redactedReader is used by one reader at a time.
type redactedReader struct {
	io.ReadCloser
	Redactor
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
		text := r.Clean(append(r.held, r.chunk[:n]...))
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

// Text is [Redactor.Clean] and [Forms] for a string.
func (r Redactor) Text(text string) string { return string(Forms(r.Clean([]byte(text)))) }

// Writer filters what is written to w, each piece by itself: a secret in two pieces is not found. A log writes each of its
// lines as one piece.
func (r Redactor) Writer(w io.Writer) io.Writer { return writer{r, w} }

type writer struct {
	Redactor
	out io.Writer
}

// Write writes what is clean, and reports the length that it was given.
func (w writer) Write(text []byte) (int, error) {
	if _, err := w.out.Write(Forms(w.Clean(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
