package loopback_test

import (
	"testing"

	"trails/loopback"
)

func TestWhatIsThisMachine(t *testing.T) {
	for name, want := range map[string]bool{
		"localhost":               true,
		"127.0.0.1":               true,
		"127.8.9.10":              true,
		"::1":                     true,
		"0:0:0:0:0:0:0:1":         true,
		"::ffff:127.0.0.1":        true,
		"":                        false,
		"LOCALHOST":               false,
		"localhost.":              false,
		"localhost:80":            false,
		"notes.localhost":         false,
		"localhost.example.org":   false,
		"127.0.0.1.":              false,
		"127.0.0.1.example.org":   false,
		"127.1":                   false,
		"2130706433":              false,
		"0x7f.0.0.1":              false,
		"127.0.0.01":              false,
		"[::1]":                   false,
		"::1%lo":                  false,
		"0.0.0.0":                 false,
		"::":                      false,
		"::ffff:10.0.0.1":         false,
		"10.0.0.1":                false,
		"169.254.0.1":             false,
		"localhost@evil.example":  false,
		"evil.example#localhost":  false,
		"evil.example\x00.local":  false,
		"127.0.0.1\r\nHost: evil": false,
		"ⅼocalhost":               false,
	} {
		if got := loopback.Is(name); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}
