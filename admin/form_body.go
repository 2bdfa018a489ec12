package admin

import (
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"trails/admin/form"
	"trails/fault"
)

// How much a form may post: its values together, once decoded.
const (
	formLimit = 1 << 20
	bulkLimit = 16 << 20 // of a capability that takes a whole text, such as load
)

// filePrefix stands before the name of a field in the name of its file input.
const filePrefix = "file."

// uploads are the fields that take a file, too, by capability.
var uploads = map[string]string{
	"load":                     "data",
	"schema_apply":             "schema",
	"trails.meta.schema.plan":  "schema",
	"trails.meta.schema.apply": "schema",
}

// readForm reads a posted form, urlencoded or in parts, of at most limit bytes.
func readForm(w http.ResponseWriter, r *http.Request, limit int64) (url.Values, error) {
	const coded = 3 // the most that urlencoding adds
	r.Body = http.MaxBytesReader(w, r.Body, limit*coded+64<<10)
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, fault.New(fault.Malformed, "the request has no Content-Type; a form is sent as application/x-www-form-urlencoded or multipart/form-data")
	}
	var values url.Values
	switch media {
	case "application/x-www-form-urlencoded":
		values, err = readURLEncoded(r)
	case "multipart/form-data":
		values, err = readParts(multipart.NewReader(r.Body, params["boundary"]), limit)
	default:
		return nil, fault.New(fault.Malformed, "a form is sent as application/x-www-form-urlencoded or multipart/form-data, not as %s", line(media))
	}
	if err != nil {
		return nil, formError(err, limit)
	}
	return values, nil
}

func readURLEncoded(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return url.ParseQuery(string(body))
}

// readParts reads the parts of a form. A file takes the place of its field's text; one without a field is passed over.
func readParts(parts *multipart.Reader, limit int64) (url.Values, error) {
	values, files, left := url.Values{}, url.Values{}, limit
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			maps.Copy(values, files)
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		if n > form.MaxValues {
			return nil, fault.New(fault.TooLarge, "the form has more than %d values; use the command line or /invoke for more", form.MaxValues)
		}
		if part.FileName() != "" && !strings.HasPrefix(part.FormName(), filePrefix) {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, left+1))
		if err != nil {
			return nil, err
		}
		if left -= int64(len(text)); left < 0 {
			return nil, &http.MaxBytesError{Limit: limit}
		}
		if field, isFile := strings.CutPrefix(part.FormName(), filePrefix); !isFile {
			values.Add(part.FormName(), string(text))
		} else if len(text) > 0 {
			files.Set(form.ArgPrefix+field, string(text))
		}
	}
}

// formError says what is wrong with a body that cannot be read.
func formError(err error, limit int64) error {
	var tooLarge *http.MaxBytesError
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &tooLarge):
		return fault.New(fault.TooLarge, "the form is larger than %d MiB; use the command line or /invoke for more", limit>>20)
	}
	return fault.New(fault.Malformed, "the form cannot be read").Because(err)
}
