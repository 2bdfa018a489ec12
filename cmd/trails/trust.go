package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/upstream"
	"trails/text/jsontext"
)

// pool returns the pool of upstream servers, which trusts those approved at this machine. changed is called when one
// offers something else.
func (p *program) pool(changed func(server string)) *upstream.Pool {
	for _, subject := range p.trustedBySetting() {
		if !gateway.IsServerName(subject) && !digests.MatchString(subject) {
			p.log.Warn("TRAILS_TRUST_UPSTREAMS agrees to servers by their names, and to what has a digest; this is neither", "said", subject)
		}
	}
	return upstream.Open(upstream.Config{Version: version, Trusts: p.trustsServer, Program: p.agreedProgram, Changed: changed, Log: p.log, Lookup: p.lookup})
}

// embedder returns the embedder, which trusts endpoints approved at this machine.
func (p *program) embedder() *embed.Embedder {
	trusts := func(e gateway.Embeddings) bool {
		return slices.Contains(p.trustedBySetting(), e.Digest()) || len(p.agreedTo(e.Digest())) > 0
	}
	return embed.Open(embed.Config{Trusts: trusts, Log: p.log, Lookup: p.lookup})
}

// digests matches a digest of a definition.
var digests = regexp.MustCompile("^[0-9a-f]{64}$")

// trustedBySetting are the names and digests in TRAILS_TRUST_UPSTREAMS.
func (p *program) trustedBySetting() []string {
	return strings.FieldsFunc(p.env["TRAILS_TRUST_UPSTREAMS"], func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// coveredBySetting reports whether the setting approves a server. A definition made through another transport than
// the command line is never covered, because otherwise anybody who may change the file over a network could run
// commands.
func (p *program) coveredBySetting(s gateway.Server) bool {
	subject := p.trustedBySetting()
	return s.Via == "" && (slices.Contains(subject, s.Name) || slices.Contains(subject, s.Digest()))
}

func (p *program) trustsServer(s gateway.Server) bool {
	if p.coveredBySetting(s) {
		return true
	}
	_, err := p.agreedProgram(s)
	return err == nil
}

// agreedProgram is the approved program of a server's command, in the directory where it was approved, wherever this
// process runs. If it was approved in several directories, that of this process is used, or the last one.
func (p *program) agreedProgram(s gateway.Server) (found upstream.Program, err error) {
	agreed := p.agreedTo(s.Digest())
	if len(agreed) == 0 && p.coveredBySetting(s) && len(s.Command) > 0 {
		return upstream.FindProgram(s, "", p.lookup)
	}
	here, err := os.Getwd()
	if err != nil {
		here = "" // it was removed, and nothing was approved in it
	}
	err = fault.New(fault.Unusable, "nobody at this machine has agreed to what the upstream %s runs", s.Name)
	for _, text := range agreed {
		var one upstream.Program
		switch {
		case len(s.Command) == 0:
			return upstream.Program{}, nil
		case json.Unmarshal([]byte(text), &one) != nil || one.Path == "":
			continue // an older line without a program
		case found.Directory != here || one.Directory == here:
			found, err = one, nil
		}
	}
	return found, err
}

// lookup returns environment variables for definitions, except for those with callers' own credentials, which only go
// to their servers.
func (p *program) lookup(name string) (string, bool) {
	value, ok := p.env[name]
	return value, ok && !strings.HasPrefix(name, auth.CredentialVariable)
}

// trustFile has a line for each server and endpoint approved at this machine: the digest, followed by JSON with the
// program and directory of a command and its words for people, or the name and the address.
func (p *program) trustFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fault.New(fault.Unusable, "there is no folder for settings to keep in whom you trust").Because(err)
	}
	return filepath.Join(dir, "trails", "trusted-upstreams"), nil
}

// agreedTo returns the lines with a digest. An unreadable line is no approval.
func (p *program) agreedTo(digest string) (all []string) {
	path, err := p.trustFile()
	if err != nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20) // a command may be long
	for lines.Scan() {
		if agreed, subject, _ := strings.Cut(lines.Text(), " "); agreed == digest {
			all = append(all, subject)
		}
	}
	return all
}

// agreement is what trusting a command approves.
type agreement struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	upstream.Program
}

// trustServer records the approval of a server. Its program must exist now.
func (p *program) trustServer(s gateway.Server) error {
	if len(s.Command) == 0 {
		return p.trust(s.Digest(), s.Name+" "+line(s.Address()))
	}
	found, err := upstream.FindProgram(s, "", p.lookup)
	if err != nil {
		return err
	}
	text, err := jsontext.Marshal(agreement{s.Name, s.Command, found})
	if err != nil {
		return err
	}
	return p.trust(s.Digest(), string(text))
}

// trust records the approval of a digest, of a server or an endpoint.
func (p *program) trust(digest, subject string) (err error) {
	if before := p.agreedTo(digest); len(before) > 0 && before[len(before)-1] == subject {
		return nil
	}
	path, err := p.trustFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return notKept(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return notKept(err)
	}
	_, err = fmt.Fprintf(f, "%s %s\n", digest, subject)
	if err := errors.Join(err, f.Close()); err != nil {
		return notKept(err)
	}
	return nil
}

func notKept(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fault.New(fault.Unusable, "whom you trust cannot be kept in %s", at.Path).Because(at.Err)
	}
	return fault.New(fault.Unusable, "whom you trust cannot be kept").Because(err)
}
