package artifact

import (
	"bytes"
	"regexp"
)

// secrets are patterns of what nobody but its owner may read. The last group of each is what
// goes; what stands before it says what was there.
var secrets = []*regexp.Regexp{
	// Keys in the form of PEM (RFC 7468).
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]{16,})`),
	// Tokens that begin with the name of their issuer.
	regexp.MustCompile(`\bgh[pousr]_([A-Za-z0-9]{30,})`),
	regexp.MustCompile(`\bgithub_pat_([A-Za-z0-9_]{30,})`),
	regexp.MustCompile(`\bglpat-([A-Za-z0-9_-]{16,})`),
	regexp.MustCompile(`\bxox[abeoprs]-([A-Za-z0-9-]{10,})`),
	regexp.MustCompile(`\b(?:AKIA|ASIA)([A-Z0-9]{16})\b`),
	regexp.MustCompile(`\bAIza([A-Za-z0-9_-]{35})`),
	regexp.MustCompile(`\bsk-([A-Za-z0-9_-]{20,})`),
	regexp.MustCompile(`\b[rs]k_(?:live|test)_([A-Za-z0-9]{16,})`),
	regexp.MustCompile(`\bnpm_([A-Za-z0-9]{30,})`),
	// JSON Web Tokens (RFC 7519): two parts that are JSON, and a signature.
	regexp.MustCompile(`\beyJ([A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})`),
	// The header of RFC 9110, section 11.6.2, and credentials in a URI (RFC 3986, section 3.2.1).
	regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{16,}=*)`),
	regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@"]{1,100}:([^/\s:@"]{3,200})@`),
	// What is called a secret.
	regexp.MustCompile(`(?i)(?:password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret)["']?\s*[:=]\s*["']?([^\s"',;&}{]{6,})`),
}

// Scrub returns a text in which secrets have become asterisks, as many as they had bytes, and
// how many there were. A text without any is returned as it is.
func Scrub(text []byte) ([]byte, int) {
	clean, found := text, 0
	for _, pattern := range secrets {
		for _, at := range pattern.FindAllSubmatchIndex(clean, -1) {
			secret := clean[at[2]:at[3]]
			if len(bytes.Trim(secret, "*")) == 0 {
				continue
			}
			if found == 0 {
				clean = bytes.Clone(text)
			}
			found++
			for i := at[2]; i < at[3]; i++ {
				if clean[i] != '\n' {
					clean[i] = '*'
				}
			}
		}
	}
	return clean, found
}
