package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"trails/fault"
)

// maxText bounds a file that is read whole: a schema, arguments.
const maxText = 32 << 20

// readText returns the text of a file, or of stdin for "-".
func (p *program) readText(ctx context.Context, path string) (text []byte, err error) {
	in := p.input(ctx)
	if path != "-" {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // only read
		in = f
	}
	text, err = io.ReadAll(io.LimitReader(in, maxText+1))
	if err != nil {
		return nil, fault.New(fault.Unusable, "read %s", path).Because(err)
	}
	if len(text) > maxText {
		return nil, fault.New(fault.TooLarge, "%s is larger than %s", path, bytesOf(maxText))
	}
	return text, nil
}

// jsonText is JSON from the command line: the text itself, @ and a file, or - for stdin.
func (p *program) jsonText(ctx context.Context, given string) ([]byte, error) {
	if path, isFile := strings.CutPrefix(given, "@"); isFile || given == "-" {
		return p.readText(ctx, path)
	}
	return []byte(given), nil
}

// open opens a file named by the caller, with the right kind of error.
func open(path string) (*os.File, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Missing, "%s does not exist", path)
	case err != nil:
		return nil, fault.New(fault.Unusable, "%v", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(fault.New(fault.Unusable, "%s is a directory", path), f.Close())
	}
	return f, nil
}

// named adds the name of a file to a fault.
func named(err error, file string) error {
	var f *fault.Error
	if file == "" || !errors.As(err, &f) || (f.Kind != fault.InvalidData && f.Kind != fault.Malformed) {
		return err
	}
	if file == "-" {
		file = "stdin"
	}
	c := *f
	c.Message = file + ": " + f.Message
	c.Fields = slices.Clone(f.Fields)
	for i := range c.Fields {
		if number, ok := strings.CutPrefix(c.Fields[i].Source, "line "); ok {
			c.Fields[i].Source = file + ":" + number
		}
	}
	return &c
}

// input is stdin that an interrupt ends. Its goroutine may stay blocked in a read, because nothing can wake it, but
// the process is about to end.
func (p *program) input(ctx context.Context) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.CopyBuffer(in, onlyReader{p.stdin}, make([]byte, 256<<10))
		_ = in.CloseWithError(err)
	}()
	return out
}

// onlyReader hides WriteTo, which would use its own buffer.
type onlyReader struct{ io.Reader }

// sink names the destination in the fault of a failed write: a full disk is not a bug.
type sink struct {
	name string
	io.Writer
	wrote bool // something has been written
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.wrote = s.wrote || n > 0
	if err != nil {
		err = fault.New(fault.Unusable, "write %s", s.name).Because(err)
	}
	return n, err
}
