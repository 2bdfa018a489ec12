package db

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"trails/fault"
)

// POSIX takes away all of a process's locks on a file when the process closes any
// descriptor of it (https://sqlite.org/howtocorrupt.html section 2.2). So the
// descriptor that the header was read with stays open as long as any File of this
// process uses the same inode, and is closed after the last SQLite connection.
var inodes struct {
	sync.Mutex
	open []*inode
}

type inode struct {
	path string // with no symbolic link in it: SQLite's log has its name
	info os.FileInfo
	file *os.File
	uses int
}

// holdInode opens a file, or shares the descriptor that this process already has, and
// returns its path without symbolic links.
func holdInode(ctx context.Context, given string) (path string, n *inode, err error) {
	inodes.Lock()
	defer inodes.Unlock()
	if path, err = filepath.EvalSymlinks(given); err != nil {
		path = given // what is wrong with it is said below
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

// openInode opens a file that this process has not open, and looks at it before SQLite does.
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
	format, err := checkHeader(file, path)
	if err != nil {
		return nil, err
	}
	if err := checkLog(ctx, file, path, format); err != nil {
		return nil, err
	}
	return &inode{path: path, info: info, file: file, uses: 1}, nil
}

// release gives the descriptor up; the caller has closed its connections.
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
