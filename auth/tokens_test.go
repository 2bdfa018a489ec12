package auth_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trails/auth"
	"trails/fault"
)

func TestTokensAreFoundByName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("\ufeff# mine\n[work]\ntoken = from=file\r\n\n; more\n[kg.example.org:8443]\n token=\"quoted\"\n[[::1]:8757]\ntoken=six\n[empty]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"TRAILS_TOKEN_OTHER_DEV": " from-environment ", "TRAILS_TOKEN_KG_EXAMPLE_ORG": "", "TRAILS_TOKEN": "nobody's"}
	tokens := auth.Tokens{File: file, Lookup: func(name string) (string, bool) { value, ok := environment[name]; return value, ok }}
	for name, want := range map[string]string{
		"work": "from=file", "kg.example.org:8443": "quoted", "[::1]:8757": "six", "empty": "", "kg.example.org": "",
		"other-dev": "from-environment", "Other.Dev": "from-environment", "nobody": "", "": "",
	} {
		if got, err := tokens.For(name); got != want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", name, got, err, want)
		}
	}
	environment["TRAILS_TOKEN_WORK"] = "first"
	if got, err := tokens.For("work"); got != "first" || err != nil {
		t.Errorf("the environment does not come first: %q, %v", got, err)
	}
	if names := tokens.Names(); !slices.Equal(names, []string{"[::1]:8757", "empty", "kg.example.org:8443", "work"}) {
		t.Errorf("the names are %q", names)
	}
	if how := tokens.HowGiven("kg.example.org:8443"); !strings.Contains(how, "TRAILS_TOKEN_KG_EXAMPLE_ORG_8443") || !strings.Contains(how, "[kg.example.org:8443]") || !strings.Contains(how, file) {
		t.Errorf("it is given so: %s", how)
	}
	for _, none := range []auth.Tokens{{}, {File: file + "-not-there"}} {
		if got, err := none.For("work"); got != "" || err != nil {
			t.Errorf("%+v: %q, %v", none, got, err)
		}
	}
}

func TestABadFileOfCredentialsIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"others may read it":     {"[work]\ntoken = s3cret\n", 0o640, "chmod 600"},
		"others may write it":    {"[work]\ntoken = s3cret\n", 0o602, "chmod 600"},
		"a line that is nothing": {"[work]\ns3cret\n", 0o600, "line 2"},
		"another key":            {"[work]\npassword = s3cret\n", 0o600, "line 2"},
		"a token of nobody":      {"token = s3cret\n", 0o600, "line 1"},
		"a name twice":           {"[work]\ntoken = s3cret\n[work]\n", 0o600, "line 3"},
		"two tokens":             {"[work]\ntoken = s3cret\ntoken = s3cret\n", 0o600, "line 3"},
		"a token of two words":   {"[work]\ntoken = s3cret s3cret\n", 0o600, "RFC 6750"},
		"a token in Greek":       {"[work]\ntoken = s3cretλ\n", 0o600, "RFC 6750"},
		"too large":              {"[work]\ntoken = s3cret\n#" + strings.Repeat("x", 1<<20), 0o600, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.mode != 0o600 && runtime.GOOS == "windows" {
				t.Skip("it has other rights")
			}
			file := filepath.Join(t.TempDir(), "credentials")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, c.mode); err != nil {
				t.Fatal(err)
			}
			token, err := auth.Tokens{File: file}.For("work")
			if token != "" || !fault.Is(err, fault.Unusable) || !strings.Contains(fault.Whole(err), c.says) || strings.Contains(fault.Whole(err), "s3cret") {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
	if _, err := (auth.Tokens{File: t.TempDir()}).For("work"); !fault.Is(err, fault.Unusable) {
		t.Errorf("a directory: %v", err)
	}
}
