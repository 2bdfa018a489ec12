package fault

import (
	"fmt"
	"runtime/debug"
)

// Guard runs f and returns its error, or for a panic one that has its stack. What f holds
// behind defer is given back. It is for goroutines, in which a panic would end the
// process, and with it everything that others do there.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
