package auth

import (
	"cmp"
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
	// maxSignIns is how many browsers can be signed in; beyond it the one idle for the longest time is signed
	// out.
	maxSignIns = 1000
)

// signIns are the browsers that signed in with the token, by the hash of their cookie. They are lost when the
// process ends.
type signIns struct {
	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*signIn
}

type signIn struct {
	shown    proof            // the token, which is verified each time; zero for the operator,
	operator policy.Principal // who is this one
	used     time.Time
}

// SignIn returns the cookie for a browser whose user gave a token (see [Resolver.Verify]). Scripts and
// other sites cannot use it. It is valid for all the server's paths, because pages link to their data, and while the token is valid.
func (r *Resolver) SignIn(req *http.Request, secret string) *http.Cookie {
	return r.signIn(req, signIn{shown: r.proofOf(secret)})
}

func (r *Resolver) signIn(req *http.Request, in signIn) *http.Cookie {
	s := &r.signIns
	in.used = time.Now()
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
	s.byHash[sha256.Sum256([]byte(id))] = &in
	return r.cookie(req, id, int(signInIdle.Seconds()))
}

// SignedIn returns the user who signed in with the request's browser. The fault is that of the file.
func (r *Resolver) SignedIn(req *http.Request) (p policy.Principal, is bool, err error) {
	hash := r.cookieHash(req)
	it, is := r.signIns.find(hash)
	if !is && r.opts.Process != nil {
		return r.opts.Process.SignedIn(req)
	}
	if !is || it.shown == (proof{}) {
		return it.operator, is, nil
	}
	if p, is, err = r.verify(req.Context(), it.shown); !is && err == nil {
		r.signIns.end(hash)
	}
	return p, is, err
}

// cookieHash is the hash of the cookie of a sign-in, zero without one.
func (r *Resolver) cookieHash(req *http.Request) (hash [sha256.Size]byte) {
	cookie, err := req.Cookie(r.cookieName(req))
	if err != nil {
		return hash
	}
	return sha256.Sum256([]byte(cookie.Value))
}

// find returns a sign-in that was in use lately.
func (s *signIns) find(hash [sha256.Size]byte) (signIn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.byHash[hash]
	if !ok {
		return signIn{}, false
	}
	if time.Since(it.used) > signInIdle {
		delete(s.byHash, hash)
		return signIn{}, false
	}
	return *it, true
}

// use notes that a sign-in is in use now.
func (s *signIns) use(hash [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it, ok := s.byHash[hash]; ok {
		it.used = time.Now()
	}
}

func (s *signIns) end(hash [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byHash, hash)
}

// SignOut ends a sign-in, and returns the cookie that deletes the browser's. It is the one of the process, if the browser is
// not signed in to the graph alone.
func (r *Resolver) SignOut(req *http.Request) *http.Cookie {
	hash := r.cookieHash(req)
	if _, own := r.signIns.find(hash); !own && r.opts.Process != nil {
		return r.opts.Process.SignOut(req)
	}
	r.signIns.end(hash)
	return r.cookie(req, "", -1)
}

func (r *Resolver) cookie(req *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{Name: r.cookieName(req), Value: value, Path: cmp.Or(r.opts.Path, "/"), MaxAge: age, HttpOnly: true, Secure: Secure(req), SameSite: http.SameSiteStrictMode}
}

// cookieName returns a name unique to this server, because a browser sends a host's cookies to all its ports.
// Over TLS it has a prefix that keeps other hosts, or at least pages without TLS, from setting it (https://www.rfc-editor.org/rfc/rfc6265bis
// section 4.1.3.2).
func (r *Resolver) cookieName(req *http.Request) string {
	name := "trails-session"
	if r.opts.Instance != "" {
		name += "-" + cookieWord(r.opts.Instance)
	}
	switch {
	case !Secure(req):
		return name
	case r.opts.Path != "": // such a cookie may have a path
		return "__Secure-" + name
	}
	return "__Host-" + name
}

// cookieWord encodes text, one to one, for a cookie's name.
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
