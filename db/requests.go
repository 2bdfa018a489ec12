package db

import (
	"context"
	"time"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// A request is a call that waits for somebody who may decide, as a row of requests. It names the branch that the call
// would change and the commit that it would merge, if any, both as they were when it was asked for; when either branch has
// moved, it has lapsed. See docs/decisions/0130-requests.md and 0157-calls-that-wait.md.

// RequestState is what became of a request.
type RequestState string

// The states. Pending and Lapsed are both stored as Pending.
const (
	Pending  RequestState = "pending"
	Lapsed   RequestState = "lapsed"
	Done     RequestState = "done"
	Declined RequestState = "declined"
)

// Request is a call that waits for a decision, or waited for one.
type Request struct {
	// Number identifies it in the file.
	Number int64
	// Capability is what was called, with the arguments as a JSON object.
	Capability, Args string
	// Branch is the branch that the call changes, "" if it is gone, and Head its head at the time of asking.
	Branch string
	Head   history.Commit
	// SourceBranch is the branch whose commit Source is merged; "" if it is gone, or the commit was named itself. A call that
	// is no merge has neither.
	SourceBranch string
	Source       history.Commit
	// Agent asked for it, at the time Asked.
	Agent string
	Asked time.Time
	State RequestState
	// Decider decided at the time Decided, for this reason; Commit is what was committed, the zero Commit for none.
	Decider string
	Decided time.Time
	Reason  string
	Commit  history.Commit
}

// requestSums is the table of requests.
var requestSums = summedTable{name: "requests", column: "sum", covers: "what was asked and decided", rows: "SELECT " + requestRow + `, sum
	FROM requests WHERE seq > ? ORDER BY seq LIMIT ? + 0`}

// requestRow are the columns of a request that its digest covers.
const requestRow = "seq, capability, args, line, head, source_line, source, agent, asked, state, decider, decided, reason, commit_seq"

// maxPending bounds the requests of a file that wait for a decision, maxOfAgent those of one agent, so that one cannot
// take all places, and maxLooked those among which DecidedBefore looks.
const maxPending, maxOfAgent, maxLooked = 1000, 100, 1000

// Requests lists up to limit requests with numbers less than before, the newest first; 0 starts at the newest. With
// pending it lists those that wait for a decision or have lapsed.
func (r *Reader) Requests(ctx context.Context, pending bool, before int64, limit int) ([]Request, error) {
	if before <= 0 {
		before = 1 << 62
	}
	if pending {
		return r.requests(ctx, "WHERE q.seq < ? AND q.state = 'pending' ORDER BY q.seq DESC LIMIT ? + 0", before, limit)
	}
	return r.requests(ctx, "WHERE q.seq < ? ORDER BY q.seq DESC LIMIT ? + 0", before, limit)
}

// Request returns the request with a number, or the fault Missing.
func (r *Reader) Request(ctx context.Context, number int64) (Request, error) {
	list, err := r.requests(ctx, "WHERE q.seq = ?", number)
	if err == nil && len(list) == 0 {
		err = fault.New(fault.Missing, "no request %d; requests_list has them", number)
	}
	return append(list, Request{})[0], err
}

// Over is the fault Conflict that says what became of the request; nil while nobody has decided it.
func (q *Request) Over() error {
	if q.Decider == "" {
		return nil
	}
	return fault.New(fault.Conflict, "request %d is %s since %s, by %s", q.Number, q.State, q.Decided.UTC().Format(time.DateTime), q.Decider).With("state", string(q.State))
}

// DecidedBefore is the fault Conflict if an agent asked for the same call before and that was decided: a call with the
// same capability and arguments, of the same source commit if it merges one, on the reader's branch. The fault says what
// became of the newest request for it, and how to ask once more. It is nil if there is none among the newest 1,000
// requests, or if one that was stored later waits at the head of the branch. A merge that was declined on another head is
// another merge.
func (r *Reader) DecidedBefore(ctx context.Context, agent, capability, args string, source history.Commit) error {
	if err := r.ready(ctx); err != nil {
		return r.fail(ctx, "requests", err)
	}
	line, err := r.conn.lineOf(r.branch)
	if err != nil {
		return r.fail(ctx, "requests", err)
	}
	list, err := r.requests(ctx, `WHERE q.seq = (SELECT seq FROM requests WHERE seq > (SELECT max(seq) FROM requests) - ? AND capability = ? AND args = ?
		AND line = ? AND source = ? AND agent = ? AND (head = ? OR state = 'done' OR state = 'declined' AND source = 0) ORDER BY seq DESC LIMIT 1)`,
		maxLooked, capability, args, line, source.Seq, agent, r.head.Seq)
	if err != nil || len(list) == 0 || list[0].Decider == "" {
		return err
	}
	q := &list[0]
	f := fault.New(fault.Conflict, "request %d asked for the same, and is %s since %s, by %s; nobody is asked again for the same call, and one with another message is a new request",
		q.Number, q.State, q.Decided.UTC().Format(time.DateTime), q.Decider).With("state", string(q.State)).With("reason", q.Reason)
	if q.Commit.Seq != 0 {
		f = f.With("commit", q.Commit.ID.String())
	}
	return f
}

func (r *Reader) requests(ctx context.Context, where string, args ...any) (list []Request, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "requests", err)
	}
	const columns = `SELECT q.seq, q.capability, q.args, q.agent, q.asked, q.state, q.decider, q.decided, q.reason, q.head, q.source, q.commit_seq,
		coalesce(l.name, ''), coalesce(s.name, ''), l.name IS NULL OR l.head <> q.head, q.source_line <> 0 AND (s.name IS NULL OR s.head <> q.source)
		FROM requests q LEFT JOIN lines l ON l.line = q.line LEFT JOIN lines s ON s.line = q.source_line `
	err = r.conn.Exec(columns+where, func(s *stmt.Stmt) error {
		q := Request{
			Number: s.ColumnInt64(0), Capability: s.ColumnText(1), Args: s.ColumnText(2), Agent: s.ColumnText(3), Asked: s.Time(4),
			State: RequestState(s.ColumnText(5)), Decider: s.ColumnText(6), Reason: s.ColumnText(8),
			Head: history.Commit{Seq: s.Seq(9)}, Source: history.Commit{Seq: s.Seq(10)}, Commit: history.Commit{Seq: s.Seq(11)},
			Branch: s.ColumnText(12), SourceBranch: s.ColumnText(13),
		}
		if q.State == Pending && (s.ColumnBool(14) || s.ColumnBool(15)) {
			q.State = Lapsed
		}
		if s.ColumnInt64(7) != 0 {
			q.Decided = s.Time(7)
		}
		list = append(list, q)
		return nil
	}, args...)
	for i := range list {
		for _, c := range []*history.Commit{&list[i].Head, &list[i].Source, &list[i].Commit} {
			if err == nil && c.Seq != 0 {
				*c, err = r.conn.numbered(c.Seq)
			}
		}
	}
	return list, r.fail(ctx, "requests", err)
}

