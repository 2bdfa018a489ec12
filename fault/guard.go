package fault

import (
	"fmt"
	"runtime/debug"
)

// Guard runs f and converts a panic to an error with its stack; f's deferred calls still run. Use it in
// goroutines, where a panic would end the process for everybody.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
