package artifact

import (
	"bytes"
	"regexp"
	"slices"
)

// secret is a pattern of what nobody but its owner may read. The last group is what goes; what
// stands before it says what was there.
type secret struct {
	pattern *regexp.Regexp
	// words are such that every match has one of them, without regard to case when fold is
	// set: to look for them takes a hundredth of the time.
	words []string
	fold  bool
	// ends, when set, are bytes of which the first after a word must be the last of them.
	ends string
}

var secrets = []secret{
	// Keys in the form of PEM (RFC 7468).
	has(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]{16,})`, "PRIVATE KEY-----"),
	// Tokens that begin with the name of their issuer.
	has(`\bgh[pousr]_([A-Za-z0-9]{30,})`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	has(`\bgithub_pat_([A-Za-z0-9_]{30,})`, "github_pat_"),
	has(`\bglpat-([A-Za-z0-9_-]{16,})`, "glpat-"),
	has(`\bxox[abeoprs]-([A-Za-z0-9-]{10,})`, "xox"),
	has(`\b(?:AKIA|ASIA)([A-Z0-9]{16})\b`, "AKIA", "ASIA"),
	has(`\bAIza([A-Za-z0-9_-]{35})`, "AIza"),
	has(`\bsk-([A-Za-z0-9_-]{20,})`, "sk-"),
	has(`\b[rs]k_(?:live|test)_([A-Za-z0-9]{16,})`, "k_live_", "k_test_"),
	has(`\bnpm_([A-Za-z0-9]{30,})`, "npm_"),
	// JSON Web Tokens (RFC 7519): two parts that are JSON, and a signature.
	has(`\beyJ([A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})`, ".eyJ"),
	// The header of RFC 9110, section 11.6.2, and credentials in a URI (RFC 3986, section 3.2.1).
	hasFolded(`\b(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{16,}=*)`, "bearer", "basic"),
	{pattern: regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@"]{1,100}:([^/\s:@"]{3,200})@`), words: []string{"://"}, ends: "/\" \t\n\f\r@"},
	// What is called a secret.
	hasFolded(`(?:password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret)["']?\s*[:=]\s*["']?([^\s"',;&}{]{6,})`,
		"passw", "secret", "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "privatekey", "private_key", "private-key",
		"authtoken", "auth_token", "auth-token", "accesstoken", "access_token", "access-token", "refreshtoken", "refresh_token", "refresh-token"),
}

func has(pattern string, words ...string) secret {
	return secret{pattern: regexp.MustCompile(pattern), words: words}
}

func hasFolded(pattern string, words ...string) secret {
	return secret{pattern: regexp.MustCompile(`(?i)` + pattern), words: words, fold: true}
}

// mayBeIn reports whether a text can have the secret. folded is the text in lower case.
func (s secret) mayBeIn(text, folded []byte) bool {
	if s.fold {
		text = folded
	}
	return slices.ContainsFunc(s.words, func(word string) bool {
		if s.ends == "" {
			return bytes.Contains(text, []byte(word))
		}
		for rest, found := text, true; found; {
			if _, rest, found = bytes.Cut(rest, []byte(word)); found {
				if end := bytes.IndexAny(rest, s.ends); end >= 0 && rest[end] == s.ends[len(s.ends)-1] {
					return true
				}
			}
		}
		return false
	})
}

// Scrub returns a text in which secrets have become asterisks, as many as they had bytes, and
// how many there were. A text without any is returned as it is.
func Scrub(text []byte) ([]byte, int) {
	clean, found := text, 0
	// By way of upper case, as patterns fold: a long s is an s, too.
	folded := bytes.ToLower(bytes.ToUpper(text))
	for _, s := range secrets {
		if !s.mayBeIn(text, folded) {
			continue
		}
		for _, at := range s.pattern.FindAllSubmatchIndex(clean, -1) {
			if len(bytes.Trim(clean[at[2]:at[3]], "*")) == 0 {
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
