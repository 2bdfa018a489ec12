package main

import (
	"fmt"
	"os/exec"
	"runtime"
)

// openers start the browser that the system's user has chosen.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// openPages opens url in the browser. That it did not work is no reason to stop:
// the address stands above.
func (p *program) openPages(url string) {
	opener, known := openers[runtime.GOOS]
	if !known {
		opener = []string{"xdg-open"}
	}
	cmd := exec.Command(opener[0], append(opener[1:], url)...)
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(p.stderr, "no browser was opened (%v); open %s yourself\n", err, url)
		return
	}
	go func() { _ = cmd.Wait() }() // a browser may outlive this process, which only must not keep its zombie
}
