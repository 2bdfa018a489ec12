package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bounds on getting the documents of clients.
const (
	documentTime = 5 * time.Second
	maxDocument  = 32 << 10 // bytes
	// documentLife is how long a document counts, and failureLife how long none is looked for where there was none.
	documentLife = 10 * time.Minute
	failureLife  = time.Minute
	maxDocuments = 200
	// documentsAtOnce is how many are got at the same time.
	documentsAtOnce = 4
)

// documents are what clients publish of themselves, by their IDs, for a while.
type documents struct {
	http  *http.Client
	turns chan struct{} // has an element for each that is got now

	mu   *sync.Mutex
	kept map[string]keptDocument
}

type keptDocument struct {
	client Client
	err    error
	until  time.Time
}

// newDocuments gets documents by a transport; nil means one that connects to public addresses alone.
func newDocuments(transport http.RoundTripper) documents {
	if transport == nil {
		transport = publicTransport()
	}
	return documents{
		http: &http.Client{Transport: transport, Timeout: documentTime, CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it redirects, and a client's document is at its own address")
		}},
		turns: make(chan struct{}, documentsAtOnce), mu: new(sync.Mutex), kept: map[string]keptDocument{},
	}
}

// get returns the client whose document is at an address, which is its ID.
func (d *documents) get(ctx context.Context, id string) (Client, error) {
	if err := checkID(id); err != nil {
		return Client{}, err
	}
	d.mu.Lock()
	it, known := d.kept[id]
	d.mu.Unlock()
	if known && time.Now().Before(it.until) {
		return it.client, it.err
	}
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return Client{}, ctx.Err()
	}
	it = keptDocument{until: time.Now().Add(documentLife)}
	m, err := d.fetch(ctx, id)
	if err == nil {
		it.client, err = clientOf(id, m)
	}
	if err != nil {
		if ctx.Err() != nil {
			return Client{}, ctx.Err()
		}
		it.until = time.Now().Add(failureLife)
		it.err = unknownClient("the document of the client at its client_id cannot be used: " + ascii(err.Error()))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.kept) >= maxDocuments {
		clear(d.kept)
	}
	d.kept[id] = it
	return it.client, it.err
}

// ascii is a text as an error may have it (RFC 6749, section 5.2), bounded.
func ascii(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case c == '"' || c == '\\':
			return '\''
		case c < ' ' || c > '~':
			return -1
		}
		return c
	}, text)
	return text[:min(len(text), 300)]
}

// checkID refuses an address that is no client_id (draft-ietf-oauth-client-id-metadata-document, section 3). A client is
// shown to people by the name of its host, so that is a name, at the usual port.
func checkID(id string) error {
	u, err := url.Parse(id)
	plain := err == nil && len(id) <= maxID && !strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' || c == '\\' || c == '#' })
	switch {
	case !plain || u.Scheme != "https" || u.User != nil || u.Host != u.Hostname() || net.ParseIP(u.Hostname()) != nil || !strings.Contains(u.Host, "."):
		return unknownClient("the client_id is neither a registration of this server nor the https address of a client's document, with a name and no port")
	case u.Path == "" || u.Path == "/" || slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return part == "." || part == ".." }):
		return unknownClient("the client_id has no path, or one with dots, and no document of a client is there")
	}
	return nil
}

// fetch gets a document.
func (d *documents) fetch(ctx context.Context, id string) (m metadata, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return m, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "trails")
	res, err := d.http.Do(r)
	if err != nil {
		return m, unreached(err)
	}
	defer func() { _ = res.Body.Close() }() // only read
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case res.StatusCode != http.StatusOK:
		return m, fmt.Errorf("the address answers %d", res.StatusCode)
	case media != "application/json" && !strings.HasSuffix(media, "+json"):
		return m, errors.New("it is not JSON by its Content-Type")
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	switch {
	case err != nil:
		return m, err
	case len(text) > maxDocument:
		return m, fmt.Errorf("it has more than %d bytes", maxDocument)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, errors.New("it is no JSON object of the metadata of a client")
	}
	return m, nil
}

// unreached is why a document was not got. The person who named its address is not told what names mean to this server, and
// which of them are behind it.
func unreached(err error) error {
	var lookup *net.DNSError
	if errors.Is(err, errNotPublic) || errors.As(err, &lookup) {
		return errors.New("its name leads to no public address")
	}
	var address *url.Error
	if errors.As(err, &address) {
		return address.Err
	}
	return err
}

// errNotPublic ends a connection to an address that is not one of the public internet.
var errNotPublic = errors.New("the address is not public")

// clientOf is the client that a document is about.
func clientOf(id string, m metadata) (Client, error) {
	switch {
	case m.ID != id:
		return Client{}, errors.New("its client_id is not the address where it is")
	case strings.HasPrefix(m.TokenAuth, "client_secret"):
		return Client{}, errors.New("its token_endpoint_auth_method needs a secret, and clients have none here")
	}
	if err := checkRedirects(m.Redirects); err != nil {
		return Client{}, err
	}
	u, err := url.Parse(id)
	if err != nil {
		return Client{}, err
	}
	return Client{ID: id, Name: oneLine(m.Name), Source: strings.ToLower(u.Host), redirects: m.Redirects}, nil
}

// publicTransport connects to public addresses alone, at port 443. It looks at the address to which it connects, and not at
// what a name meant before, so that a name that changes its address (DNS rebinding) leads nowhere else. It uses no proxy.
func publicTransport() http.RoundTripper {
	dialer := &net.Dialer{Timeout: documentTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if at.Port() != 443 || !isPublic(at.Addr()) {
			return errNotPublic
		}
		return nil
	}}
	return &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: documentTime, ResponseHeaderTimeout: documentTime,
		MaxResponseHeaderBytes: maxDocument, DisableKeepAlives: true, ForceAttemptHTTP2: false,
	}
}

// notPublic are networks within those of unicast that are not of the public internet (IANA's registries of special-purpose
// addresses), or lead to others.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // Teredo and 6to4 among them
)

// public6 is the part of IPv6 that is public; what translates to IPv4 (64:ff9b::/96) is outside of it.
var public6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// isPublic reports whether an address is one of the public internet.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || a.Is6() && !public6.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}
