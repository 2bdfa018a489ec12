//go:build unix

package dbtest

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time of this process, including garbage collection. On a busy machine it says
// more than the clock.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
