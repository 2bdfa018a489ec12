package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
	"trails/invoke"
)

// drawn is an image of this many pixels a side, of noise, which is not compressed.
func drawn(t testing.TB, side int) []byte {
	t.Helper()
	i := image.NewRGBA(image.Rect(0, 0, side, side))
	noise := rand.New(rand.NewPCG(1, 2))
	for n := range side * side {
		i.Set(n%side, n/side, color.RGBA{R: uint8(noise.Uint32()), G: uint8(noise.Uint32()), B: uint8(noise.Uint32()), A: 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, i); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A small image that is sound is shown, and every one is kept.
func TestSmallImagesAreShown(t *testing.T) {
	small, large := drawn(t, 8), drawn(t, 100)
	if len(small) > 1_000 || len(large) < 4_000 {
		t.Fatal(len(small), len(large))
	}
	of := func(mime string, all ...[]byte) (parts []mcp.Content) {
		for _, data := range all {
			parts = append(parts, &mcp.ImageContent{MIMEType: mime, Data: data})
		}
		return parts
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "painter", Version: "1"}, nil)
	cases := map[string]struct {
		answer      []mcp.Content
		shown, kept int
	}{
		"tiny":        {append(of("image/png", small), &mcp.TextContent{Text: "a picture"}), 1, 1},
		"huge":        {of("image/png", large, small), 1, 2},
		"torn":        {of("image/png", small[:len(small)-20]), 0, 1},
		"mislabelled": {of("image/jpeg", small), 0, 1},
		"vector":      {of("image/svg+xml", []byte("<svg/>")), 0, 1},
		"album":       {of("image/png", drawn(t, 12), drawn(t, 13), drawn(t, 14), drawn(t, 15), drawn(t, 16), drawn(t, 17), drawn(t, 18), drawn(t, 19)), 3, 8},
	}
	for name, c := range cases {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: c.answer}, nil
		})
	}
	e := engineOf(t, invoke.Config{}, gateway.Server{Name: "painter", HTTP: serve(t, s)})
	e.Must(t, "trails.meta.gateway.configure", `{"settings":{"cache":{"read_only":true}}}`)
	for name, c := range cases {
		id := idOf(t, e, "tool_browse", name)
		for range 2 { // from the cache, too
			r, out := answered(t, e, "tool_execute", fmt.Sprintf(`{"tool_id":%q,"args":{}}`, id))
			kept, _ := out["artifacts"].([]any)
			characters := len([]rune(r.Text))
			for _, one := range r.Content {
				if characters += (len(one.Data) + 2) / 3 * 4; one.MIME != "image/png" {
					t.Errorf("%s shows %s", name, one.MIME)
				}
			}
			if len(r.Content) != c.shown || len(kept) != c.kept || characters > 4_000 {
				t.Errorf("%s shows %d images in %d characters and keeps %d, want %d and %d", name, len(r.Content), characters, len(kept), c.shown, c.kept)
			}
		}
	}
}
