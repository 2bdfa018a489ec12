//go:build unix

package querykit_test

import "syscall"

// processorNS is what this process has computed so far, collecting garbage included.
func processorNS() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
