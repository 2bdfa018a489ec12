package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"trails/fault"
)

// Surroundings describe the place of the file in the operating system.
type Surroundings struct {
	// Free and Size are bytes of the disk: what this process may still use, and the total. Size is 0 if the system
	// does not say.
	Free, Size int64
	// Names is the number of names (hard links) of the file.
	Names int
	// Closed lists those of "the file", "its log", "its log's index" and "its directory" that this process may not
	// write; Open lists those that everybody on the machine may write.
	Closed, Open []string
}

// SurroundingsOf returns the current surroundings of the file at path.
func SurroundingsOf(path string) (Surroundings, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Surroundings{}, fault.New(fault.Unusable, "%s cannot be found any more", fault.Path(path)).Because(err)
	}
	dir := filepath.Dir(path)
	s := Surroundings{Names: hardLinks(info)}
	s.Free, s.Size = diskSpace(dir)
	for _, at := range []struct{ what, path string }{
		{"the file", path}, {"its log", path + "-wal"}, {"its log's index", path + "-shm"}, {"its directory", dir},
	} {
		info, err := os.Stat(at.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the log may be absent
		}
		if err != nil || !mayWrite(at.path) {
			s.Closed = append(s.Closed, at.what)
		}
		// In a sticky directory nobody can replace the files of others.
		if err == nil && info.Mode()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			s.Open = append(s.Open, at.what)
		}
	}
	return s, nil
}

// probeSize is the free space that is required before a write.
const probeSize = 64 << 10

// Probe writes to an unnamed file in the directory of the file at path. Only a write shows a full disk, an exceeded quota
// or a disk that has become read-only. Nothing is left behind.
func Probe(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".trails-ready-*")
	if errors.Is(err, fs.ErrPermission) {
		return nil // the file and its log may still be writable
	}
	if err == nil {
		err = os.Remove(file.Name())
		_, failed := file.Write(make([]byte, probeSize))
		err = errors.Join(err, failed, file.Close())
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.New(fault.Unusable, "%s: the disk is full; free some space", fault.Path(path)).Because(err)
	case errors.Is(err, syscall.EROFS):
		return fault.New(fault.Unusable, "%s: the disk is read-only; make it writable", fault.Path(path)).Because(err)
	case err != nil:
		return fault.New(fault.Unusable, "%s: the disk takes no writes; free some space, or make it writable", fault.Path(path)).Because(err)
	}
	return nil
}
