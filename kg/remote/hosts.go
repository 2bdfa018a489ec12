package remote

import (
	"net/url"
	"strings"

	"trails/fault"
	"trails/loopback"
)

// host is a host that may be reached.
type host struct{ scheme, name, port string }

// hosts are those that may be reached.
type hosts []host

var ports = map[string]string{"http": "80", "https": "443"}

func parseHosts(list []string) (hosts, error) {
	var all hosts
	for _, text := range list {
		h, ok := parseHost(text)
		if !ok {
			return nil, fault.New(fault.InvalidArguments, "%q is no host: write it as example.org, example.org:8443 or http://example.org, without a path or wildcards", text)
		}
		all = append(all, h)
	}
	return all, nil
}

func parseHost(text string) (host, bool) {
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return host{}, false
	}
	h := host{u.Scheme, nameOf(u), u.Port()}
	plain := u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" && !u.ForceQuery && !strings.HasSuffix(u.Host, ":")
	known := h.scheme == "" || ports[h.scheme] != ""
	return h, plain && known && h.name != "" && !strings.ContainsAny(h.name, "*?, ")
}

func nameOf(u *url.URL) string { return strings.ToLower(u.Hostname()) }

// check refuses an address that is not of an allowed host.
func (list hosts) check(u *url.URL) error {
	switch {
	case ports[u.Scheme] == "":
		return fault.New(fault.Denied, "<%s> is no address of http or https", u.Redacted())
	case u.User != nil:
		return fault.New(fault.Denied, "<%s> holds a name or password, which are not sent", u.Redacted())
	case nameOf(u) == "":
		return fault.New(fault.Denied, "<%s> names no host", u)
	}
	for _, h := range list {
		samePort := portOf(h.port, u.Scheme) == portOf(u.Port(), u.Scheme)
		sameScheme := h.scheme == u.Scheme || h.scheme == "" && (u.Scheme == "https" || loopback.Is(h.name))
		if h.name == nameOf(u) && samePort && sameScheme {
			return nil
		}
	}
	return fault.New(fault.Denied, "<%s> is not of an allowed host; whoever starts trails allows it with --allow-remote %s", u, wayTo(u))
}

func portOf(given, scheme string) string {
	if given == "" {
		return ports[scheme]
	}
	return given
}

// wayTo is the host setting that would allow an address.
func wayTo(u *url.URL) string {
	way := nameOf(u)
	if strings.Contains(way, ":") {
		way = "[" + way + "]"
	}
	if port := u.Port(); port != "" && port != ports[u.Scheme] {
		way += ":" + port
	}
	if u.Scheme == "http" && !loopback.Is(nameOf(u)) {
		way = "http://" + way
	}
	return way
}
