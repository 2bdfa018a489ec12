package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate of its own for some names, valid for a time from now on, and its key.
func certificate(t *testing.T, dir string, valid time.Duration, names ...string) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 5)},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(valid), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile, roots = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()
	certPEM, keyPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})
	roots.AppendCertsFromPEM(certPEM)
	for file, content := range map[string][]byte{certFile: certPEM, keyFile: keyPEM, filepath.Join(dir, names[0]): append(keyPEM, certPEM...)} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile, roots
}

// servedAt are clients that find every name at a port of this machine.
func servedAt(port string, roots *x509.CertPool, most uint16) *http.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: roots, MaxVersion: most}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// A server with a certificate is reached beyond this machine by the names of that alone, and with a token alone.
func TestServingOverTLS(t *testing.T) {
	file := newNotes(t)
	out, err := exec.Command("trails", "token", "create", file, "ci").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	secret := regexp.MustCompile(`trails_ci_\S+`).FindString(string(out))
	cert, key, roots := certificate(t, t.TempDir(), 90*24*time.Hour, "notes.example.org", "*.notes.example.org")
	caches := t.TempDir()
	kept := filepath.Join(caches, "trails", "certificates")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, automatic := certificate(t, kept, 90*24*time.Hour, "notes.example.org")
	for _, c := range []struct {
		name   string
		roots  *x509.CertPool
		args   []string
		serves []string
	}{
		{"by files", roots, []string{"--tls-cert", cert, "--tls-key", key}, []string{"notes.example.org", "a.notes.example.org", "10.0.0.5"}},
		{"by what Let's Encrypt gave before", automatic, []string{"--autocert", "notes.example.org"}, []string{"notes.example.org"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := startServing(t, []string{"XDG_CACHE_HOME=" + caches}, append([]string{file, "--addr", "0.0.0.0:0"}, c.args...)...)
			found := regexp.MustCompile(`https://notes\.example\.org:(\d+)`).FindStringSubmatch(said)
			if found == nil || strings.Contains(said, "sign in as the operator") || strings.Contains(said, "open to everybody") {
				t.Fatalf("it says %s", said)
			}
			port := found[1]
			client := servedAt(port, c.roots, 0)
			get := func(host, address, token string) *http.Response {
				t.Helper()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://notes.example.org:"+port+address, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Host = host
				if token != "" {
					req.Header.Set("Authorization", "Bearer "+token)
				}
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
				return res
			}
			for _, host := range c.serves {
				if res := get(host+":"+port, "/schema", secret); res.StatusCode != 200 || res.Header.Get("Strict-Transport-Security") == "" {
					t.Errorf("%s: %s with %v", host, res.Status, res.Header)
				}
			}
			for host, want := range map[string]int{"notes.example.org": 401, "evil.example": 403, "a.b.notes.example.org": 403, "10.0.0.6": 403, "": 401} {
				if res := get(host, "/schema", ""); res.StatusCode != want {
					t.Errorf("%q without a token: %s, want %d", host, res.Status, want)
				}
			}
			if res := get("localhost", "/schema", secret); res.StatusCode != 200 || res.Header.Get("Strict-Transport-Security") != "" {
				t.Errorf("by a name of this machine: %s with %v", res.Status, res.Header)
			}
			if res := get("", "/admin/operator?key=guess", ""); res.StatusCode != 403 {
				t.Errorf("the operator's link: %s", res.Status)
			}
			if _, err := servedAt(port, c.roots, tls.VersionTLS11).Get("https://notes.example.org:" + port); err == nil {
				t.Error("TLS 1.1 is spoken")
			}
			if res, err := servedAt(port, nil, 0).Get("http://127.0.0.1:" + port + "/schema"); err != nil || res.StatusCode != 400 {
				t.Errorf("without TLS: %v, %v", res, err)
			}
		})
	}
	t.Run("no other name is asked for at Let's Encrypt", func(t *testing.T) {
		said := startServing(t, []string{"XDG_CACHE_HOME=" + caches}, file, "--addr", "0.0.0.0:0", "--autocert", "notes.example.org")
		port := regexp.MustCompile(`https://notes\.example\.org:(\d+)`).FindStringSubmatch(said)[1]
		if _, err := servedAt(port, automatic, 0).Get("https://other.example.org:" + port); err == nil || !strings.Contains(err.Error(), "tls") {
			t.Errorf("got %v", err)
		}
		if !strings.Contains(said, "warning: Let's Encrypt connects to port 443") {
			t.Errorf("it does not say that the port is another: %s", said)
		}
	})
}

// What would be open, or could not work, does not start.
func TestServingOverTLSIsRefused(t *testing.T) {
	file, dir := newNotes(t), t.TempDir()
	cert, key, _ := certificate(t, dir, time.Hour, "notes.example.org")
	_, other, _ := certificate(t, t.TempDir(), time.Hour, "notes.example.org")
	expired, expiredKey, _ := certificate(t, t.TempDir(), -time.Hour, "notes.example.org")
	token := []string{"TRAILS_MCP_TOKEN=s"}
	for _, c := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{[]string{"--tls-cert", cert, "--tls-key", key}, nil, exitUsage, "issue a token with trails token create, or set TRAILS_MCP_TOKEN"},
		{[]string{"--public-url", "https://notes.example.org"}, nil, exitUsage, "issue a token with trails token create"},
		{nil, token, exitUsage, "tokens would travel in the clear: serve TLS by --tls-cert and --tls-key or --autocert NAME"},
		{[]string{"--tls-cert", cert}, token, exitUsage, "go together"},
		{[]string{"--tls-key", key}, token, exitUsage, "go together"},
		{[]string{"--tls-cert", cert, "--tls-key", key, "--autocert", "notes.example.org"}, token, exitUsage, "give one of both"},
		{[]string{"--tls-cert", cert, "--tls-key", other}, token, exitUsage, "are no certificate with its key, both in PEM: tls: private key does not match public key"},
		{[]string{"--tls-cert", key, "--tls-key", cert}, token, exitUsage, "are no certificate with its key"},
		{[]string{"--tls-cert", filepath.Join(dir, "none.pem"), "--tls-key", key}, token, exitUsage, "there is no file "},
		{[]string{"--tls-cert", expired, "--tls-key", expiredKey}, token, exitUsage, "expired on "},
		{[]string{"--addr", "127.0.0.1:0", "--allow-origin", "*"}, nil, exitUsage, "give a scheme and a name, such as https://app.example.org"},
		{[]string{"--addr", "127.0.0.1:0", "--allow-origin", "http://app.example.org"}, nil, exitUsage, "without TLS anybody on the way could be that site"},
		{[]string{"--autocert", "10.0.0.5"}, token, exitUsage, "no public name"},
		{[]string{"--autocert", "localhost"}, token, exitUsage, "no public name"},
		{[]string{"--autocert", "*.example.org"}, token, exitUsage, "no public name"},
	} {
		var out, errs strings.Builder
		args := append([]string{"serve", file, "--addr", "0.0.0.0:0"}, c.args...)
		if code := run(args, strings.NewReader(""), &out, &errs, c.env); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%q with %q: exit code %d, %s", c.args, c.env, code, errs.String())
		}
	}
}
