package session

import (
	"context"
	"encoding/json"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/auth/policy"
)

// BearerKey is the member of a request's _meta that carries the token where the
// protocol has no initialize (2026-07-28) and the transport no header (stdio).
const BearerKey = "trails/bearer"

// Sessionless is the first protocol version in which each request stands alone.
const Sessionless = "2026-07-28"

// stdioGate checks the token of a stdio session. Messages that it refuses never reach the SDK.
type stdioGate struct {
	auth *auth.Resolver
	mu   sync.Mutex
	open bool   // an initialize has come with the right token,
	with string // which was this one
}

// admit refuses a message without the token. In versions with a handshake an accepted initialize opens the session,
// and a refused one may be repeated; a request without sessions carries the token itself, for itself only. The token
// is removed here.
func (v *stdioGate) admit(ctx context.Context, m *Message) (policy.Principal, error) {
	shown := m.takeBearer()
	if m.Method == "initialize" {
		shown = bearerOf(m.member("clientInfo"))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	inSession := m.Method != "initialize" && !m.StandsAlone()
	if inSession && v.open {
		shown = v.with
	}
	p, known, err := v.auth.Local(ctx, shown)
	switch {
	case err != nil:
		return p, err
	case !known:
		return p, v.auth.RefuseLocal(ctx, OverStdio, shown)
	case inSession && !v.open && m.isCall() && v.auth.NeedsToken():
		return p, auth.Unauthenticated()
	case m.Method == "initialize":
		v.with, v.open = shown, true
	}
	return p, nil
}

// StandsAlone reports whether the request belongs to the protocol without sessions.
func (m Message) StandsAlone() bool {
	var version string
	_ = json.Unmarshal(m.meta()[sdk.MetaKeyProtocolVersion], &version) // what is no string is no version
	return version >= Sessionless
}

// takeBearer removes the token from params._meta and returns it.
func (m *Message) takeBearer() string {
	meta := m.meta()
	text, given := meta[BearerKey]
	if !given {
		return ""
	}
	var shown string
	_ = json.Unmarshal(text, &shown) // what is no string is no token
	delete(meta, BearerKey)
	m.Params["_meta"] = Marshal(meta)
	m.paramsText = Marshal(m.Params)
	return shown
}

// bearerOf returns clientInfo.authorization.bearer, "" when there is none.
func bearerOf(clientInfo json.RawMessage) string {
	var info struct {
		Authorization struct {
			Bearer string `json:"bearer"`
		} `json:"authorization"`
	}
	_ = json.Unmarshal(clientInfo, &info) // of another shape: no token
	return info.Authorization.Bearer
}
