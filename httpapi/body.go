package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/text/jsontext"
)

// MaxBody is the most bytes that a request's body may have.
const MaxBody = 32 << 20

// MaxDepth is how deep arrays and objects may nest in a request's body.
const MaxDepth = 100

// mediaType refuses a POST whose body is not uncompressed JSON. A call without arguments needs no body, and no media
// type.
func (s *server) mediaType(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hasNoBody := r.ContentLength == 0 && r.Header.Get("Content-Type") == ""
		if r.Method != http.MethodPost || hasNoBody || plainMedia(r) == "application/json" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Accept-Post", "application/json")
		refuseOutside(w, r, http.StatusUnsupportedMediaType, "the body must be application/json without a Content-Encoding")
	})
}

// plainMedia is the media type of an uncompressed UTF-8 body; "" for others.
func plainMedia(r *http.Request) string {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	charset, given := params["charset"]
	coding := r.Header.Get("Content-Encoding")
	if given && !strings.EqualFold(charset, "utf-8") || coding != "" && !strings.EqualFold(coding, "identity") {
		return ""
	}
	return media
}

// bounded reads the body of a POST, and refuses one that is too large, not UTF-8, or too deeply nested.
func (s *server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := readBody(w, r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		next.ServeHTTP(w, r)
	})
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := readText(w, r)
	if err != nil {
		return nil, err
	}
	if jsontext.TooDeep(body, MaxDepth) {
		return nil, fault.New(fault.TooLarge, "the body nests deeper than %d levels", MaxDepth)
	}
	if jsontext.TooWide(body, jsontext.MaxMembers) {
		return nil, fault.New(fault.TooLarge, "an object or an array of the body has more than %d members; send them in several calls, or as NDJSON or RDF with load", jsontext.MaxMembers).
			With("limit", jsontext.MaxMembers)
	}
	if lone, found := jsontext.LoneSurrogate(body); found {
		return nil, fault.New(fault.Malformed, "%v", lone)
	}
	return body, nil
}

// readText reads a body that is small enough and UTF-8.
func readText(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.New(fault.TooLarge, "the body is larger than %d bytes; send it in parts", tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fault.New(fault.TimedOut, "the body did not arrive in time; send it again, or less at once")
	case err != nil:
		return nil, fault.New(fault.Malformed, "the body is cut short; send it whole").Because(err)
	case !utf8.Valid(body):
		return nil, fault.New(fault.Malformed, "the body is not UTF-8")
	}
	return body, nil
}
