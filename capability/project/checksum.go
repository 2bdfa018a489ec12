package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"trails/text/jsontext"
)

// checksumName is the member that has a checksum; in a Thing Description and at the top of
// OpenAPI it has their prefixes.
const checksumName = "checksum"

// checksumLength is how many hex digits a checksum has. It tells a hand edit and an accident;
// it is no signature.
const checksumLength = 32

// checksum names the content of JSON: the first 128 bits of the SHA-256 of its canonical
// text, so that neither white space nor the order of members counts.
func checksum(text []byte) (string, error) {
	canonical, err := jsontext.CanonicalText(text)
	if err != nil {
		return "", fmt.Errorf("checksum: %w", err)
	}
	return digest(canonical), nil
}

func digest(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:checksumLength/2])
}

// sealed writes an entry, with its checksum as one more member at the end of the object that
// the last depth bytes close. The checksum is that of the text without it: the canonical form
// is written of the members, which takes a fraction of the time of reading the text again.
func sealed(entry members, name string, depth int) []byte {
	sum := written(entry, true, digest)
	return written(entry, false, func(text []byte) []byte {
		end := len(text) - depth
		b := make([]byte, 0, len(text)+len(name)+checksumLength+len(`,"":""`))
		b = append(append(b, text[:end]...), ',')
		b = append(jsontext.AppendText(b, name), ':')
		return append(jsontext.AppendText(b, sum), text[end:]...)
	})
}

// sumOf returns the checksum that [sealed] has put into an entry, in quotation marks.
func sumOf(entry []byte) []byte {
	mark := []byte(checksumName + `":`)
	at := bytes.LastIndex(entry, mark) + len(mark)
	return entry[at : at+checksumLength+2]
}

// document writes what stands around the entries of a view, and at the end the checksum of
// that: of the document with the checksum of each entry in its place. So each entry can be
// told to be as it was served, and all between them, without the others.
func (l Listing) document(v View, name string, write func(b *bytes.Buffer, entries [][]byte)) ([]byte, error) {
	list, size, err := l.encode(v)
	if err != nil {
		return nil, err
	}
	sums := make([][]byte, len(list))
	for i, entry := range list {
		sums[i] = sumOf(entry)
	}
	var frame, whole bytes.Buffer
	write(&frame, sums)
	whole.Grow(size + size/8)
	write(&whole, list)
	sum, err := checksum(frame.Bytes())
	if err != nil {
		return nil, err
	}
	whole.Truncate(whole.Len() - 1)
	fmt.Fprintf(&whole, ",%q:%q}\n", name, sum)
	return whole.Bytes(), nil
}
