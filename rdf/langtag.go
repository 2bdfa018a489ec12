package rdf

import (
	"strings"

	"trails/fault"
)

// LangTag returns a language tag in the form that RFC 5646 section 2.1.1 recommends: "en-GB", "zh-Hant-TW". Tags that
// differ only in case are the same (RDF 1.1 Concepts, section 3.3), so terms hold this form, and equal literals are
// equal values.
func LangTag(tag string) string {
	if !strings.ContainsFunc(tag, func(c rune) bool { return c < 'a' || c > 'z' }) {
		return tag // the most frequent tags are already in this form
	}
	parts := strings.Split(strings.ToLower(tag), "-")
	extended := len(parts[0]) == 1
	for i, part := range parts[1:] {
		parts[i+1] = subtag(part, extended)
		extended = extended || len(part) == 1
	}
	return strings.Join(parts, "-")
}

// subtag is the recommended form of a lower-case subtag behind another one: regions in capitals, scripts with a
// capital, but unchanged in an extension.
func subtag(part string, extended bool) string {
	switch {
	case extended:
		return part
	case len(part) == 2:
		return strings.ToUpper(part)
	case len(part) == 4:
		return strings.ToUpper(part[:1]) + part[1:]
	}
	return part
}

// maxSubtag is how many characters a subtag has at most (RFC 5646, section 2.1).
const maxSubtag = 8

// CheckLangTag returns what is wrong with the form of a language tag: letters, then subtags of 1 to 8 letters and
// digits behind hyphens. It does not check that the language exists.
func CheckLangTag(tag string) error {
	for i, part := range strings.Split(tag, "-") {
		switch {
		case part == "":
			return fault.New(fault.InvalidArguments, "the language tag %.100q has an empty part", tag)
		case len(part) > maxSubtag:
			return fault.New(fault.InvalidArguments, "the language tag %.100q has a part of more than %d characters", tag, maxSubtag)
		}
		for _, c := range []byte(part) {
			if !IsLetter(c) && (i == 0 || !IsDigit(c)) {
				return fault.New(fault.InvalidArguments, "the language tag %.100q has more than letters, digits and hyphens, or digits in its first part", tag)
			}
		}
	}
	return nil
}

// LangMatches reports whether a language range matches a tag by basic filtering (RFC 4647,
// section 3.3.1): "en" any English, "*" any language.
func LangMatches(tag, wanted string) bool {
	if wanted == "*" {
		return tag != ""
	}
	if len(tag) < len(wanted) || !strings.EqualFold(tag[:len(wanted)], wanted) {
		return false
	}
	return len(tag) == len(wanted) || wanted != "" && tag[len(wanted)] == '-'
}

// SplitLang splits a text at the last @ into text and language, as in Cat@en.
func SplitLang(written string) (text, tag string, ok bool) {
	at := strings.LastIndexByte(written, '@')
	if at < 0 || CheckLangTag(written[at+1:]) != nil {
		return written, "", false
	}
	return written[:at], written[at+1:], true
}
