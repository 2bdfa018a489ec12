package httpapi

import (
	"net"
	"net/http"
	"strings"

	"trails/fault"
)

// secured sets the headers that keep a browser from making more of an answer than
// data. Nothing here is a page yet, so nothing may be loaded.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// ownHost refuses a request that was sent to another name: a page elsewhere may
// have rebound its own name to this address (DNS rebinding).
func (s *server) ownHost(next http.Handler) http.Handler {
	return s.gate(next, func(r *http.Request) error {
		if s.serves(r.Host) {
			return nil
		}
		return s.otherHost(r.Host)
	})
}

// hostname takes the port, and an IPv6 address's brackets, off a Host header.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

func isLoopbackName(name string) bool {
	if strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// ownOrigin refuses a write that another site's page makes a browser send, and a query:
// what that costs, the other page may not decide.
func (s *server) ownOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if s.opts.Public != nil { // a proxy may send another Host than the browser did
		_ = protection.AddTrustedOrigin(s.opts.Public.String()) // a scheme and a host, see ParsePublic
	}
	return s.gate(next, func(r *http.Request) error {
		checked := r
		if isQuery(r) {
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

// isQuery reports that a read asks for as much as a query may: all of a graph, or what
// the caller's own text says.
func isQuery(r *http.Request) bool {
	return isRead(r) && (r.URL.Path == "/sparql" || r.URL.Path == graphStore || strings.HasPrefix(r.URL.Path, graphStore+"/"))
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
