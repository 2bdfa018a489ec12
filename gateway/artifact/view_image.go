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
