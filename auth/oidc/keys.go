package oidc

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"

	"trails/fault"
)

// RefetchAfter is how long the provider is not asked again, whatever tokens come. With a new key it may take as long until
// tokens that are signed with it are valid.
const RefetchAfter = 10 * time.Second

const (
	// refreshAfter is the age from which keys are asked for again, so that one that the provider withdrew ceases to count.
	refreshAfter = time.Hour
	// fetchTime is how long the provider may take.
	fetchTime = 5 * time.Second
	// maxAnswer bounds an answer of the provider, in bytes, and maxKeys the keys that are read.
	maxAnswer = 1 << 20
	maxKeys   = 64
	// minRSA is the least size of an RSA key, in bits (RFC 7518, section 3.3).
	minRSA = 2048
	// cacheLife is the age from which the keys of the cache do not count.
	cacheLife = 7 * 24 * time.Hour
)

// keySet are public keys for signatures; nil has none.
type keySet struct{ keys []jose.JSONWebKey }

// parseKeys reads a JWK Set (RFC 7517, section 5). It leaves out keys of a kind that is not known, as the section says,
// and those that are not for signatures of the algorithms here.
func parseKeys(text []byte) (*keySet, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("read the set of keys: %w", err)
	}
	set := &keySet{}
	for _, text := range raw.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) != nil || !key.IsPublic() || !key.Valid() || key.Use != "" && key.Use != "sig" {
			continue
		}
		if public, is := key.Key.(*rsa.PublicKey); is && public.N.BitLen() < minRSA {
			continue
		}
		if set.keys = append(set.keys, key); len(set.keys) == maxKeys {
			break
		}
	}
	if len(set.keys) == 0 {
		return nil, errors.New("there is no public key for signatures in the set of keys")
	}
	return set, nil
}

// verify returns what is signed, nil if it is not by a key of the set. known means that the header names a key of the
// set; without a name all keys are tried.
func (s *keySet) verify(signed *jose.JSONWebSignature, header jose.Header) (payload []byte, known bool) {
	if s == nil {
		return nil, false
	}
	for i := range s.keys {
		key := &s.keys[i]
		if header.KeyID != "" && key.KeyID != header.KeyID || key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		known = true
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, true
		}
	}
	return nil, known
}

// current returns the keys. Who comes first after they became old asks for them anew; everybody else goes on with the old.
func (p *Provider) current(ctx context.Context) *keySet {
	p.mu.Lock()
	keys, old := p.keys, time.Since(p.tried) > refreshAfter
	p.mu.Unlock()
	if !old || keys == nil {
		return keys
	}
	select {
	case p.fetching <- struct{}{}:
		defer func() { <-p.fetching }()
		if newer, err := p.fetch(ctx); err == nil {
			return newer
		}
	default:
	}
	return keys
}

