package auth

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"trails/fault"
)

// ParsePublic reads the one address at which callers find a server behind a proxy: https
// and a name, such as https://trails.example.org, with a port where it is not 443. The
// result has nothing else.
func ParsePublic(text string) (*url.URL, error) {
	wrong := func(why string) (*url.URL, error) {
		return nil, fault.New(fault.InvalidArguments, "public URL %q: %s", text, why)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return wrong("give https and a name, such as https://trails.example.org")
	}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	switch {
	case u.Scheme != "https":
		return wrong("it must begin with https://: without TLS the token would travel in the clear")
	case u.Path != "" && u.Path != "/":
		return wrong("it has a path; give the graph a name of its own, such as https://notes.example.org, because its addresses begin at /")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return wrong("it takes a name and a port, and no more")
	case name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' }):
		return wrong("write the name as browsers send it: in ASCII, as punycode where it has other letters")
	}
	host := name
	if strings.Contains(name, ":") {
		host = "[" + name + "]"
	}
	if port := u.Port(); port != "" && port != "443" {
		host += ":" + port
	}
	return &url.URL{Scheme: "https", Host: host}, nil
}

// edge is how a request reached the server.
type edge struct {
	origin string // scheme and host, as the caller wrote them
	client string // the caller's address
}

type edgeKey struct{}

// Origin returns scheme and host of the server as the caller addresses it: those of
// [Options.Public] when there is one.
func Origin(r *http.Request) string {
	if e, ok := r.Context().Value(edgeKey{}).(edge); ok {
		return e.origin
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Secure reports that the caller reaches the server over TLS.
func Secure(r *http.Request) bool { return strings.HasPrefix(Origin(r), "https://") }

// ClientAddr returns the IP address of the caller: the peer of the connection or, behind
// a proxy that is believed, whom that says it speaks for.
func ClientAddr(r *http.Request) string {
	if e, ok := r.Context().Value(edgeKey{}).(edge); ok {
		return e.client
	}
	return peerOf(r)
}

func peerOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Arrived returns the request with how it reached the server in its context, for
// [Origin] and [ClientAddr]. X-Forwarded-* count only where there is a public address,
// and from those who are believed; a request that reached the proxy at another name, or
// without TLS, is refused.
func (r *Resolver) Arrived(req *http.Request) (*http.Request, error) {
	e := edge{origin: Origin(req), client: peerOf(req)}
	if r.opts.Public != nil {
		e.origin = r.opts.Public.String()
		if r.believes(e.client) {
			if err := r.checkForwarded(req); err != nil {
				return nil, err
			}
			e.client = r.forwardedFor(req, e.client)
		}
	}
	return req.WithContext(context.WithValue(req.Context(), edgeKey{}, e)), nil
}

// checkForwarded refuses what the proxy took at another name, or without TLS. A list of
// hosts is refused: the caller may have sent the first, and which one counted nobody can tell.
// Of schemes each of several proxies adds one, so the first is what the caller used.
func (r *Resolver) checkForwarded(req *http.Request) error {
	switch hosts := strings.Join(req.Header.Values("X-Forwarded-Host"), ","); {
	case strings.Contains(hosts, ","):
		return fault.New(fault.Denied, "X-Forwarded-Host has several hosts; let the proxy set it to one, %s", r.opts.Public.Host)
	case hosts != "":
		if err := r.CheckHost(strings.TrimSpace(hosts)); err != nil {
			return err
		}
	}
	scheme, _, _ := strings.Cut(req.Header.Get("X-Forwarded-Proto"), ",")
	if scheme = strings.TrimSpace(scheme); scheme != "" && !strings.EqualFold(scheme, "https") {
		return fault.New(fault.Denied, "the request reached the proxy over %s; use %s", scheme, r.opts.Public)
	}
	return nil
}

// CheckHost refuses a Host that is no name of this server: a page elsewhere may have
// bound its own name to this address (DNS rebinding). Names of loopback and the public
// one are.
func (r *Resolver) CheckHost(host string) error {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.Trim(name, "[]")
	switch {
	case IsLoopback(name):
		return nil
	case r.opts.Public == nil:
		return fault.New(fault.Denied, "host %q is not served here; use localhost or 127.0.0.1, or tell the server its name behind a proxy with --public-url", host)
	case !strings.EqualFold(strings.TrimSuffix(name, "."), r.opts.Public.Hostname()):
		return fault.New(fault.Denied, "host %q is not served here; use %s", host, r.opts.Public)
	}
	return nil
}

// IsLoopback reports whether a name or an address, without a port, is this machine's own.
func IsLoopback(name string) bool {
	ip := net.ParseIP(name)
	return strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") || ip != nil && ip.IsLoopback()
}

// CrossOrigin returns the check of requests that a page of another site makes a browser
// send.
func (r *Resolver) CrossOrigin() *http.CrossOriginProtection {
	protection := http.NewCrossOriginProtection()
	if r.opts.Public != nil { // a proxy may send another Host than the browser did
		_ = protection.AddTrustedOrigin(r.opts.Public.String()) // a scheme and a host, see ParsePublic
	}
	return protection
}

// forwardedFor goes through the addresses that proxies have noted, the nearest first, up
// to the first one that is not believed: what stands before it anybody may have written.
func (r *Resolver) forwardedFor(req *http.Request, peer string) string {
	client := peer
	for rest := strings.Join(req.Header.Values("X-Forwarded-For"), ","); rest != "" && r.believes(client); {
		last := strings.LastIndexByte(rest, ',')
		addr, ok := parseAddr(strings.TrimSpace(rest[last+1:]))
		if !ok {
			break
		}
		client, rest = addr.String(), rest[:max(last, 0)]
	}
	return client
}

// believes reports that what an address says of others counts.
func (r *Resolver) believes(client string) bool {
	addr, ok := parseAddr(client)
	return ok && (addr.IsLoopback() || slices.ContainsFunc(r.opts.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) }))
}

// parseAddr reads an address as proxies write it, with or without a port.
func parseAddr(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return addr.Unmap().WithZone(""), err == nil
}
