//go:build !unix

package dbtest

import "time"

var began = time.Now()

// ProcessorTime returns the wall-clock time: this system's processor time is not read.
func ProcessorTime() time.Duration { return time.Since(began) }
