package invoke_test

import (
	"testing"

	"trails/invoke"
)

func TestAPieceOfAnAnswerIsOfOneKind(t *testing.T) {
	for name, c := range map[string]struct {
		piece invoke.Content
		kind  invoke.Kind
		line  string
	}{
		"a text":                     {invoke.Content{Text: "a"}, invoke.TextKind, "a"},
		"an image":                   {invoke.Content{MIME: "image/png", Data: []byte("png")}, invoke.ImageKind, "(image of 3 bytes, image/png)"},
		"a sound":                    {invoke.Content{MIME: "audio/wav", Data: []byte("wave")}, invoke.AudioKind, "(audio of 4 bytes, audio/wav)"},
		"an image with an address":   {invoke.Content{URI: "trails://a", MIME: "image/png", Data: []byte("png")}, invoke.DocumentKind, "(resource of 3 bytes, image/png) trails://a"},
		"other data":                 {invoke.Content{MIME: "application/pdf", Data: []byte("pdf")}, invoke.DocumentKind, "(resource of 3 bytes, application/pdf)"},
		"a document":                 {invoke.Content{URI: "trails://a", MIME: "text/turtle", Text: "a"}, invoke.DocumentKind, "a"},
		"a link to what can be read": {invoke.Content{URI: "trails://a", Name: "A", MIME: "image/png"}, invoke.LinkKind, "A: trails://a"},
	} {
		if kind, line := c.piece.Kind(), c.piece.String(); kind != c.kind || line != c.line {
			t.Errorf("%s: got %s, %q; want %s, %q", name, kind, line, c.kind, c.line)
		}
	}
}
