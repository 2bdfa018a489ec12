package invoke

import (
	"context"
	"encoding/json"
	"io"

	"trails/auth/policy"
	"trails/text/jsontext"
)

// spend reserves what the call needs of the budgets of the graph. Capabilities that answer whatever the file does are not
// counted, nor are those that say who may do what or end what a caller gave, so that what uses up a budget can be stopped.
// Long work also waits for its turn, in its handler (see [Request.InTurn]).
func (r *Request) spend(ctx context.Context) (err error) {
	c := r.Capability
	if c.PolicyRequired.Upstream { // it waits for somebody else, and takes nothing from others meanwhile
		r.place.Leave()
	}
	if r.Snapshot == nil || c.PolicyRequired.Action.Free() {
		return nil
	}
	r.hold, err = r.engine.budgets.Reserve(ctx, r.Snapshot, r.Principal, c.ID, int64(c.CostEstimate.Points()))
	if r.hold == nil {
		return err
	}
	if r.hold.Warning != "" {
		r.Warn("%s", r.hold.Warning)
	}
	if r.Output != nil {
		r.Output = &counted{Writer: r.Output, bytes: &r.streamed}
	}
	return err
}

// settle tells the budgets what the call used.
func (r *Request) settle() {
	if r.hold == nil {
		return
	}
	var used policy.Amounts
	used[policy.Seconds] = (r.engine.config.Now().Sub(r.activity.Started) - r.waited - r.place.Paused()).Microseconds()
	used[policy.Bytes] = r.streamed
	if r.hold.Measured[policy.Bytes] || r.hold.Measured[policy.Rows] {
		answer := []byte(r.result.Structured)
		if answer == nil && r.value != nil {
			answer, _ = jsontext.Marshal(r.value) // it was not encoded for the caller, and what cannot be is nothing
		}
		used[policy.Bytes] += int64(len(answer) + len(r.Document.Body))
		used[policy.Rows] = max(rowsOf(answer, r.Output != nil), rowsOf(r.Document.Body, false), r.Parts.Records)
	}
	r.hold.Settle(used)
}

// rowsOf returns how many entries the longest list of lists or objects among the members of an answer has; of a stream or
// a text, how many rows or triples the answer says that it had.
func rowsOf(answer []byte, streamed bool) (rows int64) {
	var members map[string]json.RawMessage
	if json.Unmarshal(answer, &members) != nil {
		return 0
	}
	for name, member := range members {
		var list []json.RawMessage
		var count int64
		switch {
		case json.Unmarshal(member, &list) == nil:
			if len(list) > 0 && (list[0][0] == '[' || list[0][0] == '{') { // not the names of columns
				count = int64(len(list))
			}
		case name == "triples" || streamed && name == "count":
			_ = json.Unmarshal(member, &count) // null is none
		}
		rows = max(rows, count)
	}
	return rows
}

// counted is an output that counts its bytes.
type counted struct {
	io.Writer
	bytes *int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	*c.bytes += int64(n)
	return n, err
}

// SettleBudgets gives back what this process has reserved of budgets and no call holds, and takes a new snapshot, so that
// a list of them is as exact as it can be.
func (r *Request) SettleBudgets(ctx context.Context) error {
	r.engine.budgets.Settle(ctx, true)
	r.Release()
	return r.pin(ctx)
}
