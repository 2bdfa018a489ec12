//go:build unix

package dbtest

import (
	"syscall"
	"time"
)

// ProcessorTime is what this process has computed so far, collecting garbage included. Where
// others use the machine it says more than the clock.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
