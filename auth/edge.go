package auth

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"trails/fault"
	"trails/loopback"
)

// ParsePublic reads the public address of a server behind a proxy: https, a host name, a port other than
// 443 and a path, such as https://example.org/trails. The result has only these parts, and no slash at the end.
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
	case !publicPath.MatchString(u.EscapedPath()):
		return wrong("its path is no row of names of A-Z, a-z, 0-9, dots, dashes and underscores, such as /trails")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return wrong("it takes a name, a port and a path, and no more")
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
	return &url.URL{Scheme: "https", Host: host, Path: strings.TrimSuffix(u.Path, "/")}, nil
}

// publicPath matches the paths of public addresses.
var publicPath = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*/?$`)

// originOf is the origin in a public address.
func originOf(public *url.URL) string { return public.Scheme + "://" + public.Host }

// edge describes how a request reached the server.
type edge struct {
	origin string // scheme and host in the caller's address
	client string // the caller's address
}

type edgeKey struct{}

// Origin returns scheme and host of the server's address for callers: those of [Options.Public] if set.
func Origin(r *http.Request) string {
	if e, ok := r.Context().Value(edgeKey{}).(edge); ok {
		return e.origin
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

type prefixKey struct{}

// Under returns a request as a server sees it whose addresses stand below a path, such as "/graphs/notes": with the rest of
// the path, which is escaped and begins with "/". [Base] has that path.
func Under(r *http.Request, prefix, rest string) (*http.Request, error) {
	path, err := url.PathUnescape(rest)
	if err != nil {
		return nil, fault.New(fault.Malformed, "the path does not parse").Because(err)
	}
	out := r.WithContext(context.WithValue(r.Context(), prefixKey{}, Prefix(r)+prefix))
	address := *r.URL
	address.Path, address.RawPath = path, ""
	if address.EscapedPath() != rest { // as net/url has it: only what is escaped in another way stands there
		address.RawPath = rest
	}
	out.URL = &address
	return out, nil
}

// Prefix returns the path below which the server's addresses stand, see [Under]; "" if they begin at /.
func Prefix(r *http.Request) string {
	prefix, _ := r.Context().Value(prefixKey{}).(string)
	return prefix
}

// Base returns what the server's addresses for callers begin with, without a slash at its end: [Origin] and [Prefix].
func Base(r *http.Request) string { return Origin(r) + Prefix(r) }

// Secure reports whether the caller uses TLS.
func Secure(r *http.Request) bool { return strings.HasPrefix(Origin(r), "https://") }

// ClientAddr returns the caller's IP address: that of the connection or, behind a trusted proxy, the one it
// forwards for.
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

// Arrived returns the request with data for [Origin] and [ClientAddr] in its context. X-Forwarded-* headers
// count only with a public address and from trusted proxies. A request that reached the proxy under another
// name, or without TLS, is refused.
func (r *Resolver) Arrived(req *http.Request) (*http.Request, error) {
	e := edge{origin: Origin(req), client: peerOf(req)}
	if r.opts.Public != nil {
		e.origin = originOf(r.opts.Public)
		if r.believes(e.client) {
			if err := r.checkForwarded(req); err != nil {
				return nil, err
			}
			e.client = r.forwardedFor(req, e.client)
		}
	}
	return req.WithContext(context.WithValue(req.Context(), edgeKey{}, e)), nil
}

// checkForwarded refuses a request that reached the proxy under another name or without TLS. A list of hosts
// is refused, because the caller may have sent the first and it is unclear which one was used. Each proxy
// adds a scheme, so the first is the caller's.
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

// CheckHost refuses a Host that is not a name of this server, because a foreign page may have bound its name
// to this address (DNS rebinding). Loopback names, those of the certificate and the public name are accepted.
func (r *Resolver) CheckHost(host string) error {
	name := hostName(host)
	switch {
	case loopback.Is(name), r.opts.Names != nil && r.opts.Names(strings.TrimSuffix(name, ".")):
		return nil
	case r.opts.Public == nil && r.opts.Names != nil:
		return fault.New(fault.Denied, "host %q is not served here; use a name of the server's certificate", host)
	case r.opts.Public == nil:
		return fault.New(fault.Denied, "host %q is not served here; use localhost or 127.0.0.1, or tell the server its name behind a proxy with --public-url", host)
	case !strings.EqualFold(strings.TrimSuffix(name, "."), r.opts.Public.Hostname()):
		return fault.New(fault.Denied, "host %q is not served here; use %s", host, r.opts.Public)
	}
	return nil
}

// hostName is a Host header without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// IsPublic reports whether the caller uses TLS, and a name or address that is not of this machine alone.
func IsPublic(r *http.Request) bool { return Secure(r) && !loopback.Is(hostName(r.Host)) }

// ParseOrigin reads the origin of a site (RFC 6454): http or https, a host name and a port, as browsers send it, such as
// https://app.example.org. Without TLS it is one of this machine.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fault.New(fault.InvalidArguments, "origin %q: give a scheme and a name, such as https://app.example.org, for each site", text)
	case u.Path != "" && u.Path != "/" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Host, "*"):
		return "", fault.New(fault.InvalidArguments, "origin %q: it is a scheme, a name and a port, and no more; name each site", text)
	case u.Scheme == "http" && !loopback.Is(u.Hostname()):
		return "", fault.New(fault.InvalidArguments, "origin %q: without TLS anybody on the way could be that site; give https", text)
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, nil
}

// Trusts reports whether an Origin header is that of a trusted site.
func (r *Resolver) Trusts(origin string) bool { return slices.Contains(r.opts.Origins, origin) }

// CrossOrigin returns the check that refuses requests from pages of other sites, except of trusted ones.
func (r *Resolver) CrossOrigin() *http.CrossOriginProtection {
	protection := http.NewCrossOriginProtection()
	for _, origin := range r.opts.Origins {
		_ = protection.AddTrustedOrigin(origin) // a scheme and a host, see ParseOrigin
	}
	if r.opts.Public != nil { // a proxy may change the browser's Host
		_ = protection.AddTrustedOrigin(originOf(r.opts.Public)) // a scheme and a host, see ParsePublic
	}
	return protection
}

// forwardedFor returns the first address, going back from the nearest proxy, that is not trusted. Anybody
// could have written the ones before it.
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

// believes reports whether forwarded addresses from client are trusted.
func (r *Resolver) believes(client string) bool {
	addr, ok := parseAddr(client)
	return ok && (addr.IsLoopback() || slices.ContainsFunc(r.opts.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) }))
}

// parseAddr reads an address in a proxy's header, with or without a port.
func parseAddr(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return addr.Unmap().WithZone(""), err == nil
}
