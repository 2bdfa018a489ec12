// Package disk is the file in its place, before and beside SQLite: its header, its one name, its one open descriptor in
// this process, the log that belongs to it, and the disk that it is on. It changes no file.
//
// Read [Place] first.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"trails/fault"
)

// SQLite finds the write-ahead log by the name of the file, but keeps using the file that it opened. If the name
// comes to mean another file, or the file gets a second name, later writes are invisible to those who open the file,
// or end up in the other file (https://sqlite.org/howtocorrupt.html sections 2.4 and 2.5). So every transaction
// checks that the path still leads to the open file.

// Place is a file that is open, and where it was found.
type Place struct {
	Path  string // without symbolic links
	given string
	inode *inode
}

// Hold opens the file at a path, and checks what can be checked before SQLite sees it.
func Hold(ctx context.Context, path string) (*Place, error) {
	given, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	path, n, err := holdInode(ctx, given)
	if err != nil {
		return nil, err
	}
	return &Place{Path: path, given: given, inode: n}, nil
}

// Release gives the file up, after all connections to it have been closed.
func (p *Place) Release() { p.inode.release() }

// Format returns the format that the header of the file says.
func (p *Place) Format() (int, error) { return CheckHeader(p.inode.file, p.Path) }

// Here returns the fault Unusable if the path does not lead to the open file any more.
func (p *Place) Here() error {
	err := p.leadsHere(p.Path)
	if err == nil && p.given != p.Path { // symbolic links may have been changed
		err = p.leadsHere(p.given)
	}
	return err
}

func (p *Place) leadsHere(path string) error {
	info, err := os.Stat(path)
	if err == nil && os.SameFile(info, p.inode.info) {
		return nil
	}
	open, statErr := p.inode.file.Stat()
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

// Writable is Here, and also returns the fault Unusable if the file has several names.
func (p *Place) Writable() error {
	if err := p.Here(); err != nil {
		return err
	}
	info, err := p.inode.file.Stat()
	if err != nil {
		return fault.New(fault.Unusable, "%s cannot be looked at", fault.Path(p.Path)).Because(err)
	}
	return oneName(info, p.Path)
}

// oneName refuses a file with several hard links.
func oneName(info os.FileInfo, path string) error {
	if n := hardLinks(info); n > 1 {
		return fault.New(fault.Unusable, "%s has %d names (hard links), and its log is found by name, so that what is written by one name is lost by the others; remove the other names, or copy the file with trails backup", fault.Path(path), n)
	}
	return nil
}
