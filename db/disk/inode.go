package disk

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"trails/fault"
)

// POSIX takes away all of a process's locks on a file when the process closes any descriptor of it
// (https://sqlite.org/howtocorrupt.html section 2.2). So the descriptor with which the header was read stays open
// while any File of this process uses the inode, and is closed after the last SQLite connection.
var inodes struct {
	sync.Mutex
	open []*inode
}

type inode struct {
	path string // without symbolic links; SQLite's log is named after it
	info os.FileInfo
	file *os.File
	uses int
}

// holdInode opens a file, or reuses the descriptor that this process already has. It also returns the path without
// symbolic links.
func holdInode(ctx context.Context, given string) (path string, n *inode, err error) {
	inodes.Lock()
	defer inodes.Unlock()
	if path, err = filepath.EvalSymlinks(given); err != nil {
		path = given // the error is reported below
	}
	if info, err := os.Stat(path); err == nil {
		for _, n := range inodes.open {
			same := os.SameFile(info, n.info)
			switch {
			case same && n.path == path:
				n.uses++
				return path, n, nil
			case same:
				return "", nil, fault.New(fault.Unusable, "%s is open here already as %s, and its log is found by name; use that name, or close it first", fault.Path(path), fault.Path(n.path))
			case n.path == path:
				return "", nil, fault.New(fault.Unusable, "%s is another file than the one that is open here by this name; close that first", fault.Path(path))
			}
		}
	}
	n, err = openInode(ctx, path)
	if err != nil {
		return "", nil, err
	}
	inodes.open = append(inodes.open, n)
	return path, n, nil
}

// openInode opens a file that this process does not have open, and checks it before SQLite sees it.
func openInode(ctx context.Context, path string) (_ *inode, err error) {
	file, err := openChecked(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, fault.New(fault.Unusable, "%s cannot be looked at", fault.Path(path)).Because(err)
	}
	if err := oneName(info, path); err != nil {
		return nil, err
	}
	format, err := CheckHeader(file, path)
	if err != nil {
		return nil, err
	}
	if err := checkLog(ctx, file, path, format); err != nil {
		return nil, err
	}
	return &inode{path: path, info: info, file: file, uses: 1}, nil
}

// release gives up the descriptor, after all connections have been closed.
func (n *inode) release() {
	inodes.Lock()
	defer inodes.Unlock()
	if n.uses--; n.uses > 0 {
		return
	}
	for i, other := range inodes.open {
		if other == n {
			inodes.open = append(inodes.open[:i], inodes.open[i+1:]...)
			break
		}
	}
	n.file.Close()
}
