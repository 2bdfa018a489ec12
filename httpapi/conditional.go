package httpapi

import (
	"net/http"
	"strings"

	"trails/fault"
)

// entityTag is the entity tag of an answer that depends only on the head commit. It is weak, because another release
// may encode the same content differently (RFC 9110, section 8.8.1). Each form of an address is a separate
// representation (section 8.8.3), so the tag contains the form unless it is the default.
func entityTag(head, form string) string {
	if form != "" {
		head += "." + form
	}
	return `W/"` + head + `"`
}

// tag is an entity tag without its quotes. Weak and strong tags are treated alike: If-None-Match compares weakly, and
// for If-Match only the commit in the tag matters.
type tag string

// commit is the commit in one of our tags.
func (t tag) commit() string {
	id, _, _ := strings.Cut(string(t), ".")
	return id
}

// tagsOf parses a header of entity tags (RFC 9110, section 8.8.3); any is "*".
func tagsOf(h http.Header, name string) (tags []tag, any bool, err error) {
	text := strings.TrimSpace(strings.Join(h.Values(name), ","))
	if text == "*" {
		return nil, true, nil
	}
	for rest := text; rest != ""; {
		rest = strings.TrimLeft(rest, " \t,")
		opened, isTag := strings.CutPrefix(strings.TrimPrefix(rest, "W/"), `"`)
		value, after, isClosed := strings.Cut(opened, `"`)
		after = strings.TrimLeft(after, " \t")
		if !isTag || !isClosed || strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c == 0x7f }) || after != "" && after[0] != ',' {
			return nil, false, fault.New(fault.Malformed, `%s takes * or entity tags in quotes, such as "c0ffee"`, name)
		}
		tags, rest = append(tags, tag(value)), strings.TrimLeft(after, " \t,")
	}
	return tags, false, nil
}

// unchanged reports whether the caller already has this representation (RFC 9110, section 13.1.2).
func unchanged(r *http.Request, current string) (bool, error) {
	tags, any, err := tagsOf(r.Header, "If-None-Match")
	if err != nil || any {
		return any, err
	}
	for _, t := range tags {
		if entityTag(string(t), "") == current {
			return true, nil
		}
	}
	return false, nil
}

// ifMatch is the commit on which a write must be based, "" for any, from the ETag of a read or a write. Of several
// tags it is that of the head; if none is, the first one, with which the write then fails.
func (s *server) ifMatch(r *http.Request) (string, error) {
	tags, any, err := tagsOf(r.Header, "If-Match")
	if err != nil {
		return "", err
	}
	if len(tags) == 0 {
		if len(r.Header.Values("If-Match")) > 0 && !any {
			return "", fault.New(fault.Malformed, "If-Match is empty: it takes * or entity tags in quotes")
		}
		return "", nil
	}
	for _, t := range tags {
		if t.commit() == "" {
			return "", fault.New(fault.Malformed, "If-Match names no commit")
		}
	}
	if len(tags) > 1 {
		head, err := s.headFor(r, tags)
		if err != nil || names(tags, head) {
			return head, err
		}
	}
	return tags[0].commit(), nil
}
