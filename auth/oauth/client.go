package oauth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"trails/loopback"
)

// Client is a program that asks for access: what it says of itself. Anybody may say anything; what is known of a client is
// where its answers go.
type Client struct {
	// ID is its client_id: the address of a document (draft-ietf-oauth-client-id-metadata-document), or a registration.
	ID string
	// Name is what it calls itself, in one line; "" without a name.
	Name string
	// Source is the host of its document, "" for a registration.
	Source string
	// redirects are the addresses to which its answers may go.
	redirects []string
}

// Bounds of a client.
const (
	maxID        = 2048 // bytes, since it stands in addresses
	maxName      = 80   // characters
	maxRedirects = 10
	maxRedirect  = 512      // bytes
	maxBody      = 16 << 10 // bytes of a registration
)

// metadata is what a client publishes or registers of itself (RFC 7591, section 2).
type metadata struct {
	ID        string   `json:"client_id,omitempty"`
	Name      string   `json:"client_name,omitempty"`
	Redirects []string `json:"redirect_uris"`
	TokenAuth string   `json:"token_endpoint_auth_method,omitempty"`
	Grants    []string `json:"grant_types,omitempty"`
	Responses []string `json:"response_types,omitempty"`
}

// registered begins the client_id of a registration. What follows is the registration itself, so that nothing is kept of it:
// a server that kept registrations would keep those of whoever sends many, and anybody may register anything.
const registered = "dcr."

// MaxRegistration bounds the body of a registration, in bytes.
const MaxRegistration = maxBody

// Register answers the registration of a client (RFC 7591, section 3). Nothing is kept; see [Client]. What it cannot be is
// [*Error].
func (s *Server) Register(body []byte) (any, error) {
	var m metadata
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, &Error{"invalid_client_metadata", "the body is no JSON object with redirect_uris"}
	}
	m.Name = oneLine(m.Name)
	if err := checkRedirects(m.Redirects); err != nil {
		return nil, err
	}
	id, err := registration(m.Name, m.Redirects)
	if err != nil {
		return nil, err
	}
	return metadata{
		ID: id, Name: m.Name, Redirects: m.Redirects, TokenAuth: "none",
		Grants: []string{codeGrant, refreshGrant}, Responses: []string{"code"},
	}, nil
}

// registration is the client_id of a client that registers.
func registration(name string, redirects []string) (string, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(append([]string{name}, redirects...)); err != nil {
		return "", err
	}
	id := registered + base64.RawURLEncoding.EncodeToString(bytes.TrimSpace(text.Bytes()))
	if len(id) > maxID {
		return "", &Error{"invalid_client_metadata", "the name and the redirect_uris are too long together; register fewer"}
	}
	return id, nil
}

// client returns the client with an ID. One that cannot be is [*Error]. For an address it gets the document there.
func (s *Server) client(ctx context.Context, id string) (Client, error) {
	text, is := strings.CutPrefix(id, registered)
	if !is {
		return s.clients.get(ctx, id)
	}
	var words []string
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(id) > maxID || json.Unmarshal(decoded, &words) != nil || len(words) == 0 {
		return Client{}, unknownClient("the client_id is none that was registered here")
	}
	again, err := registration(oneLine(words[0]), words[1:])
	if err != nil || again != id { // one client, one ID
		return Client{}, unknownClient("the client_id is none that was registered here")
	}
	if err := checkRedirects(words[1:]); err != nil {
		return Client{}, err
	}
	return Client{ID: id, Name: words[0], redirects: words[1:]}, nil
}

func unknownClient(says string) *Error { return &Error{"invalid_client", says} }

// oneLine is a text in one line of at most maxName characters that can be seen; others could make it read as another.
func oneLine(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return ' '
		}
		if !unicode.IsGraphic(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxName {
		text = string(runes[:maxName])
	}
	return text
}

// refusedSchemes are those of addresses that a browser would not hand on to a program of the person, and those by which a
// browser gets an address of the web, so that the answer would go to a site and not to a program.
var refusedSchemes = []string{
	"javascript", "data", "vbscript", "file", "blob", "filesystem", "about", "view-source", "ftp", "ws", "wss", "mailto", "intent",
	"googlechrome", "googlechromes", "x-safari-http", "x-safari-https", "microsoft-edge", "microsoft-edge-http", "microsoft-edge-https",
	"firefox", "opera-http", "opera-https", "touch-http", "touch-https",
}

func checkRedirects(list []string) error {
	if len(list) == 0 || len(list) > maxRedirects {
		return &Error{"invalid_redirect_uri", "give one to ten redirect_uris"}
	}
	for _, text := range list {
		u, err := url.Parse(text)
		plain := err == nil && len(text) <= maxRedirect && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' || c == ';' || c == ',' })
		switch {
		case !plain || u.Scheme == "" || u.Host == "" || u.User != nil || strings.Contains(text, "#") || slices.Contains(refusedSchemes, u.Scheme):
			return &Error{"invalid_redirect_uri", "a redirect_uri is an absolute address of ASCII with a scheme and a host, without a name before it, a fragment, a comma or a semicolon"}
		case u.Scheme == "http" && !isLoopback(u):
			return &Error{"invalid_redirect_uri", "a redirect_uri is https, but for one of this machine or of a scheme of its own"}
		}
	}
	return nil
}

// isLoopback reports whether an address is of the person's machine (RFC 8252, section 7.3).
func isLoopback(u *url.URL) bool {
	return u.Scheme == "http" && loopback.Is(u.Hostname())
}

// allows reports whether answers may go to an address: it is one of the client's, as written. On the person's machine the
// port is free, since a program takes one that is (RFC 8252, section 7.3).
func (c Client) allows(redirect string) bool {
	asked, err := url.Parse(redirect)
	if err != nil || checkRedirects([]string{redirect}) != nil {
		return false
	}
	return slices.ContainsFunc(c.redirects, func(known string) bool {
		if known == redirect {
			return true
		}
		u, err := url.Parse(known)
		if err != nil || !isLoopback(u) || !isLoopback(asked) || u.Hostname() != asked.Hostname() {
			return false
		}
		u.Host, asked.Host = "", ""
		return u.String() == asked.String()
	})
}

// hostOf is how a person knows where answers go, and commits who made them: the host, localhost for a program on their
// machine, or the scheme of another program.
func hostOf(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return ""
	case isLoopback(u):
		return "localhost"
	case u.Scheme != "https":
		return u.Scheme + ":"
	}
	return strings.ToLower(u.Host)
}
