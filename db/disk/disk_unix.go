//go:build unix

package disk

import (
	"os"
	"syscall"
)

// hardLinks returns how many names a file has.
func hardLinks(info os.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}

// mayWrite reports whether this process may write a file, or into a directory.
func mayWrite(path string) bool {
	const write = 2 // W_OK of access(2)
	return syscall.Access(path, write) == nil
}
