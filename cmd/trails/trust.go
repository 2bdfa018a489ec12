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

// pool reaches the upstream servers that somebody at this machine has agreed to. Changed
// hears of one that offers something else.
func (p *program) pool(changed func(server string)) *upstream.Pool {
	for _, said := range p.trustedBySetting() {
		if !gateway.IsServerName(said) && !digests.MatchString(said) {
			p.log.Warn("TRAILS_TRUST_UPSTREAMS agrees to servers by their names, and to what has a digest; this is neither", "said", said)
		}
	}
	return upstream.Open(upstream.Config{Version: version, Trusts: p.trustsServer, Program: p.agreedProgram, Changed: changed, Log: p.log, Lookup: p.lookup})
}

// embedder reaches the endpoint of embeddings that somebody at this machine has agreed to.
func (p *program) embedder() *embed.Embedder {
	trusts := func(e gateway.Embeddings) bool {
		return slices.Contains(p.trustedBySetting(), e.Digest()) || len(p.agreedTo(e.Digest())) > 0
	}
	return embed.Open(embed.Config{Trusts: trusts, Log: p.log, Lookup: p.lookup})
}

// digests match what names a definition.
var digests = regexp.MustCompile("^[0-9a-f]{64}$")

// trustedBySetting are the names and digests of TRAILS_TRUST_UPSTREAMS.
func (p *program) trustedBySetting() []string {
	return strings.FieldsFunc(p.env["TRAILS_TRUST_UPSTREAMS"], func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// coveredBySetting reports whether the setting agrees to a server. A definition that came through
// another door than the command line is never covered, in whatever process: who may change the
// file over a network could run commands otherwise.
func (p *program) coveredBySetting(s gateway.Server) bool {
	said := p.trustedBySetting()
	return s.Via == "" && (slices.Contains(said, s.Name) || slices.Contains(said, s.Digest()))
}

func (p *program) trustsServer(s gateway.Server) bool {
	if p.coveredBySetting(s) {
		return true
	}
	_, err := p.agreedProgram(s)
	return err == nil
}

// agreedProgram is what the command of a server runs: what was agreed to, in the directory in
// which it was, wherever this process is. Where it was agreed to in several directories, that of
// this process is taken, or the last one.
func (p *program) agreedProgram(s gateway.Server) (found upstream.Program, err error) {
	agreed := p.agreedTo(s.Digest())
	if len(agreed) == 0 && p.coveredBySetting(s) && len(s.Command) > 0 {
		return upstream.FindProgram(s, "", p.lookup)
	}
	here, err := os.Getwd()
	if err != nil {
		here = "" // it was removed, and nothing was agreed to in it
	}
	err = fault.New(fault.Unusable, "nobody at this machine has agreed to what the upstream %s runs", s.Name)
	for _, text := range agreed {
		var one upstream.Program
		switch {
		case len(s.Command) == 0:
			return upstream.Program{}, nil
		case json.Unmarshal([]byte(text), &one) != nil || one.Path == "":
			continue // a line of before, which says no program
		case found.Directory != here || one.Directory == here:
			found, err = one, nil
		}
	}
	return found, err
}

// lookup gives a variable of the environment to a definition that names it, and none of those
// with callers' own credentials, which go to the server that they are for.
func (p *program) lookup(name string) (string, bool) {
	value, ok := p.env[name]
	return value, ok && !strings.HasPrefix(name, auth.CredentialVariable)
}

// trustFile has a line for each server and endpoint that somebody at this machine has agreed
// to: the digest of how it is reached, and then JSON with the program and the directory of a
// command and, for people, its words; or the name and the address.
func (p *program) trustFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fault.New(fault.Unusable, "there is no folder for settings to keep in whom you trust").Because(err)
	}
	return filepath.Join(dir, "trails", "trusted-upstreams"), nil
}

// agreedTo is what the lines with a digest say. What cannot be read has no yes in it.
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
		if agreed, said, _ := strings.Cut(lines.Text(), " "); agreed == digest {
			all = append(all, said)
		}
	}
	return all
}

// agreement is what somebody agrees to by trusting a command.
type agreement struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	upstream.Program
}

// trustServer keeps that somebody has agreed to a server. What is not a program now cannot be
// agreed to.
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

// trust keeps that somebody has agreed to what has this digest, a server or an endpoint.
func (p *program) trust(digest, said string) (err error) {
	if before := p.agreedTo(digest); len(before) > 0 && before[len(before)-1] == said {
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
	_, err = fmt.Fprintf(f, "%s %s\n", digest, said)
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
