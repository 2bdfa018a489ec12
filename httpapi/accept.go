package httpapi

import (
	"mime"
	"strconv"
	"strings"
)

// mediaRange is one element of an Accept header (RFC 9110, section 12.5.1).
type mediaRange struct {
	media    string // "text/turtle", "text/*", "*/*"
	quality  float64
	specific int // of two ranges that match, the more specific one counts
}

// accepted parses Accept headers. What does not parse asks for nothing.
func accepted(headers []string) []mediaRange {
	var ranges []mediaRange
	for _, element := range splitList(strings.Join(headers, ",")) {
		if r, ok := parseRange(element); ok {
			ranges = append(ranges, r)
		}
	}
	return ranges
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

// matches disregards parameters: whoever asks for a charset or a JSON-LD profile
// gets the one that there is.
func (r mediaRange) matches(media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	return r.specific == 0 || r.media == media || r.specific == 1 && r.media == kind+"/*"
}

// choose returns the index of the offer that the ranges like best, the first of
// equals; -1 when they refuse all. Without a range everything is as good.
func choose(ranges []mediaRange, offers []string) int {
	if len(ranges) == 0 {
		return 0
	}
	best, most := -1, 0.0
	for i, offer := range offers {
		if q := qualityOf(ranges, offer); q > most {
			best, most = i, q
		}
	}
	return best
}

// qualityOf is that of the most specific range that matches, 0 without one.
func qualityOf(ranges []mediaRange, media string) float64 {
	quality, specific := 0.0, -1
	for _, r := range ranges {
		if r.specific > specific && r.matches(media) {
			quality, specific = r.quality, r.specific
		}
	}
	return quality
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
