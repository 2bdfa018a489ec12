package db

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/db/stmt"
	"trails/fault"
)

// grantSums is the table of grants.
var grantSums = summedTable{name: "grants", column: "sum", covers: "who gave what to which client", rows: "SELECT " + grantRow + `, sum
	FROM grants WHERE seq > ? ORDER BY seq LIMIT ? + 0`}

// grantRow are the columns of a grant that its digest covers: all.
const grantRow = "seq, person, members, client, host, title, issuer, redirect, challenge, code, family, refresh, until"

// grantValues are the values of [grantRow].
func grantValues(seq int64, g *policy.Grant) []any {
	until := int64(0)
	if !g.Until.IsZero() {
		until = g.Until.UnixMicro()
	}
	return []any{
		seq, g.Person, strings.Join(g.Groups, "\n"), g.Client, g.Host, g.Title, g.Issuer, g.Redirect, g.Challenge,
		g.Code[:], g.Family[:], g.Refresh[:], until,
	}
}

// grant reads the columns of [grantRow] but for the first, which begin at a column; nil without a grant.
func grant(s *stmt.Stmt, from int, name string) (*policy.Grant, error) {
	if s.ColumnText(from) == "" {
		return nil, nil
	}
	text := func(i int) string { return s.ColumnText(from + i) }
	g := &policy.Grant{Person: text(0), Client: text(2), Host: text(3), Title: text(4), Issuer: text(5), Redirect: text(6), Challenge: text(7)}
	if text(1) != "" {
		g.Groups = strings.Split(text(1), "\n")
	}
	for i, hash := range []*[sha256.Size]byte{&g.Code, &g.Family, &g.Refresh} {
		if copy(hash[:], s.Blob(from+8+i)) != sha256.Size {
			return nil, fault.New(fault.Unusable, "grant %s has no whole hash; verify says what is wrong", name)
		}
	}
	if s.ColumnInt64(from+11) != 0 {
		g.Until = s.Time(from + 11)
	}
	return g, nil
}

// addGrant adds the row of a grant beside that of its token.
func (c *conn) addGrant(seq int64, g *policy.Grant) error {
	row := grantValues(seq, g)
	return c.Exec("INSERT INTO grants ("+grantRow+", sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nil, append(row, grantSums.sum(nil, row...))...)
}

// ChangeGrant replaces what a grant's token has as its hash, its end and its revocation, and the secrets of the grant. A name
// of no grant is the fault Missing.
func (w *Writer) ChangeGrant(ctx context.Context, t policy.Token) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	return w.broken(ctx, "change grant", w.changeGrant(t))
}

func (w *Writer) changeGrant(t policy.Token) error {
	seq, err := w.conn.Int64("SELECT seq FROM tokens JOIN grants USING (seq) WHERE name = ?", t.Name)
	if err != nil {
		return err
	}
	if seq == 0 || t.Grant == nil {
		return noToken(t.Name)
	}
	row := tokenValues(seq, t)
	err = w.conn.Exec("UPDATE tokens SET hash = ?, expires = ?, revoked = ?, revoker = ?, sum = ? WHERE seq = ?", nil, row[2], row[7], row[8], row[9], tokenSums.sum(nil, row...), seq)
	if err != nil {
		return err
	}
	if err := w.conn.Exec("DELETE FROM grants WHERE seq = ?", nil, seq); err != nil {
		return err
	}
	return w.conn.addGrant(seq, t.Grant)
}

// ForgetGrants removes the grants that expired before a time, and those whose code nobody used until it expired, which is before
// now.
func (w *Writer) ForgetGrants(ctx context.Context, before, now time.Time) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	const ended = "SELECT seq FROM tokens JOIN grants USING (seq) WHERE expires < ? OR until = 0 AND expires < ?"
	err := w.conn.Exec("DELETE FROM tokens WHERE seq IN ("+ended+")", nil, before.UnixMicro(), now.UnixMicro())
	if err == nil {
		err = w.conn.Exec("DELETE FROM grants WHERE seq NOT IN (SELECT seq FROM tokens)", nil)
	}
	return w.broken(ctx, "forget grants", err)
}
