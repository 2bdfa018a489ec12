//go:build !unix

package dbtest

import "time"

var began = time.Now()

// ProcessorTime is the clock's time where nobody asks for the processor's.
func ProcessorTime() time.Duration { return time.Since(began) }
