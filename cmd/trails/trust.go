package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"trails/auth"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/upstream"
)

// pool reaches the upstream servers that somebody at this machine has agreed to. Changed
// hears of one that offers something else.
func (p *program) pool(changed func(server string)) *upstream.Pool {
	trusts := func(s gateway.Server) bool { return p.trusts(s.Digest()) }
	return upstream.Open(upstream.Config{Version: version, Trusts: trusts, Changed: changed, Log: p.log, Lookup: p.lookup})
}

// embedder reaches the endpoint of embeddings that somebody at this machine has agreed to.
func (p *program) embedder() *embed.Embedder {
	trusts := func(e gateway.Embeddings) bool { return p.trusts(e.Digest()) }
	return embed.Open(embed.Config{Trusts: trusts, Log: p.log, Lookup: p.lookup})
}

// lookup gives a variable of the environment to a definition that names it, and none of those
// with callers' own credentials, which go to the server that they are for.
func (p *program) lookup(name string) (string, bool) {
	value, ok := p.env[name]
	return value, ok && !strings.HasPrefix(name, auth.CredentialVariable)
}

// trustFile has a line for each server and endpoint that somebody at this machine has agreed
// to: the digest of how it is reached, its name, and how it is reached, for people.
func (p *program) trustFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fault.New(fault.Unusable, "there is no folder for settings to keep in whom you trust: %w", err)
	}
	return filepath.Join(dir, "trails", "trusted-upstreams"), nil
}

// trusts reports whether somebody has agreed to what has this digest. What cannot be read has
// no yes in it.
func (p *program) trusts(digest string) bool {
	if p.env["TRAILS_TRUST_UPSTREAMS"] == "1" {
		return true
	}
	path, err := p.trustFile()
	if err != nil {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if agreed, _, _ := strings.Cut(lines.Text(), " "); agreed == digest {
			return true
		}
	}
	return false
}

// trust keeps that somebody has agreed to what has this digest, a server or an endpoint.
func (p *program) trust(digest, name, address string) (err error) {
	if p.trusts(digest) {
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
	_, err = fmt.Fprintf(f, "%s %s %s\n", digest, name, line(address))
	if err := errors.Join(err, f.Close()); err != nil {
		return notKept(err)
	}
	return nil
}

func notKept(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fault.New(fault.Unusable, "whom you trust cannot be kept in %s: %w", at.Path, at.Err)
	}
	return fault.New(fault.Unusable, "whom you trust cannot be kept: %w", err)
}
