package xsd

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// blocksText has a line for each block of Unicode: its first and last character, and its
// name. A newer version of Unicode is a newer file.
//
//go:embed blocks.txt
var blocksText string

// blocks returns the first and the last character of each block by its name.
var blocks = sync.OnceValue(func() map[string][2]rune {
	named := map[string][2]rune{}
	for line := range strings.Lines(blocksText) {
		var first, last rune
		var name string
		if n, _ := fmt.Sscanf(line, "%x..%x; %s", &first, &last, &name); n == 3 { // others are comments
			named[name] = [2]rune{first, last}
		}
	}
	return named
})
