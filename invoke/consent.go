package invoke

import (
	"context"
	"fmt"
	"time"

	"trails/capability"
	"trails/fault"
	"trails/kg"
	"trails/text/quote"
)

// Loss is what a call of a capability that requires consent would remove.
type Loss struct {
	// Head is the commit for which this was computed.
	Head kg.Commit
	// Act says what the call does, and What says what it removes: "mode overwrite",
	// "2 nodes: 2 of Note".
	Act, What string
	// Removes counts statements or nodes.
	Removes int64
	// Question is what the person is asked.
	Question string
}

// Loses computes what a call would remove, and changes nothing. It returns nil for nothing, or if the handler has
// other reasons to refuse the call. It may leave what it has read in [Request.Prepared].
type Loses func(context.Context, *Request, kg.ChangeSet) (*Loss, error)

// askPatience is how long a person may think about a question.
const askPatience = 5 * time.Minute

// consent asks the person behind the caller before a capability that requires it removes something. A yes is valid
// for the head that was asked about; any other answer refuses the call. If nobody can be asked the call goes on: then
// the arguments are the consent, and the handler says what they must allow.
func (r *Request) consent(ctx context.Context) error {
	if r.Capability.Keeps && r.Args.Flag(capability.Ask) {
		return r.beginAsking(ctx)
	}
	if r.Capability.Loses == nil || r.Ask == nil || r.Args.Flag("dry_run") || r.Args.Flag("plan") {
		return nil
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil //nolint:nilerr // the handler says it, together with what else is wrong
	}
	if settled, err := r.Snapshot.Settles(ctx, r.Session(), set); settled || err != nil {
		return err
	}
	before := r.Snapshot.Head()
	loss, err := r.Capability.Loses(ctx, r, set)
	if err != nil {
		return err
	}
	if loss != nil {
		before = loss.Head
		if err := r.agree(ctx, r.Ask, loss); err != nil {
			return err
		}
		r.agreedAt = &before.ID
	}
	if r.Snapshot != nil {
		return nil
	}
	return r.resume(ctx, before, loss != nil)
}

// resume takes a new snapshot after a question or a long operation. The schema must be unchanged and, after a
// question, the head as well.
func (r *Request) resume(ctx context.Context, before kg.Commit, asked bool) error {
	if err := r.pin(ctx); err != nil {
		return err
	}
	switch now := r.Snapshot.Head(); {
	case asked && now.ID != before.ID:
		return fault.New(fault.Precondition, "the head moved from %s to %s while the question was open; read again and repeat", before.ID, now.ID).
			With("head", now.ID.String())
	case now.SchemaSeq != before.SchemaSeq:
		return fault.New(fault.Conflict, "the schema changed while the call was prepared; repeat it")
	}
	return nil
}

// asker puts a question to a person.
type asker func(context.Context, Question) (bool, error)

// agreeMass asks the person about a change that was refused because it removes too much, and prepares the request for
// another try on the same head. It returns false if nobody can be asked.
func (r *Request) agreeMass(ctx context.Context, m *kg.MassChange) (bool, error) {
	ask := asker(r.call.AskMass)
	if ask == nil {
		ask = r.Ask
	}
	if ask == nil {
		return false, nil
	}
	what := fmt.Sprintf("%d statements", m.Removes)
	err := r.agree(ctx, ask, &Loss{
		Head: m.Head, Act: r.Capability.ID, What: what, Removes: m.Removes,
		Question: fmt.Sprintf("In the graph %s at commit %s %s. The history keeps what goes. Go on?", quote.Text(r.engine.graph.Name(), 40), m.Head.ID.String(), m.Error()),
	})
	if err != nil {
		return false, err
	}
	r.agreedAt = &m.Head.ID
	return true, r.resume(ctx, m.Head, true)
}

// agree asks the person. No answer in time, or an unreadable one, is a no. Nothing is locked, and no snapshot is open
// meanwhile.
func (r *Request) agree(ctx context.Context, ask asker, loss *Loss) error {
	r.Release()
	patience, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	yes, err := ask(patience, Question{Message: loss.Question})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !yes || err != nil:
		return r.orAsk(fault.New(fault.Conflict, "%s would remove %s; it was not confirmed, and nothing was changed", loss.Act, loss.What).
			With("removes", loss.Removes))
	}
	return nil
}
