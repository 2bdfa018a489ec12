package artifact

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // the forms of images that are known
	_ "image/jpeg" // …
	_ "image/png"  // …
)

// Image shows the format and the size of an image without decoding it.
type Image struct {
	Type string `json:"type"`
}

func (s *Image) view(a Artifact) (Excerpt, error) {
	config, form, err := image.DecodeConfig(bytes.NewReader(a.Data))
	if err != nil {
		return Excerpt{}, fmt.Errorf("it is %s of %d bytes, and no image in the forms PNG, JPEG or GIF", a.MediaType, len(a.Data))
	}
	return Excerpt{Text: fmt.Sprintf("%s, %d × %d pixels, %d bytes\n", form, config.Width, config.Height, len(a.Data))}, nil
}

// mostPixels bounds the width and height of a showable image.
const mostPixels = 2_000

// Showable reports whether a part is an image that can be passed on: in a known format that agrees with its media
// type, and complete. A broken image can make a host refuse the whole conversation.
func Showable(part Part) bool {
	if part.Kind != "image" {
		return false
	}
	config, form, err := image.DecodeConfig(bytes.NewReader(part.Data))
	if err != nil || "image/"+form != part.MediaType || config.Width > mostPixels || config.Height > mostPixels {
		return false
	}
	_, _, err = image.Decode(bytes.NewReader(part.Data))
	return err == nil
}
