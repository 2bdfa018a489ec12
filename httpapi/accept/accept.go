// Package accept chooses the representation of an answer by the Accept headers of its request (RFC 9110, section
// 12.5.1): the most specific range that matches a media type decides its quality, whatever their order.
package accept

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// mediaRange is one element of an Accept header.
type mediaRange struct {
	media    string // "text/turtle", "text/*", "*/*"
	quality  float64
	specific int // of two ranges that match, the more specific one counts
}

// Choose returns the index of the offer with the highest quality in the request's Accept headers, the first of equal
// ones; -1 if they refuse all. Without a valid header it is the first offer.
func Choose(r *http.Request, offers ...string) int {
	var ranges []mediaRange
	for _, element := range splitList(strings.Join(r.Header.Values("Accept"), ",")) {
		if r, ok := parseRange(element); ok {
			ranges = append(ranges, r)
		}
	}
	if len(ranges) == 0 {
		return 0
	}
	best, most := -1, 0.0
	for i, offer := range offers {
		kind, _, _ := strings.Cut(offer, "/")
		quality, specific := 0.0, -1
		for _, r := range ranges {
			// Parameters are disregarded: a request for a charset or a JSON-LD profile gets
			// the one that there is.
			if r.specific > specific && (r.media == "*/*" || r.media == offer || r.media == kind+"/*") {
				quality, specific = r.quality, r.specific
			}
		}
		if quality > most {
			best, most = i, quality
		}
	}
	return best
}

func parseRange(element string) (mediaRange, bool) {
	media, params, err := mime.ParseMediaType(element)
	if err != nil || !strings.Contains(media, "/") || strings.HasPrefix(media, "*/") && media != "*/*" {
		return mediaRange{}, false
	}
	r := mediaRange{media: media, quality: 1, specific: 2}
	if q, given := params["q"]; given {
		delete(params, "q")
		if r.quality, err = strconv.ParseFloat(q, 64); err != nil || !(r.quality >= 0 && r.quality <= 1) {
			return mediaRange{}, false
		}
	}
	switch {
	case media == "*/*":
		r.specific = 0
	case strings.HasSuffix(media, "/*"):
		r.specific = 1
	case len(params) > 0:
		r.specific = 3
	}
	return r, true
}

// splitList splits a header's list at the commas that stand outside quoted strings
// (RFC 9110, section 5.6.1); empty elements are left out.
func splitList(text string) []string {
	var elements []string
	start, quoted := 0, false
	add := func(end int) {
		if e := strings.Trim(text[start:end], " \t"); e != "" {
			elements = append(elements, e)
		}
		start = end + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			add(i)
		}
	}
	add(len(text))
	return elements
}
