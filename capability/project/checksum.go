package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"trails/text/jsontext"
)

// checksumName is the member for a checksum; in a Thing Description and at the top of OpenAPI it has a prefix.
const checksumName = "checksum"

// checksumLength is the number of hex digits of a checksum. It detects accidents and edits by hand; it is not a
// signature.
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

// sealed writes an entry, with its checksum as the last member of the object that ends depth bytes before the end.
// The checksum covers the text without it, in canonical form, which is written directly because that is faster than
// parsing the text again.
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

// sumOf returns the checksum that [sealed] has put into an entry, with quotation marks.
func sumOf(entry []byte) []byte {
	mark := []byte(checksumName + `":`)
	at := bytes.LastIndex(entry, mark) + len(mark)
	return entry[at : at+checksumLength+2]
}

// document writes the frame of a document around its entries, with a checksum of the frame: of the document with each
// entry replaced by its checksum. So each entry, and the frame, can be verified separately.
func (l Listing) document(v Encoding, name string, write func(b *bytes.Buffer, entries [][]byte)) ([]byte, error) {
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
