package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
)

// filteredCommits finds the commits that fit a filter.
type filteredCommits struct {
	*invoke.Request
	asked        commitsFinding
	origin       *policy.Origin // nil for any
	since, until time.Time      // zero for no bound
	types        map[rdf.Term]bool
	calls        map[kg.Seq]*kg.Activity // of the commits that fit, where they were read
	looked       int                     // commits that were looked at
	rows         int64                   // changes that may be passed over for those of a type
}

// newCommitsFilter reads the arguments of a filter.
func newCommitsFilter(r *invoke.Request, asked commitsFinding) (*filteredCommits, error) {
	f := &filteredCommits{Request: r, asked: asked, rows: commitsRows, calls: map[kg.Seq]*kg.Activity{}}
	origin, wrong := view.OriginArgument(asked.Origin)
	if len(wrong) > 0 {
		return nil, fault.Arguments(wrong...)
	}
	f.origin = origin
	var err error
	if f.since, f.until, err = view.When(asked.When, r.Began()); err != nil {
		return nil, err
	}
	if asked.Type != "" {
		of, err := view.KnownType(r, asked.Type)
		if err != nil {
			return nil, err
		}
		f.types = map[rdf.Term]bool{of.IRI: true}
		for _, narrower := range r.Snapshot.Schema().Subtypes(of) {
			f.types[narrower.IRI] = true
		}
	}
	return f, nil
}

// start is the number before which commits are looked at; none reports that all were made later than what is asked for.
func (f *filteredCommits) start(ctx context.Context, before kg.Seq) (start kg.Seq, none bool, err error) {
	if f.until.IsZero() {
		return before, false, nil
	}
	last, err := f.Snapshot.FindCommit(ctx, f.until.Add(-time.Microsecond).Format(time.RFC3339Nano))
	if fault.Is(err, fault.Missing) {
		return 0, true, nil
	}
	if err != nil || before > 0 && before <= last.Seq {
		return before, false, err
	}
	return last.Seq + 1, false, nil
}

// all reports that every commit fits.
func (f *filteredCommits) all() bool {
	return f.asked.commitsFilter == commitsFilter{} && f.origin == nil
}

// commits reads up to limit commits that fit. The last one that was looked at is set if there may be more.
func (f *filteredCommits) commits(ctx context.Context, before kg.Seq, limit int, read func(context.Context, kg.Seq, int) ([]kg.Commit, error)) (list []kg.Commit, last kg.Commit, err error) {
	if f.all() {
		list, err = read(ctx, before, limit)
		return list, last, err
	}
	const page = 200
	for {
		commits, err := read(ctx, before, page)
		if err != nil {
			return nil, last, err
		}
		for _, c := range commits {
			if !f.since.IsZero() && c.Time.Before(f.since) {
				return list, kg.Commit{}, nil
			}
			fits, err := f.fits(ctx, c)
			if err != nil {
				return nil, last, err
			}
			if before, f.looked = c.Seq, f.looked+1; fits {
				list = append(list, c)
			} else {
				delete(f.calls, c.Seq)
			}
			if len(list) == limit {
				return list, kg.Commit{}, nil
			}
			if f.looked == commitsLooked || f.rows < 0 {
				return list, c, nil
			}
		}
		if len(commits) < page {
			return list, kg.Commit{}, nil
		}
	}
}

// fits reports whether a commit is one of those that are asked for, apart from when it was made first. What is read from the
// file is compared last.
func (f *filteredCommits) fits(ctx context.Context, c kg.Commit) (bool, error) {
	if !f.until.IsZero() && !c.Time.Before(f.until) || !strings.Contains(strings.ToLower(c.Author), strings.ToLower(f.asked.Author)) {
		return false, nil
	}
	if f.asked.Call != "" || f.asked.Door != "" {
		call, err := f.Snapshot.ActivityOf(ctx, c)
		f.calls[c.Seq] = call
		if err != nil || call == nil || f.asked.Call != "" && call.Capability != f.asked.Call || f.asked.Door != "" && view.DoorOf(call.Via) != f.asked.Door {
			return false, err
		}
	}
	if f.origin != nil {
		if origin, err := f.Snapshot.CommitOrigin(ctx, c); err != nil || origin != *f.origin {
			return false, err
		}
	}
	if f.types == nil {
		return true, nil
	}
	f.rows -= c.Added + c.Removed
	types, err := f.Snapshot.TypesTouched(ctx, c)
	for _, one := range types {
		if f.types[one] {
			return true, err
		}
	}
	return false, err
}

// warnOfNone says that no commit fits, what was asked for, and the way out.
func (f *filteredCommits) warnOfNone() {
	var asked []string
	for _, one := range []struct{ name, value string }{
		{"when", f.asked.When}, {"author", f.asked.Author}, {"type", f.asked.Type}, {"call", f.asked.Call}, {"origin", f.asked.Origin}, {"door", f.asked.Door},
	} {
		if one.value != "" {
			asked = append(asked, fmt.Sprintf("%s %.100q", one.name, one.value))
		}
	}
	head := f.Snapshot.Head()
	if len(asked) == 0 || head.Seq == 0 {
		return
	}
	text := fmt.Sprintf("no commit fits %s; %s looked at", strings.Join(asked, ", "), commitsWere(f.looked))
	if f.asked.When != "" {
		text += ", and the newest of all was made at " + head.Time.UTC().Format(time.RFC3339)
	}
	if f.asked.Call != "" {
		if _, err := f.Named(f.asked.Call); err != nil {
			text += fmt.Sprintf("; no capability is called %.100q now", f.asked.Call)
		}
	}
	f.Warn("%s; leave one of them out", text)
}

func commitsWere(n int) string {
	if n == 1 {
		return "1 commit was"
	}
	return fmt.Sprintf("%d commits were", n)
}
