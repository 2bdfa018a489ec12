package admin_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestStaticFilesAreKeptUnderTheirHash(t *testing.T) {
	f := newExample(t)
	page := f.get(t, "/admin", 200)
	sheets := page.find(func(n *html.Node) bool { return strings.HasPrefix(attribute(n, "href"), "/admin/static/admin.css?v=") })
	if len(sheets) != 1 {
		t.Fatalf("the style sheet is linked %d times", len(sheets))
	}
	address := attribute(sheets[0], "href")
	for path, cache := range map[string]string{
		address:                              "public, max-age=31536000, immutable",
		"/admin/static/admin.css":            "no-cache",
		"/admin/static/admin.css?v=somewhat": "no-cache",
	} {
		a := f.get(t, path, 200)
		if a.Header.Get("Cache-Control") != cache || a.Header.Get("Content-Type") != "text/css; charset=utf-8" || a.Header.Get("ETag") == "" {
			t.Errorf("%s: %v", path, a.Header)
		}
		again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		again.Header.Set("If-None-Match", a.Header.Get("ETag"))
		if got := f.do(t, again); got.StatusCode != 304 || got.text != "" {
			t.Errorf("%s again: %d with %d bytes", path, got.StatusCode, len(got.text))
		}
	}
	f.get(t, "/admin/static/nothing.js", 404)
	f.get(t, "/admin/static/..%2Fadmin.go", 404)
}

func TestVendoredFilesAreTheOnesThatAreWrittenDown(t *testing.T) {
	list, err := os.ReadFile("static/VENDORED.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("static/*.min.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vendored files: %v", err)
	}
	for _, file := range files {
		body := unpacked(t, file)
		sum := sha256.Sum256(body)
		if !strings.Contains(string(list), "| "+filepath.Base(file)+" |") || !strings.Contains(string(list), hex.EncodeToString(sum[:])) {
			t.Errorf("%s with SHA-256 %x is not in VENDORED.md", file, sum)
		}
	}
}

// unpacked is what a vendored file holds.
func unpacked(t *testing.T, file string) []byte {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(file, ".gz") {
		return body
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return body
}

func TestPackedFilesAreSentAsTheReaderTakesThem(t *testing.T) {
	f := newExample(t)
	want := string(unpacked(t, "static/yasgui.min.css.gz"))
	for accept, packed := range map[string]bool{
		"": false, "identity": false, "br": false, "gzip;q=0": false, "gzip; q=0.0": false, "xgzip": false,
		"gzip": true, "br, gzip;q=0.5": true, "GZIP": true,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/static/yasgui.min.css", nil)
		r.Header.Set("Accept-Encoding", accept)
		a := f.do(t, r)
		if got := a.Header.Get("Content-Encoding") == "gzip"; got != packed || a.Header.Get("Vary") != "Accept-Encoding" || a.Header.Get("Content-Type") != "text/css; charset=utf-8" {
			t.Errorf("%q: %v", accept, a.Header)
		}
		if !packed && a.text != want || packed && len(a.text) > len(want)/2 {
			t.Errorf("%q: %d bytes", accept, len(a.text))
		}
	}
}
