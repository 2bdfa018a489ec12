package disk

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"

	"trails/fault"
)

// Format is the version of the tables that this build reads and writes. The file stores it as its user_version, and
// migrations/ has one file for each version.
const Format = 16

// ApplicationID marks a SQLite file as ours: "trls".
const ApplicationID = 0x74726C73

// PageSize is the size of a page of each file.
const PageSize = 4096

// sqliteMagic is the beginning of every SQLite 3 file (https://sqlite.org/fileformat2.html section 1.3).
const sqliteMagic = "SQLite format 3\x00"

const headerSize = 100

// CheckHeader reads the first bytes of an open file and decides whether SQLite may open it. A file that is refused
// stays unchanged byte for byte.
func CheckHeader(file *os.File, path string) (format int, err error) {
	var h [headerSize]byte
	n, err := file.ReadAt(h[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fault.New(fault.Unusable, "%s cannot be read", fault.Path(path)).Because(err)
	}
	if n == 0 {
		return 0, fault.New(fault.Unusable, "%s is empty and not a trails file; remove it and run: trails init %[1]s", fault.Path(path))
	}
	if n < headerSize || string(h[:len(sqliteMagic)]) != sqliteMagic {
		return 0, fault.New(fault.Unusable, "%s is not a trails file; give another path, or make one with: trails init", fault.Path(path))
	}
	if id := binary.BigEndian.Uint32(h[68:]); id != ApplicationID {
		return 0, fault.New(fault.Unusable, "%s is a file of another application (application_id 0x%08x); give another path", fault.Path(path), id)
	}
	format = int(binary.BigEndian.Uint32(h[60:]))
	if format > Format {
		return 0, Newer(path, format)
	}
	return format, checkLength(file, path, h[:])
}

// Newer refuses a file whose format is later than [Format].
func Newer(path string, format int) error {
	return fault.New(fault.Unusable, "%s has format %d and this trails reads up to format %d; use a newer trails", fault.Path(path), format, Format)
}

// checkLength refuses a file that is shorter than its header says. With a write-ahead log it may be shorter: its last
// pages are then in the log.
func checkLength(file *os.File, path string, h []byte) error {
	info, err := file.Stat()
	if err != nil {
		return fault.New(fault.Unusable, "%s cannot be read", fault.Path(path)).Because(err)
	}
	page := int64(binary.BigEndian.Uint16(h[16:]))
	if page == 1 {
		page = 65536
	}
	want := int64(binary.BigEndian.Uint32(h[28:])) * page
	if info.Size() >= want || HasLog(path) {
		return nil
	}
	return fault.New(fault.Unusable, "%s is truncated: %d of %d bytes are there; restore it from a backup", fault.Path(path), info.Size(), want)
}

// HasLog reports whether there is a log by the name of a file, with anything in it.
func HasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// openChecked opens path for reading and writing without SQLite.
func openChecked(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Missing, "no file %s; make it with: trails init %[1]s", fault.Path(path))
	case err != nil:
		return nil, fault.New(fault.Unusable, "%s cannot be opened", fault.Path(path)).Because(err)
	case !info.Mode().IsRegular():
		return nil, fault.New(fault.Unusable, "%s is not a regular file; give the path of a trails file", fault.Path(path))
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fault.New(fault.Unusable, "%s cannot be opened for writing; make the file and its directory writable", fault.Path(path)).Because(err)
	}
	return file, nil
}
