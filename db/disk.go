package db

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"trails/fault"
)

// Surroundings are what the operating system says of the place where a file is.
type Surroundings struct {
	// Free and Size are bytes of the disk: what this process may still use, and all of
	// it. Size is 0 where the system does not tell.
	Free, Size int64
	// Names is how many names (hard links) the file has.
	Names int
	// Closed are those of "the file", "its log", "its log's index" and "its directory" that this
	// process may not write, and Open those that everybody on the machine may.
	Closed, Open []string
}

// Surroundings looks at the place where the file is now.
func (f *File) Surroundings() (Surroundings, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return Surroundings{}, fault.New(fault.Unusable, "%s cannot be found any more", fault.Path(f.path)).Because(err)
	}
	dir := filepath.Dir(f.path)
	s := Surroundings{Names: hardLinks(info)}
	s.Free, s.Size = diskSpace(dir)
	for _, at := range []struct{ what, path string }{
		{"the file", f.path}, {"its log", f.path + "-wal"}, {"its log's index", f.path + "-shm"}, {"its directory", dir},
	} {
		info, err := os.Stat(at.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the log comes and goes
		}
		if err != nil || !mayWrite(at.path) {
			s.Closed = append(s.Closed, at.what)
		}
		// In a sticky directory nobody replaces the files of others.
		if err == nil && info.Mode()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			s.Open = append(s.Open, at.what)
		}
	}
	return s, nil
}

// probeSize is what there must be room for before a write is welcome.
const probeSize = 64 << 10

// probeDisk writes to a file beside the file, which has no name by then, so that nothing
// is left of it: a full disk, a quota and a disk that has become read-only show only
// when something is written.
func (f *File) probeDisk() error {
	file, err := os.CreateTemp(filepath.Dir(f.path), ".trails-ready-*")
	if errors.Is(err, fs.ErrPermission) {
		return nil // the file and its log may be writable all the same
	}
	if err == nil {
		err = os.Remove(file.Name())
		_, failed := file.Write(make([]byte, probeSize))
		err = errors.Join(err, failed, file.Close())
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.New(fault.Unusable, "%s: the disk is full; free some space", fault.Path(f.path)).Because(err)
	case errors.Is(err, syscall.EROFS):
		return fault.New(fault.Unusable, "%s: the disk is read-only; make it writable", fault.Path(f.path)).Because(err)
	case err != nil:
		return fault.New(fault.Unusable, "%s: the disk takes no writes; free some space, or make it writable", fault.Path(f.path)).Because(err)
	}
	return nil
}
