package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trails/auth"
	"trails/auth/oauth"
	"trails/fault"
)

// probed are the addresses at which clients look for an authorization server, and its default endpoints: the documents of RFC
// 8414, RFC 9728 and OpenID Connect, before or behind a path, and the endpoints of the MCP specification of 2025-03-26.
var probed = []string{auth.ServerPath, auth.MetadataPath, "/.well-known/openid-configuration", oauth.RegisterPath, "/authorize", oauth.TokenPath, oauth.RevokePath}

// isOAuth reports whether a path is one of them.
func isOAuth(path string) bool {
	return slices.ContainsFunc(probed, func(known string) bool {
		rest, is := strings.CutPrefix(strings.TrimPrefix(path, "/mcp"), known)
		return is && (rest == "" || rest[0] == '/')
	})
}

// inserted reports that a path is that of a document about the server below a prefix, where clients look for it: behind the
// name of the document, at the root of the host (RFC 8414, section 3.1; RFC 9728, section 3.1). It returns the path of the
// same document below the prefix.
func inserted(path, prefix string) (below string, is bool) {
	for _, document := range []string{auth.ServerPath, auth.MetadataPath} {
		rest, is := strings.CutPrefix(path, document+prefix)
		if is && (rest == "" || rest[0] == '/') {
			return prefix + document + rest, true
		}
	}
	return "", false
}

// notOAuth answers 404 at those that are not served here, with and without a token.
func (s *server) notOAuth(next http.Handler) http.Handler {
	endpoints := []string{auth.ServerPath, oauth.RegisterPath, oauth.TokenPath, oauth.RevokePath}
	return s.gate(next, func(r *http.Request) error {
		path := r.URL.Path
		if !isOAuth(path) || s.opts.OAuth != nil && slices.Contains(endpoints, path) {
			return nil
		}
		switch _, served := s.auth.Metadata(r); {
		case served:
			return nil
		case s.opts.OAuth != nil:
			return fault.New(fault.NotFound, "there is nothing here; GET %s has the addresses of the authorization server", auth.Prefix(r)+auth.ServerPath)
		}
		return fault.New(fault.NotFound, "there is no authorization server here; where tokens are those of an identity provider, GET %s names it; otherwise a token is one of the graph or that of the process, sent as Authorization: Bearer", auth.MetadataPath)
	})
}

// resource answers with the metadata of the server or of its address for agents.
func (s *server) resource(w http.ResponseWriter, r *http.Request) error {
	m, _ := s.auth.Metadata(r) // see notOAuth
	return writeObject(w, m)
}

// authorizationServer answers with the metadata of the authorization server.
func (s *server) authorizationServer(w http.ResponseWriter, _ *http.Request) error {
	return writeObject(w, s.opts.OAuth.Metadata())
}

func writeObject(w http.ResponseWriter, object any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return writeJSON(w, text)
}

// register answers the registration of a client (RFC 7591).
func (s *server) register(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, oauth.MaxRegistration))
	if err != nil {
		return fault.New(fault.TooLarge, "a registration has at most %d bytes", oauth.MaxRegistration)
	}
	client, err := s.opts.OAuth.Register(body)
	if err != nil {
		return clientError(w, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	return writeObject(w, client)
}

// maxTokenForm bounds the forms that clients send, in bytes.
const maxTokenForm = 16 << 10

// clientForm reads the form that a client sends.
func clientForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if plainMedia(r) != "application/x-www-form-urlencoded" {
		return nil, &oauth.Error{Code: "invalid_request", Says: "the body is a form, of application/x-www-form-urlencoded"}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxTokenForm)
	if err := r.ParseForm(); err != nil {
		return nil, &oauth.Error{Code: "invalid_request", Says: "the form does not parse, or is too long"}
	}
	return r.PostForm, nil
}

// token answers the token endpoint (RFC 6749, section 3.2).
func (s *server) token(w http.ResponseWriter, r *http.Request) error {
	values, err := clientForm(w, r)
	if err != nil {
		return clientError(w, err)
	}
	tokens, err := s.opts.OAuth.Token(r, values)
	if err != nil {
		return clientError(w, err)
	}
	return writeObject(w, tokens)
}

// revoke answers the revocation endpoint (RFC 7009).
func (s *server) revoke(w http.ResponseWriter, r *http.Request) error {
	values, err := clientForm(w, r)
	if err == nil {
		err = s.opts.OAuth.Revoke(r, values)
	}
	if err != nil {
		return clientError(w, err)
	}
	return writeObject(w, struct{}{})
}

// clientError answers with an error of the protocol in its form (RFC 6749, section 5.2), and returns others.
func clientError(w http.ResponseWriter, err error) error {
	var wrong *oauth.Error
	if !errors.As(err, &wrong) {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	return writeObject(w, wrong)
}
