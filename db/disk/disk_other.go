//go:build !unix

package disk

import "os"

// hardLinks returns 1: the number is not known on this system.
func hardLinks(os.FileInfo) int { return 1 }

// mayWrite returns true: on this system only a write shows it.
func mayWrite(string) bool { return true }
