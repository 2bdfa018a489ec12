package httpapi

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A certificate that was renewed is taken at the next look, and one that is not whole leaves the one before.
func TestACertificateIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	renew := func(name string, at time.Time) {
		t.Helper()
		public, secret, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, public, secret)
		if err != nil {
			t.Fatal(err)
		}
		key, err := x509.MarshalPKCS8PrivateKey(secret)
		if err != nil {
			t.Fatal(err)
		}
		write(t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), at)
		write(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), at)
	}
	began := time.Now().Add(-time.Hour)
	renew("one.example.org", began)
	var log bytes.Buffer
	c, err := CertificateFiles(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{certFile: certFile, keyFile: keyFile, log: slog.New(slog.NewTextHandler(&log, nil))}
	if err := p.read(); err != nil {
		t.Fatal(err)
	}
	serves := func(name string) bool {
		p.looked = time.Time{}
		return p.now().Leaf.VerifyHostname(name) == nil
	}
	if !c.Serves("one.example.org") || c.Serves("two.example.org") || c.Name() != "one.example.org" || !serves("one.example.org") {
		t.Error("the certificate is not that of the files")
	}
	renew("two.example.org", began.Add(time.Minute))
	if !serves("two.example.org") || !strings.Contains(log.String(), "was read again") {
		t.Errorf("what was renewed is not taken: %s", log.String())
	}
	for _, broken := range []func(){
		func() { write(t, certFile, []byte("cut"), began.Add(2*time.Minute)) },
		func() { _ = os.Remove(keyFile) },
	} {
		log.Reset()
		broken()
		if !serves("two.example.org") || !strings.Contains(log.String(), "the one before stays") {
			t.Errorf("what is not whole counts, or nobody hears of it: %s", log.String())
		}
	}
	renew("three.example.org", began.Add(3*time.Minute))
	if !serves("three.example.org") {
		t.Error("what is whole again is not taken")
	}
	if p.looked.IsZero() || c.Serves("three.example.org") {
		t.Error("the files are looked at each time")
	}
}

func write(t *testing.T, file string, content []byte, at time.Time) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}
