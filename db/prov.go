package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// Activity is the record of one call: who did what, as a prov:Activity (https://www.w3.org/TR/prov-o/#Activity).
type Activity struct {
	// Seq is the number of the activity in this file. Recording sets it.
	Seq int64
	// ID is a UUID.
	ID                  string
	Capability, Version string
	Agent, Via          string
	Started, Ended      time.Time
	// Inputs is the digest of the call's arguments. The arguments are not stored.
	Inputs []byte
	// Outcome is ok, invalid, denied or failed; Error is the fault's kind, if any.
	Outcome, Error string
	TraceID        string
	CostMicros     int64
	// CommitSeq is the commit that the call made, 0 for none.
	CommitSeq history.Seq
	// DryRun marks a call that changed nothing and only showed what it would do.
	DryRun bool
	// Used and Generated are IRIs; the caller bounds their number.
	Used, Generated []string
}

// Refused reports that the call was invalid or denied, or failed.
func (a Activity) Refused() bool { return a.Outcome != outcomeOK }

const outcomeOK = "ok"

// ActivityFilter selects activities; a zero field selects all.
type ActivityFilter struct {
	// Before is an exclusive upper bound of Seq, for the next page.
	Before int64
	// Agent is who called, see [policy.AuthoredBy].
	Agent, Capability, Outcome string
	CommitSeq                  history.Seq
	// Refused selects those that were refused or failed and made no commit. The cost of finding them does not depend on
	// how many others there are.
	Refused bool
}

