package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"time"
)

// member is a file in an archive.
type member struct {
	name    string
	content []byte
	runs    bool // the file is executable
}

func (m member) mode() fs.FileMode {
	if m.runs {
		return 0o755
	}
	return 0o644
}

// within moves members into a folder.
func within(folder string, members []member) (list []member) {
	for _, m := range members {
		m.name = folder + "/" + m.name
		list = append(list, m)
	}
	return list
}

// tarred returns a .tar.gz of the members in order. It does not depend on who makes it: all files have one date
// and user 0.
func tarred(members []member, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Size: int64(len(m.content)), Mode: int64(m.mode()), ModTime: date, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(m.content); err != nil {
			return nil, err
		}
	}
	err := errors.Join(t.Close(), z.Close())
	return b.Bytes(), err
}

// zipped returns a .zip of the members in order, with the same property.
func zipped(members []member, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: date}
		h.SetMode(m.mode())
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(m.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
