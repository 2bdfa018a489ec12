//go:build !unix

package querykit_test

import "time"

var began = time.Now()

// processorNS is the clock's time where nobody asks for the processor's.
func processorNS() float64 { return float64(time.Since(began)) }
