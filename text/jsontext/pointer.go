package jsontext

import "strings"

var (
	toPointer   = strings.NewReplacer("~", "~0", "/", "~1")
	fromPointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// PointerToken escapes the name of a member for a JSON Pointer (RFC 6901, section 3).
func PointerToken(name string) string { return toPointer.Replace(name) }

// PointerName returns the name that a token of a JSON Pointer means.
func PointerName(token string) string { return fromPointer.Replace(token) }
