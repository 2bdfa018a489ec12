package bundle

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// Writer writes a bundle. Make one with [NewWriter], and end it with Close.
type Writer struct {
	out  *bufio.Writer
	zip  *gzip.Writer // nil for plain text
	hash hash.Hash
}

// NewWriter writes the header of a bundle. Close does not close w.
func NewWriter(w io.Writer, h Header, compressed bool) (*Writer, error) {
	out := &Writer{hash: sha256.New()}
	if compressed {
		out.zip = gzip.NewWriter(w) // without a name and a time, so the same text gives the same bytes
		w = out.zip
	}
	out.out = bufio.NewWriterSize(w, 64<<10)
	h.Version = Version
	return out, out.encoded(h)
}

func (w *Writer) encoded(v any) error {
	line, err := encode(v)
	if err != nil {
		return err
	}
	return w.write(line)
}

func (w *Writer) write(text []byte) error {
	w.hash.Write(text)
	_, err := w.out.Write(text)
	return err
}

// Record begins a commit.
func (w *Writer) Record(r Record) error { return w.encoded(r) }

// Change adds a change of the last commit: "+ " or "- " and a canonical line of N-Quads, without the line end. Changes
// come in the order of these.
func (w *Writer) Change(line []byte) error {
	if err := w.write(line); err != nil {
		return err
	}
	return w.write([]byte{'\n'})
}

// Close writes the end of the bundle.
func (w *Writer) Close() error {
	line, err := encode(sum{hex.EncodeToString(w.hash.Sum(nil))})
	if err != nil {
		return err
	}
	if _, err := w.out.Write(line); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil || w.zip == nil {
		return err
	}
	return w.zip.Close()
}
