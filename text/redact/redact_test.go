package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"trails/text/redact"
)

func TestRedactorFindsWhatServersRepeat(t *testing.T) {
	const value = `Bearer a/b+c<d>&"e\f=`
	quoted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:correct horse"))
	for _, c := range []struct{ shown, said, want string }{
		{value, "so " + value + " it is", "so [credential] it is"},
		{value, "so " + value[7:] + " it is", "so [credential] it is"},
		{value, string(quoted), `"[credential]"`},
		{value, `Bearer+a%2Fb%2Bc%3Cd%3E%26%22e%5Cf%3D`, "[credential]"},
		{"Bearer aaaabbbbc", base64.StdEncoding.EncodeToString([]byte("aaaabbbbc")) + " " + base64.URLEncoding.EncodeToString([]byte("Bearer aaaabbbbc")), "[credential] [credential]=="},
		{"Bearer aaaa/bbbb", `"aaaa\/bbbb"`, `"[credential]"`},
		{basic, "ann, your correct horse", "ann, your [credential]"},
		{"Bearer x", "x is no secret", "x is no secret"},
		{"shorter", "shorter", "shorter"},
	} {
		if got := string(redact.New(c.shown).Clean([]byte(c.said))); got != c.want {
			t.Errorf("%s shown, %s is %s, want %s", c.shown, c.said, got, c.want)
		}
	}
}

// Wherever a secret stands in what base64 encodes, what is left can be decoded, and has of the secret at most a part
// of its first and last character.
func TestRedactorFindsSecretsInsideBase64(t *testing.T) {
	for n := range 6 {
		secret := "topsecretvalue"[:9+n]
		r := redact.New(secret)
		for before := range 7 {
			for after := range 7 {
				text := strings.Repeat("u", before) + secret + strings.Repeat("v", after)
				for name, code := range map[string]*base64.Encoding{"standard": base64.StdEncoding, "of addresses": base64.URLEncoding, "without an end": base64.RawStdEncoding} {
					said := string(r.Clean([]byte(code.EncodeToString([]byte(text)))))
					if strings.Contains(said, redact.Mark) && before%3 == 0 {
						continue // it was the whole
					}
					got, err := code.DecodeString(said)
					if err != nil || len(got) < before+after || strings.Contains(string(got), secret[1:len(secret)-1]) ||
						!strings.Contains(string(got), "credential") || string(got[:before]) != text[:before] || string(got[len(got)-after:]) != text[len(text)-after:] {
						t.Errorf("%s: %q is %q, %q, %v", name, text, said, got, err)
					}
				}
			}
		}
	}
}

// Whatever the parts in which it comes, what is read is the same; and what cannot be the
// beginning of a credential is there before more comes.
func TestRedactorReadsInParts(t *testing.T) {
	r := redact.New("Bearer aabaabaac")
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var text []byte
		for range 40 {
			text = append(text, []string{"a", "b", "aab", "aabaabaac", "Bearer ", "Bearer aabaabaac", "c", "\n"}[random.IntN(8)]...)
		}
		want := r.Clean(bytes.Clone(text))
		for name, in := range map[string]io.Reader{"whole": bytes.NewReader(text), "bytes": iotest.OneByteReader(bytes.NewReader(text)), "halves": iotest.HalfReader(bytes.NewReader(text))} {
			got, err := io.ReadAll(r.Reader(io.NopCloser(in)))
			if err != nil || bytes.Contains(got, []byte("aabaabaac")) || name == "whole" && !bytes.Equal(got, want) {
				t.Fatalf("seed %d, %s: %q is %q, %v, want %q", seed, name, text, got, err, want)
			}
		}
	}
	in, out := io.Pipe()
	go func() { _, _ = out.Write([]byte("data: {}\n\nBea")) }()
	buf := make([]byte, 100)
	if n, err := r.Reader(in).Read(buf); err != nil || string(buf[:n]) != "data: {}\n\n" {
		t.Errorf("%q, %v", buf[:n], err)
	}
}

func TestTokensOfGraphsAreFoundByTheirForm(t *testing.T) {
	const secret = "trails_ci-2_ABCDEFGHIJKLMNOPQRSTUVWX27"
	r := redact.New(`p"ss w<rd`)
	for said, want := range map[string]string{
		"so " + secret + " it is":                               "so [credential] it is",
		"x" + secret + "y":                                      "x[credential]y",
		"a refresh token " + secret + secret[12:]:               "a refresh token [credential]",
		"Authorization: Bearer " + secret:                       "Authorization: Bearer [credential]",
		"bearer abcdefghijklmnop==, and more":                   "bearer [credential], and more",
		"Bearer short":                                          "Bearer short",
		"trails_ci_is no secret":                                "trails_ci_is no secret",
		"a eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_F0dXJl b": "a [credential] b",
		"eyJhbGci.eyJzdWI.c2ln":                                 "eyJhbGci.eyJzdWI.c2ln",
		`{"error":"p\"ss w<rd"}`:                                `{"error":"[credential]"}`,
		"p%22ss+w%3Crd":                                         "[credential]",
	} {
		if got := r.Text(said); got != want {
			t.Errorf("%s is %s, want %s", said, got, want)
		}
		var out strings.Builder
		if n, err := r.Writer(&out).Write([]byte(said)); n != len(said) || err != nil || out.String() != want {
			t.Errorf("%d, %v: %s is written as %s", n, err, said, &out)
		}
	}
	for text, want := range map[string]bool{"no " + secret: true, "x=eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl": true, "eyJ.eyJ.a": false, "trails_ci": false} {
		if redact.HasToken([]byte(text)) != want {
			t.Errorf("%s has a token: %t", text, !want)
		}
	}
	if from, to := redact.Token([]byte("no "+secret+" "+secret), 4); from != 4+len(secret) || to != from+len(secret) {
		t.Errorf("it is at %d to %d", from, to)
	}
}
