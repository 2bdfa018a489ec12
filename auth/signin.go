package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"trails/auth/policy"
)

const (
	// signInIdle is how long a browser stays signed in without a request.
	signInIdle = 12 * time.Hour
	// maxSignIns is how many browsers are signed in at once; the one that has been idle
	// longest makes room for another.
	maxSignIns = 1000
)

// signIns are the browsers whose person has shown the token in a form, by the hash of
// what their cookie holds. They end with the process.
type signIns struct {
	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*signIn
}

type signIn struct {
	principal policy.Principal
	used      time.Time
}

// SignIn returns the cookie for the browser of a person that showed the token (see
// [Resolver.Verify]), out of reach of scripts and of other sites. It is for all
// addresses: the pages link to the data behind them.
func (r *Resolver) SignIn(req *http.Request, p policy.Principal) *http.Cookie {
	s := &r.signIns
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byHash == nil {
		s.byHash = map[[sha256.Size]byte]*signIn{}
	}
	if len(s.byHash) >= maxSignIns {
		var oldest [sha256.Size]byte
		var used time.Time
		for hash, it := range s.byHash {
			if used.IsZero() || it.used.Before(used) {
				oldest, used = hash, it.used
			}
		}
		delete(s.byHash, oldest)
	}
	id := rand.Text() + rand.Text()
	s.byHash[sha256.Sum256([]byte(id))] = &signIn{p, time.Now()}
	return r.cookie(req, id, int(signInIdle.Seconds()))
}

// SignedIn returns who signed in with the browser that sent the request.
func (r *Resolver) SignedIn(req *http.Request) (policy.Principal, bool) {
	cookie, err := req.Cookie(r.cookieName(req))
	if err != nil {
		return policy.Principal{}, false
	}
	s := &r.signIns
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := sha256.Sum256([]byte(cookie.Value))
	it, ok := s.byHash[hash]
	if !ok {
		return policy.Principal{}, false
	}
	now := time.Now()
	if now.Sub(it.used) > signInIdle {
		delete(s.byHash, hash)
		return policy.Principal{}, false
	}
	it.used = now
	return it.principal, true
}

// SignOut ends what SignIn began, and returns the cookie that takes the browser's away.
func (r *Resolver) SignOut(req *http.Request) *http.Cookie {
	if cookie, err := req.Cookie(r.cookieName(req)); err == nil {
		r.signIns.mu.Lock()
		defer r.signIns.mu.Unlock()
		delete(r.signIns.byHash, sha256.Sum256([]byte(cookie.Value)))
	}
	return r.cookie(req, "", -1)
}

func (r *Resolver) cookie(req *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{Name: r.cookieName(req), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: Secure(req), SameSite: http.SameSiteStrictMode}
}

// cookieName is this server's own, because a browser sends a host's cookies to all of its
// ports; over TLS it is one that no neighbouring host name can set
// (https://www.rfc-editor.org/rfc/rfc6265bis section 4.1.3.2).
func (r *Resolver) cookieName(req *http.Request) string {
	name := "trails-session"
	if r.opts.Instance != "" {
		name += "-" + cookieWord(r.opts.Instance)
	}
	if Secure(req) {
		return "__Host-" + name
	}
	return name
}

// cookieWord is text as a part of a cookie's name, another one for each text.
func cookieWord(text string) string {
	plain := strings.Map(func(c rune) rune {
		if c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, text)
	if plain == text && len(text) <= 64 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return plain[:min(len(plain), 40)] + "." + hex.EncodeToString(sum[:8])
}
