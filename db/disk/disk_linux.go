package disk

import "syscall"

// diskSpace returns the free bytes for this process on the disk of path, and the total.
func diskSpace(path string) (free, size int64) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, 0
	}
	return int64(s.Bavail) * s.Bsize, int64(s.Blocks) * s.Bsize
}
