// Command trails is the binary: flags, environment and wiring around the call path.
// A command that makes a call follows from the capability and its row in the table (verbs.go);
// what it does beyond that, and what is made by hand, stands in a file of its own. Read run.go
// first, then verb.go.
package main

import (
	"os"
	"runtime/debug"
)

// memoryLimit is the soft memory limit for the garbage collector: large loads stay near it, instead of using twice
// what they hold. GOMEMLIMIT overrides it.
const memoryLimit = 400 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
