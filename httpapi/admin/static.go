package admin

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"

	"trails/kg/fault"
)

//go:embed static
var staticFiles embed.FS

// asset is a static file with the hash of its content.
type asset struct {
	body []byte
	hash string
}

// assets are the static files by name.
var assets = readAssets()

func readAssets() map[string]asset {
	out := map[string]asset{}
	entries, _ := fs.ReadDir(staticFiles, "static")
	for _, e := range entries {
		body, _ := staticFiles.ReadFile("static/" + e.Name())
		sum := sha256.Sum256(body)
		out[e.Name()] = asset{body, hex.EncodeToString(sum[:8])}
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
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(a.body))
	return nil
}
