package artifact

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // the forms of images that are known
	_ "image/jpeg" // …
	_ "image/png"  // …
)

// Image shows the form and the size of an image, which is not decoded.
type Image struct {
	Type string `json:"type"`
}

func (s *Image) view(a Artifact) (View, error) {
	config, form, err := image.DecodeConfig(bytes.NewReader(a.Data))
	if err != nil {
		return View{}, fmt.Errorf("it is %s of %d bytes, and no image in the forms PNG, JPEG or GIF", a.MediaType, len(a.Data))
	}
	return View{Text: fmt.Sprintf("%s, %d × %d pixels, %d bytes\n", form, config.Width, config.Height, len(a.Data))}, nil
}

// mostPixels bounds the width and the height of an image that is shown.
const mostPixels = 2_000

// Showable reports whether a part is an image that whoever reads the result can be given whole:
// in a form that is known, as its media type says, and sound to its last byte. One that is not
// can make a host refuse the conversation which has it.
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
