package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/db/stmt"
	"trails/fault"
)

// tokenSums is the table of tokens.
var tokenSums = summedTable{name: "tokens", column: "sum", covers: "what was issued and revoked", rows: "SELECT " + tokenRow + `, sum
	FROM tokens WHERE seq > ? ORDER BY seq LIMIT ? + 0`}

// tokenRow are the columns of a token that its digest covers: all but the time of the last use.
const tokenRow = "seq, name, hash, scopes, members, created, creator, expires, revoked, revoker"

// maxTokens bounds the tokens of a file.
const maxTokens = 10_000

// useStep is how much later the next use of a token must be to be written down.
const useStep = time.Minute

// Tokens lists the tokens of the file in the order in which they were issued.
func (r *Reader) Tokens(ctx context.Context) (list []policy.Token, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "tokens", err)
	}
	list, err = r.conn.tokens("ORDER BY t.seq")
	return list, r.fail(ctx, "tokens", err)
}

// Token returns the token with a name; ok is false if there is none.
func (r *Reader) Token(ctx context.Context, name string) (t policy.Token, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return t, false, r.fail(ctx, "token", err)
	}
	return r.conn.token(name)
}

// HasTokens reports whether the file has any token, also a revoked one.
func (r *Reader) HasTokens(ctx context.Context) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, r.fail(ctx, "tokens", err)
	}
	any, err := r.conn.Int64("SELECT EXISTS (SELECT 1 FROM tokens)")
	return any != 0, r.fail(ctx, "tokens", err)
}

func (c *conn) token(name string) (t policy.Token, ok bool, err error) {
	list, err := c.tokens("WHERE name = ?", name)
	if err != nil || len(list) == 0 {
		return t, false, err
	}
	return list[0], true, nil
}

func (c *conn) tokens(where string, args ...any) (list []policy.Token, err error) {
	err = c.Exec("SELECT name, hash, scopes, t.members, created, creator, expires, revoked, revoker, used, person, g.members, client, host, title, issuer, redirect, challenge, code, family, refresh, until "+
		"FROM tokens t LEFT JOIN grants g ON g.seq = t.seq "+where, func(s *stmt.Stmt) error {
		t := policy.Token{Name: s.ColumnText(0), Created: s.Time(4), Creator: s.ColumnText(5), Revoker: s.ColumnText(8)}
		if copy(t.Hash[:], s.Blob(1)) != sha256.Size {
			return fault.New(fault.Unusable, "token %s has no whole hash; verify says what is wrong", t.Name)
		}
		if t.Scopes, err = policy.ParseScopes(s.ColumnText(2)); err != nil {
			return err
		}
		t.Groups = strings.Fields(s.ColumnText(3))
		for column, at := range map[int]*time.Time{6: &t.Expires, 7: &t.Revoked, 9: &t.Used} {
			if s.ColumnInt64(column) != 0 {
				*at = s.Time(column)
			}
		}
		if t.Grant, err = grant(s, 10, t.Name); err != nil {
			return err
		}
		list = append(list, t)
		return nil
	}, args...)
	return list, err
}

// AddToken issues a token, of which it takes the name, the hash, scopes, groups, the grant, the creator and the times Created
// and Expires. A name that the file has, also of a revoked token, is the fault Conflict.
func (w *Writer) AddToken(ctx context.Context, t policy.Token) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	return w.broken(ctx, "issue token", w.addToken(t))
}

func (w *Writer) addToken(t policy.Token) error {
	switch was, ok, err := w.conn.token(t.Name); {
	case err != nil:
		return err
	case ok && !was.Revoked.IsZero():
		return fault.New(fault.Conflict, "token %s was revoked; take another name, so that what each did stays apart", t.Name)
	case ok:
		return fault.New(fault.Conflict, "there is a token %s; take another name, or revoke it first", t.Name)
	}
	last, err := w.conn.Int64("SELECT max(seq) FROM tokens")
	if err != nil {
		return err
	}
	count, err := w.conn.Int64("SELECT count(*) FROM tokens")
	if err != nil {
		return err
	}
	if count >= maxTokens {
		return fault.New(fault.TooLarge, "a file has at most %d tokens; forget some that are revoked", maxTokens)
	}
	t.Revoked, t.Revoker = time.Time{}, ""
	row := tokenValues(last+1, t)
	err = w.conn.Exec("INSERT INTO tokens ("+tokenRow+", sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nil, append(row, tokenSums.sum(nil, row...))...)
	if err != nil || t.Grant == nil {
		return err
	}
	return w.conn.addGrant(last+1, t.Grant)
}

// tokenValues are the values of [tokenRow].
func tokenValues(seq int64, t policy.Token) []any {
	micros := func(at time.Time) int64 {
		if at.IsZero() {
			return 0
		}
		return at.UnixMicro()
	}
	return []any{
		seq, t.Name, bytes.Clone(t.Hash[:]), strings.Join(t.Scopes.List(), ","), strings.Join(t.Groups, " "), t.Created.UnixMicro(), t.Creator,
		micros(t.Expires), micros(t.Revoked), t.Revoker,
	}
}

// RevokeToken ends the validity of a token, and returns it as it is then. One that was revoked before stays as it is. An
// unknown one is the fault Missing.
func (w *Writer) RevokeToken(ctx context.Context, name, revoker string, at time.Time) (t policy.Token, err error) {
	if err := w.usable(ctx); err != nil {
		return t, err
	}
	t, err = w.revokeToken(name, revoker, at)
	return t, w.broken(ctx, "revoke token", err)
}

func (w *Writer) revokeToken(name, revoker string, at time.Time) (t policy.Token, err error) {
	var row []any
	err = w.conn.Exec("SELECT "+tokenRow+" FROM tokens WHERE name = ?", func(s *stmt.Stmt) error {
		row = s.Values(10)
		return nil
	}, name)
	switch {
	case err != nil:
		return t, err
	case row == nil:
		return t, noToken(name)
	case row[8] == int64(0):
		row = append(row[:8], at.UnixMicro(), revoker)
		err = w.conn.Exec("UPDATE tokens SET revoked = ?, revoker = ?, sum = ? WHERE name = ?", nil, row[8], row[9], tokenSums.sum(nil, row...), name)
		if err != nil {
			return t, err
		}
	}
	t, _, err = w.conn.token(name)
	return t, err
}

// ForgetToken removes a token, whose name may be given again. An unknown one is the fault Missing.
func (w *Writer) ForgetToken(ctx context.Context, name string) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	err := w.conn.Exec("DELETE FROM grants WHERE seq = (SELECT seq FROM tokens WHERE name = ?)", nil, name)
	if err == nil {
		err = w.conn.Exec("DELETE FROM tokens WHERE name = ?", nil, name)
	}
	if err == nil && w.conn.Changes() == 0 {
		err = noToken(name)
	}
	return w.broken(ctx, "forget token", err)
}

func noToken(name string) error {
	return fault.New(fault.Missing, "there is no token %q; token list has them", name)
}

// useToken writes down the use of a token by a recorded call, unless that was done a moment before. The agent of a call with
// a grant ends with its name.
func (c *conn) useToken(agent string, at time.Time) error {
	id, _, _ := strings.Cut(agent, " ")
	name, is := strings.CutPrefix(id, policy.TokenActor)
	if granted := policy.GrantIn(agent); granted != "" {
		name, is = granted, true
	}
	if !is {
		return nil
	}
	return c.Exec("UPDATE tokens SET used = ? WHERE name = ? AND used < ?", nil, at.UnixMicro(), name, at.Add(-useStep).UnixMicro())
}
