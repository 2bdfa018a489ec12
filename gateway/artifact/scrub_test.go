package artifact_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/gateway/artifact"
)

// patterns say of each form of a secret what it is; the group is the secret.
var patterns = []*regexp.Regexp{
	regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]{16,})`),
	regexp.MustCompile(`(trails_[a-z0-9-]{1,40}_[A-Z2-7]{26,52})`),
	regexp.MustCompile(`\bgh[pousr]_([A-Za-z0-9]{30,})`),
	regexp.MustCompile(`\bgithub_pat_([A-Za-z0-9_]{30,})`),
	regexp.MustCompile(`\bglpat-([A-Za-z0-9_-]{16,})`),
	regexp.MustCompile(`\bxox[abeoprs]-([A-Za-z0-9-]{10,})`),
	regexp.MustCompile(`\b(?:AKIA|ASIA)([A-Z0-9]{16})\b`),
	regexp.MustCompile(`\bAIza([A-Za-z0-9_-]{35})`),
	regexp.MustCompile(`\bsk-([A-Za-z0-9_-]{20,})`),
	regexp.MustCompile(`\b[rs]k_(?:live|test)_([A-Za-z0-9]{16,})`),
	regexp.MustCompile(`\bnpm_([A-Za-z0-9]{30,})`),
	regexp.MustCompile(`\beyJ([A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})`),
	regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/._~-]{16,}=*)`),
	regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@"]{1,100}:([^/\s:@"]{3,200})@`),
	regexp.MustCompile(`(?i)(?:password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret)["']?\s*[:=]\s*["']?([^\s"',;&}{]{6,})`),
}

// scrubbed is what Scrub is held against: the patterns one after the other.
func scrubbed(text []byte) ([]byte, int) {
	clean, found := bytes.Clone(text), 0
	for _, p := range patterns {
		for _, at := range p.FindAllSubmatchIndex(bytes.Clone(clean), -1) {
			secret := clean[at[2]:at[3]]
			if len(bytes.Trim(secret, "*")) == 0 {
				continue
			}
			found++
			for i, c := range secret {
				if c != '\n' {
					secret[i] = '*'
				}
			}
		}
	}
	return clean, found
}

// pieces are parts of secrets, and what stands between them.
var pieces = []string{
	"-----BEGIN ", "RSA ", "PRIVATE KEY-----", "-----END", "ghp_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxz-", "AKIA", "ASIA", "AIza", "sk-", "rk_live_", "sk_test_", "npm_", "trails_", "ci_", "ABCDEFGHIJKLMNOPQRSTUVWX27",
	"eyJ", ".eyJ", ".", "Bearer", "basic", "ba\u017fic", "BEARER\t", "https://", "a.b+c://", "_x://", "1://", "://", "me:", ":", "@", "/", "password", "PassWd", "\u017fecret", "client_secret", "api", "API-", "key", "\u212aEY", "_key",
	"access", "-token", "auth", "TOKEN", "refresh_", "private", "=", "==", ": ", "\"", "'", "\": \"", " ", "\n", "\v", ",", ";", "&", "{", "}", "-", "_", "~", "+", "*", "******", "é", "\xff", "\xc5", "\xe2\x84",
	"abc", "abcdef", "abcdefgh", "0123456789abcdef", "ABCDEFGH01234567", "0123456789abcdefghijABCDEFGHIJ", "0123456789abcdefghij0123456789abcde",
}

func TestScrubbingFindsWhatThePatternsFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces") {
			text = append(text, piece...)
		}
		got, found := artifact.Scrub(text)
		if want, n := scrubbed(text); !bytes.Equal(got, want) || found != n {
			t.Fatalf("%q becomes\n%q with %d secrets, want\n%q with %d", text, got, found, want, n)
		}
	})
}

// hostileTexts are those that take long to scrub if anything does.
func hostileTexts() map[string]string {
	return map[string]string{
		"prose": "The quick brown fox jumps over the lazy dog, and says so. ", "secrets": "a secret is nothing to tell, ", "passwords": `{"password": "hunter22", "user": "me"}, `,
		"keys": "api_key access-token private key = ", "bearers": "bearer bearer\tbasic ", "addresses": "https://me:x://a.b.c://", "tokens": "eyJ-eyJ-eyJ_sk-sk-ghp_ghp_xoxb-AKIA",
		"web tokens": "eyJabcdefgh.eyJabcdefgh-eyJ", "PEM": "-----BEGIN RSA PRIVATE KEY-----x-PRIVATE KEY-----", "one letter": "a", "spaces": " ", "a scheme": "a.",
	}
}

func BenchmarkScrub(b *testing.B) {
	for name, piece := range hostileTexts() {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(piece, 1<<20/len(piece)))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				artifact.Scrub(text)
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		var all strings.Builder
		for i := 0; all.Len() < 1<<20; i++ {
			fmt.Fprint(&all, pieces[(i*i+i/7)%len(pieces)])
		}
		b.SetBytes(int64(all.Len()))
		for b.Loop() {
			artifact.Scrub([]byte(all.String()))
		}
	})
}
