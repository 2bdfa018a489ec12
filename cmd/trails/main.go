// Command trails is the binary: flags, environment and wiring around the call path.
// Each subcommand stands in a file of its own, those of schema in one; it decodes its
// arguments, makes a call, and prints the answer (engine.go). Read run.go first.
package main

import (
	"os"
	"runtime/debug"
)

// memoryLimit is where the collector begins to work harder: a load of any size
// stays near it instead of at twice what it holds. GOMEMLIMIT says otherwise.
const memoryLimit = 400 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
