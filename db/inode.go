package db

import (
	"os"
	"sync"
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
	info os.FileInfo
	file *os.File
	uses int
}

// holdInode opens path, or shares the descriptor that this process already has.
func holdInode(path string) (*inode, error) {
	inodes.Lock()
	defer inodes.Unlock()
	if info, err := os.Stat(path); err == nil {
		for _, n := range inodes.open {
			if os.SameFile(info, n.info) {
				n.uses++
				return n, nil
			}
		}
	}
	file, err := openChecked(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	n := &inode{info: info, file: file, uses: 1}
	inodes.open = append(inodes.open, n)
	return n, nil
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
