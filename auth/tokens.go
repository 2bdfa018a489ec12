package auth

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"trails/fault"
)

// Tokens finds the tokens that this program shows to servers as their client: in the environment, and then in a file
// of credentials. Both are read at each call, so that a mended file counts at once. The zero Tokens has none. It is
// safe for concurrent use.
type Tokens struct {
	Lookup func(variable string) (string, bool) // reads the environment; nil for none
	File   string                               // path of the file of credentials; "" for none
}

const (
	tokenVariable = "TRAILS_TOKEN_" // the prefix of the variables
	maxTokenFile  = 1 << 20
)

// TokenVariable returns the environment variable of a name: in upper case, with _ for all that is no letter or digit of
// ASCII.
func TokenVariable(name string) string {
	return tokenVariable + strings.Map(func(c rune) rune {
		if c = unicode.ToUpper(c); c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, name)
}

// For returns the token of a name, "" if it has none. A file that others of this machine may read, and one that does
// not parse, is Unusable; so is a token that cannot stand in a header.
func (t Tokens) For(name string) (string, error) {
	variable := TokenVariable(name)
	if t.Lookup != nil {
		if value, _ := t.Lookup(variable); strings.TrimSpace(value) != "" {
			return usableToken(value, variable)
		}
	}
	all, err := t.read()
	if err != nil || all[name] == "" {
		return "", err
	}
	return usableToken(all[name], "["+name+"] in "+t.File)
}

// Names returns the names in the file of credentials, in order; none if the file cannot be read.
func (t Tokens) Names() []string {
	all, _ := t.read() // completion offers what is there
	return slices.Sorted(maps.Keys(all))
}

// HowGiven tells where the token of a name is put.
func (t Tokens) HowGiven(name string) string {
	text := "set " + TokenVariable(name)
	if t.File != "" {
		text += ", or write a line token = … below [" + name + "] into " + t.File + " (mode 0600)"
	}
	return text
}

func usableToken(value, place string) (string, error) {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return "", fault.New(fault.Unusable, "the token of %s has a space, or a character that is not ASCII, which no token has (RFC 6750, section 2.1)", place)
	}
	return value, nil
}

// read returns the tokens in the file by name: each is a line "token = VALUE" below a line "[NAME]". Values are in no
// error.
func (t Tokens) read() (map[string]string, error) {
	if t.File == "" {
		return nil, nil
	}
	f, err := os.Open(t.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Unusable, "the file of credentials %s cannot be read", fault.Path(t.File)).Because(err)
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, fault.New(fault.Unusable, "the file of credentials %s cannot be read", fault.Path(t.File)).Because(err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" { // Windows has other rights
		return nil, fault.New(fault.Unusable, "the file of credentials %s has the mode %04o, and others of this machine may use it: chmod 600 %s", fault.Path(t.File), mode, fault.Path(t.File))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxTokenFile+1))
	if err != nil {
		return nil, fault.New(fault.Unusable, "the file of credentials %s cannot be read", fault.Path(t.File)).Because(err)
	}
	if len(text) > maxTokenFile {
		return nil, fault.New(fault.Unusable, "the file of credentials %s is larger than %d bytes", fault.Path(t.File), maxTokenFile)
	}
	return parseTokens(text, t.File)
}

func parseTokens(text []byte, file string) (map[string]string, error) {
	all, name, number := map[string]string{}, "", 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		line := strings.TrimSpace(string(line))
		key, value, isPair := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case len(line) > 2 && line[0] == '[' && line[len(line)-1] == ']':
			name = strings.TrimSpace(line[1 : len(line)-1])
			if _, twice := all[name]; twice {
				return nil, fault.New(fault.Unusable, "line %d of the file of credentials %s names [%s] a second time", number, fault.Path(file), name)
			}
			all[name] = ""
		case name == "" || !isPair || strings.TrimSpace(key) != "token":
			return nil, fault.New(fault.Unusable, "line %d of the file of credentials %s is neither [NAME], nor token = VALUE below one, nor a comment that begins with #", number, fault.Path(file))
		case all[name] != "":
			return nil, fault.New(fault.Unusable, "line %d of the file of credentials %s gives [%s] a second token", number, fault.Path(file), name)
		default:
			if value = strings.TrimSpace(value); len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
				value = value[1 : len(value)-1]
			}
			all[name] = value
		}
	}
	return all, nil
}
