package admin

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"trails/fault"
)

//go:embed static
var staticFiles embed.FS

// asset is a static file with the hash of its content. What is large stands packed
// in the binary.
type asset struct {
	body   []byte
	hash   string
	packed bool
}

// packedExt ends the names of files that are kept as gzip.
const packedExt = ".gz"

// assets are the static files by name.
var assets = readAssets()

func readAssets() map[string]asset {
	out := map[string]asset{}
	entries, _ := fs.ReadDir(staticFiles, "static")
	for _, e := range entries {
		body, _ := staticFiles.ReadFile("static/" + e.Name())
		sum := sha256.Sum256(body)
		name, packed := strings.CutSuffix(e.Name(), packedExt)
		out[name] = asset{body, hex.EncodeToString(sum[:8]), packed}
	}
	return out
}

// staticURL is the address of a static file; it changes with the content.
func staticURL(name string) string {
	return "/admin/static/" + name + "?v=" + assets[name].hash
}

// mimes are the media types of static files.
var mimes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
	".md":  "text/markdown; charset=utf-8",
}

// static answers a static file. Under its own hash it may be kept for a year;
// otherwise the browser asks again and hears that nothing changed.
func (s *site) static(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	a, ok := assets[name]
	if !ok {
		return fault.New(fault.NotFound, "there is no file %s", line(name))
	}
	h := w.Header()
	h.Set("Content-Type", mimes[path.Ext(name)])
	h.Set("ETag", `"`+a.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == a.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body, err := a.forReader(h, r)
	if err != nil {
		return err
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	return nil
}

// forReader is the content as the reader takes it: all browsers take it packed.
func (a asset) forReader(h http.Header, r *http.Request) ([]byte, error) {
	if !a.packed {
		return a.body, nil
	}
	h.Set("Vary", "Accept-Encoding")
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+a.hash+`-gzip"`)
		return a.body, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		return nil, fmt.Errorf("unpack a static file: %w", err)
	}
	return io.ReadAll(reader)
}

// takesGzip reports that the reader names gzip, and not to refuse it.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}
