package httpapi

import (
	"net/http"
	"strings"

	"trails/auth"
	"trails/fault"
	"trails/httpapi/sse"
	"trails/invoke"
)

// Secured sets security headers that keep browsers from misinterpreting and storing an answer; policy is its
// Content-Security-Policy. next may replace them.
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

// secured sets the headers for data.
func secured(next http.Handler) http.Handler {
	return Secured("default-src 'none'; frame-ancestors 'none'", next)
}

// ownHost refuses a request for another host name: a page elsewhere may have bound its own name to this address (DNS
// rebinding).
func (s *server) ownHost(next http.Handler) http.Handler {
	return s.gate(next, func(r *http.Request) error { return s.auth.CheckHost(r.Host) })
}

// ownOrigin refuses writes and queries that pages of other sites make a browser send.
func (s *server) ownOrigin(next http.Handler) http.Handler {
	protection := s.auth.CrossOrigin()
	return s.gate(next, func(r *http.Request) error {
		checked := r
		path := r.URL.Path
		isQuery := isRead(r) && (path == "/sparql" || path == graphStore || strings.HasPrefix(path, graphStore+"/") || strings.HasPrefix(path, "/invoke/"))
		if isQuery { // a query, a call, or a read of a whole graph may be expensive
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

// gate passes a request on unless check refuses it.
func (s *server) gate(next http.Handler, check func(*http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := check(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// transportSecurity is how long browsers come over TLS alone, once they came so (RFC 6797).
const transportSecurity = "max-age=31536000"

// arrived determines, once, how a request reached the server, and moves its credentials for other servers to the
// context. A proxy may have read the request in another way: of several credentials it may have checked another one, and
// behind a body in chunks that has a length, too, which net/http removes, it may see another request (RFC 9112, section 6.1).
func (s *server) arrived(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		if len(r.Header.Values("Authorization")) > 1 {
			s.refuse(w, r, fault.New(fault.Malformed, "several Authorization headers; send one"))
			return
		}
		r = auth.TakeCredentials(r)
		found, err := s.auth.Arrived(r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		if auth.IsPublic(found) {
			w.Header().Set("Strict-Transport-Security", transportSecurity)
		}
		next.ServeHTTP(w, found.WithContext(invoke.WithCaller(found.Context(), auth.ClientAddr(found))))
	})
}

// authenticated identifies the caller once. A browser session may read, so that links from pages to data work; it may
// not write, because browsers send cookies automatically, nor use MCP.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		browsers := isRead(r) && !speaksMCP(r.URL.Path)
		p, known, err := s.auth.Request(r, browsers)
		switch {
		case err != nil && (s.isOpen(r.URL.Path) || speaksMCP(r.URL.Path)):
			r = r.WithContext(auth.WithFailure(r.Context(), err)) // they say it in their own form
		case err != nil:
			s.refuse(w, r, err)
			return
		case known:
			if entry, ok := r.Context().Value(logEntryKey{}).(*logEntry); ok {
				entry.caller = p.Author()
			}
			if strings.Contains(r.Header.Get("Accept"), sse.MediaType) {
				ctx, stop := s.auth.Lasting(r, browsers)
				defer stop()
				r = r.WithContext(ctx)
			}
			r = r.WithContext(auth.WithPrincipal(r.Context(), p))
		case !s.isOpen(r.URL.Path):
			s.refuse(w, r, s.auth.Refuse(r, viaOf(r)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// viaOf is the transport of a request, as calls have it.
func viaOf(r *http.Request) string {
	switch r.URL.Path {
	case "/mcp":
		return "mcp-http"
	case "/sse", "/messages":
		return "mcp-sse"
	}
	return "http"
}

// plainAddress refuses a request with a token in its address.
func (s *server) plainAddress(next http.Handler) http.Handler {
	return s.gate(next, s.auth.CheckAddress)
}

// isOpen reports whether an address is available without the token: monitoring has none, the pages ask for it in a form,
// and clients find out where they get one.
func (s *server) isOpen(path string) bool {
	return path == "/health" || path == "/ready" || s.isPage(path) || isOAuth(path) || isDiscovery(path)
}

// speaksMCP reports whether an address is one of those whose answers are messages of MCP.
func speaksMCP(path string) bool { return path == "/mcp" || path == "/sse" || path == "/messages" }

// isPage reports whether an address is one of the pages for people.
func (s *server) isPage(path string) bool {
	return s.opts.Admin != nil && (path == "/admin" || strings.HasPrefix(path, "/admin/"))
}
