package db

import (
	"errors"
	"io/fs"
	"os"

	"trails/fault"
)

// SQLite finds the write-ahead log by the name of the file, but keeps using the file that it opened. If the name
// comes to mean another file, or the file gets a second name, later writes are invisible to those who open the file,
// or end up in the other file (https://sqlite.org/howtocorrupt.html sections 2.4 and 2.5). So every transaction
// checks that the path still leads to the open file.

// inPlace returns the fault Unusable if the path does not lead to the open file any more.
func (f *File) inPlace() error {
	err := f.leadsHere(f.path)
	if err == nil && f.given != f.path { // symbolic links may have been changed
		err = f.leadsHere(f.given)
	}
	return err
}

func (f *File) leadsHere(path string) error {
	info, err := os.Stat(path)
	if err == nil && os.SameFile(info, f.inode.info) {
		return nil
	}
	open, statErr := f.inode.file.Stat()
	switch {
	case err == nil:
		return fault.New(fault.Unusable, "%s was replaced by another file while it was open, and nothing is read or written here any more; restart to use the new file (trails restore puts a backup in place without a restart)", fault.Path(path))
	case !errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Unusable, "%s cannot be found any more", fault.Path(path)).Because(err)
	case statErr == nil && hardLinks(open) == 0:
		return fault.New(fault.Unusable, "%s was deleted while it was open, and nothing is read or written here any more; restore it from a backup and restart", fault.Path(path))
	}
	return fault.New(fault.Unusable, "%s was moved while it was open, and nothing is read or written here any more; move it back, or restart with its new path", fault.Path(path))
}

// writable is inPlace, and also returns the fault Unusable if the file has several names.
func (f *File) writable() error {
	if err := f.inPlace(); err != nil {
		return err
	}
	info, err := f.inode.file.Stat()
	if err != nil {
		return fault.New(fault.Unusable, "%s cannot be looked at", fault.Path(f.path)).Because(err)
	}
	return oneName(info, f.path)
}

// oneName refuses a file with several hard links.
func oneName(info os.FileInfo, path string) error {
	if n := hardLinks(info); n > 1 {
		return fault.New(fault.Unusable, "%s has %d names (hard links), and its log is found by name, so that what is written by one name is lost by the others; remove the other names, or copy the file with trails backup", fault.Path(path), n)
	}
	return nil
}
