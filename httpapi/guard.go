package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
)

// Secured sets the headers that keep a browser from taking an answer for more than it is, and from
// keeping it; policy is its Content-Security-Policy. next may set others in their place.
func Secured(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// secured sets the headers of what is data and no page.
func secured(next http.Handler) http.Handler {
	return Secured("default-src 'none'; frame-ancestors 'none'", next)
}

// ownHost refuses a request that was sent to another name: a page elsewhere may
// have rebound its own name to this address (DNS rebinding).
func (s *server) ownHost(next http.Handler) http.Handler {
	return s.gate(next, func(r *http.Request) error { return s.auth.CheckHost(r.Host) })
}

// ownOrigin refuses a write that another site's page makes a browser send, and a query:
// what that costs, the other page may not decide.
func (s *server) ownOrigin(next http.Handler) http.Handler {
	protection := s.auth.CrossOrigin()
	return s.gate(next, func(r *http.Request) error {
		checked := r
		path := r.URL.Path
		isQuery := isRead(r) && (path == "/sparql" || path == graphStore || strings.HasPrefix(path, graphStore+"/"))
		if isQuery { // it asks for as much as the caller's text says, or all of a graph
			checked = r.Clone(r.Context())
			checked.Method = http.MethodPost
		}
		switch err := protection.Check(checked); {
		case err != nil && checked != r:
			return fault.New(fault.Denied, "pages of other sites may not ask here; copy the address into the browser, or ask from a program")
		case err != nil:
			return fault.New(fault.Denied, "origin %q may not write here", r.Header.Get("Origin"))
		}
		return nil
	})
}

// gate lets a request on when check has nothing against it.
func (s *server) gate(next http.Handler, check func(*http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// arrived finds out, once, how a request reached the server, and takes from it what its sender
// shows other servers.
func (s *server) arrived(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = auth.TakeCredentials(r)
		found, err := s.auth.Arrived(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, found.WithContext(invoke.WithCaller(found.Context(), auth.ClientAddr(found))))
	})
}

// authenticated resolves the caller once; nothing behind it asks again. A browser that
// signed in may read, so that a page's links to data work; never write, because a browser
// sends a cookie unasked, and not speak MCP.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, known := s.auth.Request(r, isRead(r) && r.URL.Path != "/mcp" && r.URL.Path != "/sse")
		switch {
		case known:
			if entry, ok := r.Context().Value(logEntryKey{}).(*logEntry); ok {
				entry.caller = p.Author()
			}
			r = r.WithContext(auth.WithPrincipal(r.Context(), p))
		case !s.isOpen(r.URL.Path):
			s.refuse(w, r, s.auth.Refuse(r))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOpen reports whether an address answers callers who have not shown the token: what
// watches the process has none, and the pages ask for it in a form.
func (s *server) isOpen(path string) bool {
	return path == "/health" || path == "/ready" || s.opts.Admin != nil && (path == "/admin" || strings.HasPrefix(path, "/admin/"))
}

// oauth are the addresses at which a client of MCP looks for an authorization server and uses
// one by default: the documents of RFC 8414, RFC 9728 and OpenID Connect, in front of a path
// or behind it, and the endpoints that the specification of MCP of 2025-03-26 falls back to.
var oauth = []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource", "/.well-known/openid-configuration", "/register", "/authorize", "/token"}

// isOAuth reports that a path is one of them. None is served.
func isOAuth(path string) bool {
	return slices.ContainsFunc(oauth, func(known string) bool {
		rest, is := strings.CutPrefix(strings.TrimPrefix(path, "/mcp"), known)
		return is && (rest == "" || rest[0] == '/')
	})
}

// notOAuth tells clients of MCP that look for an authorization server that there is none,
// whatever they send.
func (s *server) notOAuth(next http.Handler) http.Handler {
	return s.gate(next, func(r *http.Request) error {
		if isOAuth(r.URL.Path) {
			return fault.New(fault.NotFound, "there is no authorization server here; where callers need a token, it is the one of the process, sent as Authorization: Bearer")
		}
		return nil
	})
}

// callerOf is the principal of a request, anonymous and without a scope before the token
// was shown.
func callerOf(r *http.Request) policy.Principal {
	p, _ := auth.PrincipalOf(r.Context())
	return p
}
