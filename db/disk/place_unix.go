//go:build unix

package disk

import (
	"os"
	"syscall"
)

// The bytes that SQLite locks in an open file, and in -shm while its log is in use
// (https://sqlite.org/src/file/src/os_unix.c, SHARED_FIRST and UNIX_SHM_DMS).
const (
	sharedFirst = 0x40000002
	sharedSize  = 510
	shmOpen     = 128
)

// isHeld reports whether another process has a lock on these bytes of a file.
func isHeld(file *os.File, start, size int64) (bool, error) {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: start, Len: size}
	err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock)
	return lock.Type != syscall.F_UNLCK, err
}
