package capability

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trails/fault"
)

// Content is the JSON of a descriptor with an empty version. Descriptors with equal content are equal. It panics if a
// value in a shape is not JSON, which is a bug.
func (d Descriptor) Content() []byte {
	d.Version = ""
	text, err := d.MarshalJSON()
	if err != nil {
		panic(fmt.Sprintf("capability: content of %s: %v", d.ID, err))
	}
	return text
}

// Read parses the JSON of a descriptor. Unknown members are ignored, missing ones are empty.
func Read(text []byte) (d Descriptor, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&d); err != nil {
		return d, fmt.Errorf("descriptor: %w", err)
	}
	return d, nil
}

// Stamped returns d with a version that names its content: base, such as "1.0.0",
// "+", and twelve hex digits of the SHA-256 of the content.
func (d Descriptor) Stamped(base string) Descriptor {
	sum := sha256.Sum256(d.Content())
	d.Version = base + "+" + hex.EncodeToString(sum[:6])
	return d
}

var stamped = regexp.MustCompile(`^[^+]*\+([0-9a-f]{12})$`)

// stamp returns the content digest in a version made by [Descriptor.Stamped], "" for one that was written by hand.
func stamp(version string) string {
	if found := stamped.FindStringSubmatch(version); found != nil {
		return found[1]
	}
	return ""
}

// Names reports whether a version fits a descriptor with this content: it was written by hand, or its digest is that
// of the content.
func Names(version string, content []byte) bool {
	own := stamp(version)
	sum := sha256.Sum256(content)
	return own == "" || own == hex.EncodeToString(sum[:6])
}

// firstVersion is the version of a capability without known versions.
const firstVersion = "1.0.0"

// Numbered returns d under the version that follows from the known ones of its id, and
// whether that is one more. read returns the descriptor that is known under a version.
//
// A stamped version becomes that under which the content is known, else the highest one
// raised by what the change needs, see [Compare]; so all who know the same versions give the
// same. One that somebody wrote stays. The fault InvalidData refuses it when it is of
// another content, or too low for the change.
func (d Descriptor) Numbered(known []string, read func(version string) (Descriptor, error)) (_ Descriptor, fresh bool, err error) {
	own := stamp(d.Version)
	at := slices.IndexFunc(known, func(v string) bool { return v == d.Version || own != "" && stamp(v) == own })
	switch {
	case at >= 0 && own != "":
		d.Version = known[at]
		return d, false, nil
	case len(known) == 0 && own != "":
		d.Version = firstVersion + "+" + own
		return d, true, nil
	case len(known) == 0:
		return d, true, nil
	}
	last := slices.MaxFunc(known, func(a, b string) int { return numberOf(a).compare(numberOf(b)) })
	if at >= 0 {
		last = known[at]
	}
	before, err := read(last)
	if err != nil {
		return d, false, err
	}
	same := bytes.Equal(before.Content(), d.Content())
	if same && (own != "" || at >= 0) {
		d.Version = last
		return d, false, nil
	}
	most := Greatest(Compare(before, d))
	if !same && most.Part == NoPart {
		most = Change{Field: "input_shape", Part: Patch, What: "is written otherwise"}
	}
	needed := numberOf(last).raised(most.Part)
	switch {
	case own != "":
		d.Version = needed.String() + "+" + own
	case at >= 0:
		return d, false, fault.New(fault.InvalidData, "capability %s: its %s, and the file knows version %s without that; give it version %s or a higher one", d.ID, most, d.Version, needed)
	case numberOf(d.Version).compare(needed) < 0 && numberOf(d.Version).String() != needed.String():
		return d, false, fault.New(fault.InvalidData, "capability %s: version %s is too low, because the file knows version %s%s; give it version %s or a higher one", d.ID, d.Version, last, since(most), needed)
	}
	return d, true, nil
}

func since(c Change) string {
	if c.Part == NoPart {
		return ""
	}
	return fmt.Sprintf(", since which its %s (%s)", c, c.Part)
}

// Base returns a version without the content digest.
func Base(version string) string {
	base, _, _ := strings.Cut(version, "+")
	return base
}
