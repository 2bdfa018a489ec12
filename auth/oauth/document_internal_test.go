package oauth

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// Only addresses of the public internet are connected to.
func TestPublicAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "160.79.104.10": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "0.0.0.0": false, "10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false,
		"198.18.0.1": false, "192.0.0.8": false, "203.0.113.1": false, "224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false,
		"::1": false, "::": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::7f00:1": false, "fe80::1": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001::1": false, "2001:db8::1": false, "fec0::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
	if isPublic(netip.MustParseAddr("2606:4700::1111%eth0")) || isPublic(netip.Addr{}) {
		t.Error("an address with a zone, or none, is public")
	}
}

// Whatever a name is said to mean, it is the address that is connected to which counts: localhost is a name as another.
func TestAnAddressThatIsNotPublicIsNotConnectedTo(t *testing.T) {
	reached := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "https://"), ":")
	transport := publicTransport().(*http.Transport)
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
		for _, at := range []string{host + ":" + port, host + ":443"} {
			c, err := transport.DialContext(t.Context(), "tcp", at)
			if err == nil {
				_ = c.Close()
				t.Errorf("%s is connected to", at)
			} else if !strings.Contains(err.Error(), "not public") {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
	if reached {
		t.Error("the server was reached")
	}
	t.Setenv("HTTPS_PROXY", server.URL)
	if transport.Proxy != nil {
		t.Error("a proxy of the environment would be asked")
	}
}

// Who names the address of a client's document learns the same of a name that means nothing here and of one that leads
// behind this server.
func TestNamesBehindTheServerAreNotTold(t *testing.T) {
	documents := newDocuments(nil)
	transport := documents.http.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "behind.example:443" {
			return dial(ctx, network, "127.0.0.1:443")
		}
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: address, Server: "10.0.0.53:53", IsNotFound: true}}
	}
	told := map[string]bool{}
	for _, id := range []string{"https://behind.example/client", "https://nothing.example/client"} {
		_, err := documents.get(t.Context(), id)
		if err == nil {
			t.Fatalf("%s is a client", id)
		}
		told[err.Error()] = true
	}
	if len(told) != 1 || !told["invalid_client: the document of the client at its client_id cannot be used: its name leads to no public address"] {
		t.Errorf("%v", told)
	}
}
