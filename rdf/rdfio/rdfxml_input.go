package rdfio

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// meter is a reader that stops after as many bytes as a token may have; used is reset for each
// token.
type meter struct {
	r          io.Reader
	most, used int
}

func (m *meter) Read(p []byte) (int, error) {
	if m.used > m.most {
		return 0, errLongTerm
	}
	n, err := m.r.Read(p)
	m.used += n
	return n, err
}

var errCharset = errors.New("another encoding")

// charset decodes common encodings other than UTF-8.
func charset(label string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "utf8":
		return input, nil
	case "iso-8859-1", "latin1":
		return transform.NewReader(input, latin1{}), nil
	}
	return nil, fmt.Errorf("%w: %s", errCharset, label)
}

// latin1 decodes ISO 8859-1, whose bytes are the first 256 code points of Unicode. The package
// charmap would add the tables of all other encodings.
type latin1 struct{ transform.NopResetter }

func (latin1) Transform(dst, src []byte, _ bool) (written, read int, err error) {
	for _, b := range src {
		if len(dst)-written < utf8.RuneLen(rune(b)) {
			return written, read, transform.ErrShortDst
		}
		written += utf8.EncodeRune(dst[written:], rune(b))
		read++
	}
	return written, read, nil
}

const (
	maxEntities    = 256
	maxEntityBytes = 4096
)

var (
	entityDeclaration = regexp.MustCompile(`<!ENTITY\s+([\pL_][\pL\pN_.-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>`)
	entityReference   = regexp.MustCompile(`&([^;&]*);?`)
)

// declare records the entities of a document type. Only plain texts are recorded: external
// entities, parameter entities and ones with markup stay unknown, and using them is an error.
func (x *RDFXMLReader) declare(directive string) error {
	if !strings.HasPrefix(directive, "DOCTYPE") || x.root {
		return x.expected("no such declaration", directive)
	}
	longest := 0
	for _, m := range entityDeclaration.FindAllStringSubmatch(directive, maxEntities+1) {
		text, known := x.entityText(m[2] + m[3])
		if !known || x.entities[m[1]] != "" {
			continue
		}
		if len(text) > maxEntityBytes || len(x.entities) == maxEntities {
			return x.tooLarge(fmt.Sprintf("at most %d entities of %d bytes", maxEntities, maxEntityBytes))
		}
		x.entities[m[1]] = text
		longest = max(longest, len(text))
	}
	// A reference has at least 3 bytes, so the expansion of any token stays within the limit.
	x.input.most = x.limits.TermBytes * 3 / max(3, longest)
	return nil
}

// entityText expands references to earlier entities.
func (x *RDFXMLReader) entityText(text string) (string, bool) {
	known := !strings.ContainsAny(text, "<%")
	out := entityReference.ReplaceAllStringFunc(text, func(reference string) string {
		name := strings.Trim(reference, "&;")
		value, ok := x.entities[name]
		if !ok {
			value, ok = predefined[name]
		}
		known = known && ok
		return value
	})
	return out, known
}

var predefined = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'", "#38": "&", "#60": "<", "#x26": "&", "#x3C": "<"}
