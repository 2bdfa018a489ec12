// Package static serves the files that pages load: styles, scripts and pictures, under
// addresses that change with their content. They stand in the binary; what is large is
// packed.
package static

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"trails/fault"
)

//go:embed *.css *.js *.svg *.txt *.md *.gz
var files embed.FS

// asset is a file with the hash of its content.
type asset struct {
	body   []byte
	hash   string
	packed bool
	pack   func() []byte // packs what is not, once
}

// assets are the files by name, which is without ".gz" where they are packed.
var assets = readAssets()

func readAssets() map[string]asset {
	out := map[string]asset{}
	entries, _ := fs.ReadDir(files, ".")
	for _, e := range entries {
		body, _ := files.ReadFile(e.Name())
		sum := sha256.Sum256(body)
		name, packed := strings.CutSuffix(e.Name(), ".gz")
		out[name] = asset{body, hex.EncodeToString(sum[:8]), packed, sync.OnceValue(func() []byte {
			if packed {
				return body
			}
			var text bytes.Buffer
			z := gzip.NewWriter(&text)
			_, _ = z.Write(body) // memory takes all of it
			_ = z.Close()
			return text.Bytes()
		})}
	}
	return out
}

// URL is the address of a file; it changes with the content.
func URL(name string) string {
	return "/admin/static/" + name + "?v=" + assets[name].hash
}

// mimes are the media types of the files.
var mimes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
	".md":  "text/markdown; charset=utf-8",
}

// Serve answers with the file of this name. Under its own hash it may be kept for a year;
// otherwise the browser asks again and hears that nothing changed.
func Serve(w http.ResponseWriter, r *http.Request, name string) error {
	a, ok := assets[name]
	if !ok {
		return fault.New(fault.NotFound, "there is no file %q", name)
	}
	h := w.Header()
	h.Set("Content-Type", mimes[path.Ext(name)])
	h.Set("ETag", `"`+a.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == a.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body := a.body
	h.Set("Vary", "Accept-Encoding")
	if TakesGzip(r) { // all browsers do
		body = a.pack()
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+a.hash+`-gzip"`)
	} else if a.packed {
		unpacked, err := gzip.NewReader(bytes.NewReader(a.body))
		if err == nil {
			body, err = io.ReadAll(unpacked)
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	return nil
}

// colour is a colour of the style sheet that has a light form, with the class that it belongs to, if there is one.
var colour = regexp.MustCompile(`(?:\.([a-z]+-\d+) \{ )?--([a-z-]+): light-dark\((#[0-9a-f]+),`)

// LightColours are the colours of the light theme by name, and those of classes such as hue-1 by class.
func LightColours() map[string]string {
	out := map[string]string{}
	for _, m := range colour.FindAllStringSubmatch(string(assets["admin.css"].body), -1) {
		out[cmp.Or(m[1], m[2])] = m[3]
	}
	return out
}

// TakesGzip reports that the reader names gzip, and not to refuse it.
func TakesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}
	return false
}
