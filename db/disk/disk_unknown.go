//go:build !linux

package disk

// diskSpace returns 0: it is not implemented for this system.
func diskSpace(string) (free, size int64) { return 0, 0 }
