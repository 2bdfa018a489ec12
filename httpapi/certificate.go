package httpapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"trails/fault"
)

// Certificates are those with which a server identifies itself over TLS. They are safe for concurrent use.
type Certificates struct {
	config *tls.Config
	serves func(host string) bool
	name   string
}

// Name is a host name of the certificate, "" if it has addresses only.
func (c *Certificates) Name() string { return c.name }

// Serves reports whether a host name or address, without a port, is one of the certificate.
func (c *Certificates) Serves(host string) bool { return c.serves(host) }

// Over returns the listener whose connections use TLS 1.2 or later.
func (c *Certificates) Over(ln net.Listener) net.Listener { return tls.NewListener(ln, c.config) }

// pairEvery is how often it is looked whether the files of a certificate changed.
const pairEvery = 10 * time.Second

// pair is a certificate and its key in two files, which are read again when they change.
type pair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex
	looked time.Time
	stamp  [2]time.Time // when the files were changed
	held   *tls.Certificate
}

// CertificateFiles returns the certificate of two files in PEM: the chain, the server's own first, and its key. They are
// read again when they change; while what is in them then is not whole the certificate before stays, and log hears why.
// Files that cannot be read, or that do not belong together, are the fault InvalidArguments.
func CertificateFiles(certFile, keyFile string, log *slog.Logger) (*Certificates, error) {
	p := &pair{certFile: certFile, keyFile: keyFile, log: log}
	if err := p.read(); err != nil {
		return nil, err
	}
	p.looked = time.Now()
	if leaf := p.held.Leaf; time.Now().After(leaf.NotAfter) {
		return nil, fault.New(fault.InvalidArguments, "the certificate in %s expired on %s; give one that is valid", fault.Path(certFile), leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	c := &Certificates{
		config: &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return p.now(), nil
		}},
		serves: func(host string) bool { return p.now().Leaf.VerifyHostname(host) == nil },
	}
	for _, name := range p.held.Leaf.DNSNames {
		if !strings.HasPrefix(name, "*") {
			c.name = name
			break
		}
	}
	return c, nil
}

// read reads the files.
func (p *pair) read() error {
	stamp, err := p.stamps()
	if err != nil {
		return err
	}
	held, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err == nil && held.Leaf == nil {
		held.Leaf, err = x509.ParseCertificate(held.Certificate[0])
	}
	if err != nil {
		return fault.New(fault.InvalidArguments, "%s and %s are no certificate with its key, both in PEM", fault.Path(p.certFile), fault.Path(p.keyFile)).Because(err)
	}
	p.held, p.stamp = &held, stamp
	return nil
}

func (p *pair) stamps() (stamp [2]time.Time, err error) {
	for i, file := range []string{p.certFile, p.keyFile} {
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return stamp, fault.New(fault.InvalidArguments, "there is no file %s", fault.Path(file))
		case err != nil:
			return stamp, fault.New(fault.InvalidArguments, "%s cannot be read", fault.Path(file)).Because(err)
		}
		stamp[i] = info.ModTime()
	}
	return stamp, nil
}

// now returns the certificate as the files have it, or the last whole one.
func (p *pair) now() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < pairEvery {
		return p.held
	}
	p.looked = time.Now()
	stamp, err := p.stamps()
	if err == nil && stamp == p.stamp {
		return p.held
	}
	if err == nil {
		err = p.read()
	}
	if err != nil {
		p.log.Warn("the certificate was not read again; the one before stays", "problem", err.Error())
	} else {
		p.log.Info("the certificate was read again", "until", p.held.Leaf.NotAfter)
	}
	return p.held
}

// AutomaticCertificate returns a certificate for one host name from Let's Encrypt, which is got at the first connection and
// renewed, by a challenge over TLS on port 443 (RFC 8737). It is kept in a directory. Who uses it agrees to the terms of
// Let's Encrypt. A host that is no DNS name is the fault InvalidArguments.
func AutomaticCertificate(host, directory string) (*Certificates, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(host, ".") || net.ParseIP(host) != nil || strings.ContainsAny(host, "/:@*? ") {
		return nil, fault.New(fault.InvalidArguments, "--autocert %q is no public name of this machine; give one such as notes.example.org", host)
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fault.New(fault.Unusable, "certificates cannot be kept in %s", fault.Path(directory)).Because(err)
	}
	manager := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(host), Cache: autocert.DirCache(directory)}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1", acme.ALPNProto}, GetCertificate: manager.GetCertificate}
	return &Certificates{config: config, name: host, serves: func(name string) bool { return strings.EqualFold(strings.TrimSuffix(name, "."), host) }}, nil
}