// AddRequest stores a request to change the branch of the transaction, as it is now, and returns its number. Of the
// request it takes the capability, the arguments, Source, SourceBranch, the agent and the time.
func (w *Writer) AddRequest(ctx context.Context, q Request) (number int64, err error) {
	if err := w.usable(ctx); err != nil {
		return 0, err
	}
	number, err = w.addRequest(q)
	return number, w.broken(ctx, "ask", err)
}

func (w *Writer) addRequest(q Request) (number int64, err error) {
	var source int64
	if q.SourceBranch != "" {
		if source, err = w.conn.lineOf(q.SourceBranch); err != nil {
			return 0, err
		}
	}
	number, err = w.conn.Int64(`SELECT seq FROM requests INDEXED BY requests_pending WHERE state = 'pending'
		AND capability = ? AND args = ? AND line = ? AND head = ? AND source_line = ? AND source = ? AND agent = ?`,
		q.Capability, q.Args, w.line, w.head.Seq, source, q.Source.Seq, q.Agent)
	if err != nil || number != 0 {
		return number, err
	}
	pending, err := w.conn.Int64("SELECT count(*) FROM requests INDEXED BY requests_pending WHERE state = 'pending'")
	if err != nil {
		return 0, err
	}
	if pending >= maxPending {
		return 0, fault.New(fault.TooLarge, "%d requests wait for a decision, and a file has no more; requests_decide decides them", pending)
	}
	if pending, err = w.conn.Int64("SELECT count(*) FROM requests INDEXED BY requests_pending WHERE state = 'pending' AND agent = ?", q.Agent); err != nil {
		return 0, err
	}
	if pending >= maxOfAgent {
		return 0, fault.New(fault.TooLarge, "%d requests of %s wait for a decision, and one agent has no more; requests_list has them, and requests_decide with decision: decline takes back those that are not needed", pending, q.Agent)
	}
	last, err := w.conn.Int64("SELECT max(seq) FROM requests")
	if err != nil {
		return 0, err
	}
	row := []any{last + 1, q.Capability, q.Args, w.line, w.head.Seq, source, q.Source.Seq, q.Agent, q.Asked.UnixMicro(), string(Pending), "", 0, "", 0}
	return last + 1, w.conn.Exec("INSERT INTO requests ("+requestRow+", sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nil,
		append(row, requestSums.sum(nil, row...))...)
}

// DecideRequest stores what became of a request: State, Decider, Decided and Reason. A request that is Done is of the
// commit that the transaction makes next, if it makes one. One that was decided before is the fault Conflict.
func (w *Writer) DecideRequest(ctx context.Context, q Request, commits bool) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	was, err := w.Request(ctx, q.Number)
	if err != nil {
		return err
	}
	if err := was.Over(); err != nil {
		return err
	}
	return w.broken(ctx, "decide", w.decideRequest(q, commits))
}

func (w *Writer) decideRequest(q Request, commits bool) error {
	var row []any
	err := w.conn.Exec("SELECT "+requestRow+" FROM requests WHERE seq = ?", func(s *stmt.Stmt) error {
		row = s.Values(14)
		return nil
	}, q.Number)
	if err != nil {
		return err
	}
	seq := history.Seq(0)
	if commits {
		seq = w.seq
	}
	row = append(row[:9], string(q.State), q.Decider, q.Decided.UnixMicro(), q.Reason, seq)
	return w.conn.Exec("UPDATE requests SET state = ?, decider = ?, decided = ?, reason = ?, commit_seq = ?, sum = ? WHERE seq = ?", nil,
		append(row[9:14:14], requestSums.sum(nil, row...), q.Number)...)
}
