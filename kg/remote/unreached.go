package remote

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"

	"trails/text/quote"
)

// SignIn is what mostly answers a program with a page, or sends it to one, in the place of a server, and the way out.
const SignIn = "that is mostly a page to sign in, of a proxy in front of the server, and programs do not sign in on pages: let whoever runs it pass on requests with a token to this address, or use an address behind it"

// SendsOn says where a server sends a request on that is not made, r of [http.Client.CheckRedirect]. The query is left out:
// pages to sign in are given secrets in it.
func SendsOn(r *http.Request) string {
	at := url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host, Path: r.URL.Path}
	text := fmt.Sprintf("answers %s to %s, and nothing was sent there", r.Response.Status, quote.Line(at.String(), maxAddress))
	if code := r.Response.StatusCode; code == http.StatusMovedPermanently || code == http.StatusPermanentRedirect {
		return text
	}
	return text + "; " + SignIn
}

const maxAddress = 300 // characters

// WhyUnreached says in a few words why a request had no answer, without the hosts and addresses on
// the way, which callers are not told: keep err itself by [fault.Error.Because].
func WhyUnreached(err error) string {
	var system syscall.Errno
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case os.IsTimeout(err):
		return "no answer in time"
	case errors.As(err, &name):
		return "the name of the host is not known"
	case errors.As(err, &certificate):
		return "the certificate is not one to trust"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it does not speak TLS"
	case errors.As(err, &system):
		return system.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was ended"
	}
	return "the connection failed"
}
