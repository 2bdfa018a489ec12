package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"trails/auth"
	"trails/capability/project"
	"trails/fault"
)

// Under returns the handler of a server whose addresses stand below a path, such as "/graphs/notes". The server sees
// requests as if its addresses began at /. In the headers of its answers they begin with the path, too; for its bodies
// there is [auth.Base]. Requests for other paths are not for it: the handler expects that they begin with this one, as
// written or escaped in another way, and in as many segments.
func Under(prefix string, next http.Handler) http.Handler {
	segments := strings.Count(prefix, "/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest := r.URL.EscapedPath()
		for range segments {
			_, rest, _ = strings.Cut(strings.TrimPrefix(rest, "/"), "/")
			rest = "/" + rest
		}
		below, err := auth.Under(r, prefix, rest)
		if err != nil { // net/url has parsed it before
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(&prefixed{ResponseWriter: w, prefix: prefix}, below)
	})
}

// behind returns the handler of a server whose public address has a path. Proxies hand that on or take it off; see
// [CheckPath].
func behind(path string, next http.Handler) http.Handler {
	if path == "" {
		return next
	}
	under := Under(path, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.URL.EscapedPath()
		if document, is := inserted(given, path); is {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = document, ""
		} else if given != path && !strings.HasPrefix(given, path+"/") {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = path+r.URL.Path, path+given
		}
		under.ServeHTTP(w, r)
	})
}

// CheckPath refuses a path of a public address with which an address of the server itself begins, because a proxy may take
// the path off or not.
func CheckPath(path string) error {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for _, route := range append(Routes(), project.Route{Path: graphsPath}) {
		if own, _, _ := strings.Cut(strings.TrimPrefix(route.Path, "/"), "/"); own == first {
			return fault.New(fault.InvalidArguments, "the public URL has the path %s, and addresses of the server begin with it, too; take another, such as /trails", path)
		}
	}
	return nil
}

// prefixed places the addresses in the headers of an answer.
type prefixed struct {
	http.ResponseWriter
	prefix string
	begun  bool
	moved  bool // the answer is a redirect, whose body would have the address without the prefix
}

// Unwrap is for [http.ResponseController].
func (p *prefixed) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// WriteHeader begins the answer; what comes before it (1xx) does not.
func (p *prefixed) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		p.begin()
		p.moved = status/100 == 3
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the body; of a redirect nothing, since Location says it all.
func (p *prefixed) Write(b []byte) (int, error) {
	p.begin()
	if p.moved {
		return len(b), nil
	}
	return p.ResponseWriter.Write(b)
}

// Flush sends what was written.
func (p *prefixed) Flush() {
	p.begin()
	_ = http.NewResponseController(p.ResponseWriter).Flush() // a writer that keeps nothing back has nothing to flush
}

// begin places the addresses of Location, Link (RFC 8288) and Refresh.
func (p *prefixed) begin() {
	if p.begun {
		return
	}
	p.begun = true
	for name, mark := range map[string]string{"Location": "", "Link": "<", "Refresh": "url="} {
		values := p.Header()[name]
		for i, value := range values {
			before, address, found := strings.Cut(value, mark)
			if found && strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
				values[i] = before + mark + p.prefix + address
			}
		}
	}
}

// pathOf is the escaped path of a request as its sender wrote it.
func pathOf(r *http.Request) string { return auth.Prefix(r) + r.URL.EscapedPath() }

// graphID returns the id of the graph that a path below /graphs is about; "" for other paths.
func graphID(u *url.URL) string {
	rest, below := strings.CutPrefix(u.EscapedPath(), graphsPath+"/")
	if !below {
		return ""
	}
	segment, _, _ := strings.Cut(rest, "/")
	id, err := url.PathUnescape(segment)
	if err != nil {
		return ""
	}
	return id
}
