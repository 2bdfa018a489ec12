package admin

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"trails/invoke"
)

// Bounds of the submitted forms.
const (
	maxSubmissions = 256
	argsKept       = 64 << 10 // bytes of arguments that a result page can show
)

// submissions remembers the last submitted forms: the result of each, for its page, and its condition, so that a form sent
// twice is the same call. The graph ensures that it happens only once; only the page can be forgotten.
type submissions struct {
	mu      sync.Mutex
	entries map[string]*list.Element
	recent  *list.List // of *submission, the latest first
}

// submission is one form by its key, open for one request at a time.
type submission struct {
	name   string
	alone  sync.Mutex
	digest string // of what was called; "" before that
	// ifCommit is the condition that the call was made under.
	ifCommit string
	args     json.RawMessage // nil when they are too long to show
	result   invoke.Result
	secret   string // that came with the result, until it is shown
}

func newSubmissions() *submissions {
	return &submissions{entries: map[string]*list.Element{}, recent: list.New()}
}

// open returns the entry of a principal's form, a new one if needed, and waits while others have it open; close it.
func (l *submissions) open(principal, key string) *submission {
	e := l.get(principal+"\x00"+key, true)
	e.alone.Lock()
	return e
}

func (e *submission) close() { e.alone.Unlock() }

// find returns a copy of the entry of a submitted form.
func (l *submissions) find(principal, key string) (args json.RawMessage, result invoke.Result, ok bool) {
	e := l.get(principal+"\x00"+key, false)
	if e == nil {
		return nil, invoke.Result{}, false
	}
	e.alone.Lock()
	defer e.alone.Unlock()
	return e.args, e.result, e.digest != ""
}

// takeSecret returns the secret in the result of a submitted form, once; after that it is "".
func (l *submissions) takeSecret(principal, key string) string {
	e := l.get(principal+"\x00"+key, false)
	if e == nil {
		return ""
	}
	e.alone.Lock()
	defer e.alone.Unlock()
	secret := e.secret
	e.secret = ""
	return secret
}

func (l *submissions) get(name string, make bool) *submission {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, ok := l.entries[name]; ok {
		l.recent.MoveToFront(at)
		return at.Value.(*submission)
	}
	if !make {
		return nil
	}
	e := &submission{name: name}
	l.entries[name] = l.recent.PushFront(e)
	if l.recent.Len() > maxSubmissions {
		last := l.recent.Back()
		delete(l.entries, last.Value.(*submission).name)
		l.recent.Remove(last)
	}
	return e
}

// finish records the result of the form.
func (e *submission) finish(digest, ifCommit string, args json.RawMessage, result invoke.Result) {
	e.digest, e.ifCommit, e.args, e.result = digest, ifCommit, args, result
	if len(args) > argsKept {
		e.args = nil
	}
}

// call makes the call of a form under its key, and keeps the result.
func (e *submission) call(a *asker, capability, key string, args json.RawMessage) (invoke.Result, error) {
	c := a.call
	c.Capability, c.Args, c.IdempotencyKey = capability, args, key
	result, err := a.engine.Call(a.ctx, c)
	if err == nil {
		e.finish(digestOf(capability, args), "", args, result)
	}
	return result, err
}

// digest names what the form asks for.
func (p *post) digest() string { return digestOf(p.capability.ID, p.object()) }

// digestOf names a call.
func digestOf(capability string, args json.RawMessage) string {
	sum := sha256.Sum256(append([]byte(capability+"\x00"), args...))
	return hex.EncodeToString(sum[:])
}
