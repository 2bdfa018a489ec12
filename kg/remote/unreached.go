package remote

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

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