const insertActivity = `INSERT INTO prov
	(seq, id, capability, version, agent, via, started, ended, inputs, outcome, error, trace, cost, commit_seq, used, generated, dry_run, sum)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insertActivity records an activity, and returns the digest of its row.
func (c *conn) insertActivity(a Activity) (sum []byte, err error) {
	used, err := marshalIRIs(a.Used)
	if err != nil {
		return nil, err
	}
	generated, err := marshalIRIs(a.Generated)
	if err != nil {
		return nil, err
	}
	last, err := c.Int64("SELECT max(seq) FROM prov")
	if err != nil {
		return nil, err
	}
	dryRun := 0
	if a.DryRun {
		dryRun = 1
	}
	row := []any{
		last + 1, a.ID, a.Capability, a.Version, a.Agent, a.Via, a.Started.UnixMicro(), a.Ended.UnixMicro(), a.Inputs,
		a.Outcome, a.Error, a.TraceID, a.CostMicros, a.CommitSeq, used, generated, dryRun,
	}
	sum = provSums.sum(nil, row...)
	if err := c.Exec(insertActivity, nil, append(row, sum)...); err != nil {
		return nil, fmt.Errorf("record activity: %w", err)
	}
	return sum, c.useToken(a.Agent, a.Ended)
}

func marshalIRIs(list []string) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// AddActivity records an activity within the transaction, if there will be no commit; see [Writer.Keep].
func (w *Writer) AddActivity(ctx context.Context, a Activity) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	_, err := w.conn.insertActivity(a)
	return w.broken(ctx, "record activity", err)
}

// shortWait is how long work that can be tried again later waits for the write lock.
const shortWait = 50 * time.Millisecond

// Record stores activities that made no commit (reads and refusals), and those of [File.SetAside]. It does not wait
// behind a long write: the fault TimedOut says to try again later.
func (f *File) Record(ctx context.Context, batch []Activity) error {
	if len(batch) == 0 && !f.hasAside() {
		return nil
	}
	var found taken
	err := f.beside(ctx, "record", shortWait, func(c *conn) error {
		found = f.takeAside()
		return f.recordAll(c, found.activities, batch)
	})
	if err == nil {
		found.forget()
	}
	return err
}

// beside runs a small transaction without a commit. If another write takes longer than wait, the fault TimedOut says
// to try again later.
func (f *File) beside(ctx context.Context, op string, wait time.Duration, do func(*conn) error) error {
	patient, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := f.write.Acquire(patient, 1); err != nil {
		if ctx.Err() == nil {
			return fault.New(fault.TimedOut, "%s is being written to; try again", fault.Path(f.path))
		}
		return asFault(ctx, f.path, op, err)
	}
	defer f.write.Release(1)
	c, err := f.begin(ctx, wait, writing)
	if err != nil {
		return asFault(ctx, f.path, op, err)
	}
	if err = do(c); err == nil {
		err = f.commitSealed()
	}
	if err != nil {
		return asFault(ctx, f.path, op, errors.Join(err, c.End("ROLLBACK")))
	}
	f.shortenLogAfter()
	return nil
}

func (f *File) recordAll(c *conn, aside, batch []Activity) error {
	before, err := c.Int64("SELECT max(seq) FROM prov")
	if err != nil {
		return err
	}
	for _, a := range aside {
		known, err := c.Int64("SELECT count(*) FROM prov WHERE id = ?", a.ID)
		if err != nil {
			return err
		}
		if known > 0 {
			continue // a process took the file over, and was killed before it could delete it
		}
		if _, err := c.insertActivity(a); err != nil {
			return err
		}
	}
	for _, a := range batch {
		if _, err := c.insertActivity(a); err != nil {
			return err
		}
	}
	after := before + int64(len(aside)+len(batch))
	if after/pruneEvery == before/pruneEvery {
		return nil
	}
	if err := c.Exec(pruneReads, nil, f.opts.KeepActivities); err != nil {
		return err
	}
	return c.Exec(pruneRefusals, nil, f.opts.KeepRefusals)
}

// Old activities are deleted now and then, not with every batch. Refusals are counted apart from reads, so that many
// reads do not remove a refusal. Activities with a commit are never deleted.
const (
	pruneEvery = 1000
	pruneReads = `DELETE FROM prov INDEXED BY prov_reads WHERE commit_seq = 0 AND outcome = 'ok' AND seq <= (
		SELECT seq FROM prov INDEXED BY prov_reads WHERE commit_seq = 0 AND outcome = 'ok' ORDER BY seq DESC LIMIT 1 OFFSET ?)`
	pruneRefusals = `DELETE FROM prov INDEXED BY prov_refusals WHERE commit_seq = 0 AND outcome <> 'ok' AND seq <= (
		SELECT seq FROM prov INDEXED BY prov_refusals WHERE commit_seq = 0 AND outcome <> 'ok' ORDER BY seq DESC LIMIT 1 OFFSET ?)`
)

const activityColumns = `SELECT seq, id, capability, version, agent, via, started, ended, inputs,
	outcome, error, trace, cost, commit_seq, used, generated, dry_run FROM prov`

func scanActivity(s *stmt.Stmt) (Activity, error) {
	a := Activity{
		Seq: s.ColumnInt64(0), ID: s.ColumnText(1), Capability: s.ColumnText(2), Version: s.ColumnText(3),
		Agent: s.ColumnText(4), Via: s.ColumnText(5),
		Started: s.Time(6), Ended: s.Time(7), Inputs: s.Blob(8),
		Outcome: s.ColumnText(9), Error: s.ColumnText(10), TraceID: s.ColumnText(11),
		CostMicros: s.ColumnInt64(12), CommitSeq: s.Seq(13), DryRun: s.ColumnInt64(16) != 0,
	}
	if err := unmarshalIRIs(s, 14, &a.Used); err != nil {
		return a, err
	}
	return a, unmarshalIRIs(s, 15, &a.Generated)
}

func unmarshalIRIs(s *stmt.Stmt, column int, list *[]string) error {
	if s.ColumnIsNull(column) {
		return nil
	}
	if err := json.Unmarshal([]byte(s.ColumnText(column)), list); err != nil {
		return stmt.Damaged("activity %d has a list that cannot be read", s.ColumnInt64(0))
	}
	return nil
}

// Activities returns up to limit activities that match the filter, newest first.
func (r *Reader) Activities(ctx context.Context, filter ActivityFilter, limit int) ([]Activity, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "activities", err)
	}
	sql, args := filter.query(limit)
	var list []Activity
	err := r.conn.Exec(sql, func(s *stmt.Stmt) error {
		a, err := scanActivity(s)
		list = append(list, a)
		return err
	}, args...)
	return list, r.fail(ctx, "activities", err)
}

// authoredBy is [policy.AuthoredBy] of the agent; its name is every parameter.
const authoredBy = `(agent = ? OR substr(agent, 1, length(?) + 5) = ? || ' via '
	OR instr(?, ' via ') AND substr(agent, 1, length(?)) = ?
		AND (substr(agent, length(?) + 1) GLOB '[ /][0-9]*' OR substr(agent, length(?) + 1) GLOB '[ /]v[0-9]*'))`

func (a ActivityFilter) query(limit int) (sql string, args []any) {
	sql = activityColumns + " WHERE seq < ?"
	before := a.Before
	if before <= 0 {
		before = 1 << 62
	}
	args = append(args, before)
	if a.Refused {
		sql += " AND commit_seq = 0 AND outcome <> 'ok'"
	}
	if a.Agent != "" {
		sql += " AND " + authoredBy
		args = append(args, a.Agent, a.Agent, a.Agent, a.Agent, a.Agent, a.Agent, a.Agent, a.Agent)
	}
	for _, c := range []struct{ column, value string }{
		{"capability", a.Capability}, {"outcome", a.Outcome},
	} {
		if c.value != "" {
			sql += " AND " + c.column + " = ?"
			args = append(args, c.value)
		}
	}
	if a.CommitSeq != 0 {
		sql += " AND commit_seq = ? AND commit_seq <> 0"
		args = append(args, a.CommitSeq)
	}
	return sql + " ORDER BY seq DESC LIMIT ? + 0", append(args, limit)
}
