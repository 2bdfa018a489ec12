// Command trails is the binary: flags, environment and wiring around the call path.
// Each subcommand stands in a file of its own; it decodes its arguments, makes a
// call, and prints the answer. Read run.go first.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