// newer returns the keys as the provider has them, or had them less than [RefetchAfter] ago. The fault Unusable means that
// it could not be asked.
func (p *Provider) newer(ctx context.Context) (*keySet, error) {
	select {
	case p.fetching <- struct{}{}:
		defer func() { <-p.fetching }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	keys, failed, since := p.keys, p.failed, time.Since(p.tried)
	p.mu.Unlock()
	switch {
	case since >= RefetchAfter:
		return p.fetch(ctx)
	case failed != nil:
		return nil, p.unreached(failed)
	}
	return keys, nil
}

// Fetch asks the provider for its keys. The fault is Unusable; keys of before still count then.
func (p *Provider) Fetch(ctx context.Context) error {
	p.fetching <- struct{}{}
	defer func() { <-p.fetching }()
	_, err := p.fetch(ctx)
	return err
}

// fetch asks the provider for its keys, and keeps them. There is one fetch at a time. It goes on when ctx is cancelled,
// since others wait for it.
func (p *Provider) fetch(ctx context.Context) (*keySet, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	defer cancel()
	text, err := p.download(ctx)
	var keys *keySet
	if err == nil {
		keys, err = parseKeys(text)
	}
	p.mu.Lock()
	before, had := p.failed, p.keys != nil
	p.tried, p.failed = time.Now(), err
	if err == nil {
		p.keys = keys
	}
	p.mu.Unlock()
	if err != nil {
		p.opts.Log.Warn("the identity provider is not reached", slog.String("issuer", p.opts.Issuer), slog.String("error", fault.Whole(err)), slog.Bool("older_keys_valid", had))
		return nil, p.unreached(err)
	}
	if before != nil || !had {
		p.opts.Log.Info("the identity provider is reached", slog.String("issuer", p.opts.Issuer), slog.Int("keys", len(keys.keys)))
	}
	if err := p.writeCache(text); err != nil {
		p.opts.Log.Warn("the keys of the identity provider are not kept for the next start", slog.String("error", err.Error()))
	}
	return keys, nil
}

func (p *Provider) unreached(err error) error {
	return fault.New(fault.Unusable, "the identity provider %s is not reached, so that its token cannot be checked; try again later, or show a token that the graph issued", p.opts.Issuer).Because(err)
}

// download returns the provider's JWK Set, which its metadata names.
func (p *Provider) download(ctx context.Context) ([]byte, error) {
	base := strings.TrimSuffix(p.opts.Issuer, "/")
	text, err := p.get(ctx, base+"/.well-known/openid-configuration")
	if err != nil { // RFC 8414, section 3: the path comes last
		path := strings.TrimSuffix(p.issuer.EscapedPath(), "/")
		var second error
		if text, second = p.get(ctx, strings.TrimSuffix(base, path)+"/.well-known/oauth-authorization-server"+path); second != nil {
			return nil, errors.Join(err, second)
		}
	}
	var of metadata
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	if of.Issuer != p.opts.Issuer {
		return nil, fmt.Errorf("the provider calls itself %q: give that as the issuer, as its tokens have it", of.Issuer)
	}
	p.mu.Lock()
	p.metadata = of
	p.mu.Unlock()
	return p.get(ctx, of.Keys)
}

// get returns what an address answers.
func (p *Provider) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err == nil {
		err = p.check(r.URL)
	}
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "trails")
	res, err := p.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // only read
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, res.Status)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", address, err)
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("%s answers more than %d bytes", address, maxAnswer)
	}
	return text, nil
}

// check refuses an address at which somebody on the way could give other keys.
func (p *Provider) check(u *url.URL) error {
	if u.Scheme == "https" || p.issuer.Scheme == "http" && safe(u) {
		return nil
	}
	return fmt.Errorf("%q is not https, and keys are taken from nowhere else", u)
}

func (p *Provider) checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > 3 {
		return errors.New("the provider redirects more than three times")
	}
	return p.check(r.URL)
}

// cacheFile is the file of the keys; its name is a hash, because an issuer has a path.
func (p *Provider) cacheFile() string {
	sum := sha256.Sum256([]byte(p.opts.Issuer))
	return filepath.Join(p.opts.Cache, hex.EncodeToString(sum[:12])+".json")
}

// readCache returns the keys that an earlier process kept, nil if there are none of late.
func (p *Provider) readCache() *keySet {
	if p.opts.Cache == "" {
		return nil
	}
	info, err := os.Stat(p.cacheFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var keys *keySet
	if err == nil && time.Since(info.ModTime()) < cacheLife && info.Size() <= maxAnswer {
		var text []byte
		if text, err = os.ReadFile(p.cacheFile()); err == nil {
			keys, err = parseKeys(text)
		}
	}
	if err != nil {
		p.opts.Log.Warn("the keys that were kept of the identity provider do not count", slog.String("error", err.Error()))
	}
	return keys
}

// writeCache keeps the keys for the next start.
func (p *Provider) writeCache(text []byte) error {
	if p.opts.Cache == "" {
		return nil
	}
	if err := os.MkdirAll(p.opts.Cache, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(p.opts.Cache, "*.tmp") // which the user alone may read and write
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.cacheFile())
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nothing else is to be done about it
	}
	return err
}
