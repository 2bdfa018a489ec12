package kg

import (
	"cmp"
	"context"
	"io"
	"slices"

	"trails/db/history"
	"trails/fault"
	"trails/kg/bundle"
)

// Bundling says what a bundle has.
type Bundling struct {
	// To names the commit or branch whose history it is, as [Snapshot.FindState] takes it; "" is that of the snapshot.
	To string
	// Without are commits whose histories are left out.
	Without []Commit
	// Compressed makes it a gzip file.
	Compressed bool
	Progress   func(Progress)
}

// Bundled is what a bundle contains.
type Bundled struct {
	Head    CommitID
	Commits int
	// Needs are the commits that a file must have to take it.
	Needs []CommitID
}

// Among returns those of some commits, by their whole ids, that the file has. It is for a reader who may see everything;
// for others it has none.
func (s *Snapshot) Among(ctx context.Context, ids []string) (list []Commit, err error) {
	for _, text := range ids {
		id, err := history.ParseCommitID(text)
		if err != nil {
			return nil, err
		}
		c, known, err := s.source.Known(ctx, id)
		if err != nil {
			return nil, err
		}
		if known && s.SeesAll() {
			list = append(list, c)
		}
	}
	return list, nil
}

// Landmarks returns the whole ids of some commits of each branch, at most maxLandmarks: its head, the commits 1, 2, 4 and
// so on before it, and the first one. A file that has the others finds among them one that both have, not far behind the
// last.
func (s *Snapshot) Landmarks(ctx context.Context) (ids []string, err error) {
	branches, err := s.source.Branches(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range branches {
		for n := int64(0); len(ids) < maxLandmarks; n = max(1, 2*n) {
			c, err := s.source.CommitOfBranch(ctx, b.Name, n)
			if fault.Is(err, fault.Missing) {
				break
			}
			if err != nil {
				return nil, err
			}
			ids = append(ids, c.ID.Whole())
		}
	}
	first, err := s.source.CommitBySeq(ctx, 1)
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	return append(ids, first.ID.Whole()), err
}

const maxLandmarks = 1000

// WriteBundle writes the history of a commit as a bundle, see package [bundle]. The same commits give the same
// bytes. It is the history of everybody, so a reader with rights is refused with fault.Denied.
func (s *Snapshot) WriteBundle(ctx context.Context, w io.Writer, b Bundling) (Bundled, error) {
	if !s.SeesAll() {
		return Bundled{}, fault.New(fault.Denied, "a bundle has whole commits, and you may see a part of the graph only; ask somebody who may see all")
	}
	head, branch, err := s.bundled(ctx, b.To)
	if err != nil {
		return Bundled{}, err
	}
	if head.ID.IsZero() {
		return Bundled{}, fault.New(fault.Precondition, "there is no commit yet, so there is nothing to bundle")
	}
	lineage, err := s.source.Lineage(ctx, head, b.Without)
	if err != nil {
		return Bundled{}, err
	}
	h := bundle.Header{Base: string(s.graph.Base()), Branch: branch, Head: head.ID.Whole(), Commits: len(lineage.Steps), Needs: []string{}}
	for _, id := range lineage.Needs {
		h.Needs = append(h.Needs, id.Whole())
	}
	if h.Commits == 0 {
		lineage.Needs, h.Needs = []CommitID{head.ID}, []string{h.Head}
	}
	out, err := bundle.NewWriter(w, h, b.Compressed)
	if err != nil {
		return Bundled{}, unwritten(err)
	}
	report := reporter(b.Progress, "bundle", "commits", int64(len(lineage.Steps)))
	for _, step := range lineage.Steps {
		c, err := s.source.CommitBySeq(ctx, step.Seq)
		if err != nil {
			return Bundled{}, err
		}
		if err := out.Record(bundle.RecordOf(c, step.Line)); err != nil {
			return Bundled{}, unwritten(err)
		}
		for line, err := range s.source.ChangeLines(ctx, c) {
			if err != nil {
				return Bundled{}, err
			}
			if err := out.Change(line); err != nil {
				return Bundled{}, unwritten(err)
			}
		}
		report(1)
	}
	return Bundled{Head: head.ID, Commits: h.Commits, Needs: lineage.Needs}, unwritten(out.Close())
}

// bundled returns the head of a bundle, and the branch that it is said to be of.
func (s *Snapshot) bundled(ctx context.Context, to string) (head Commit, branch string, err error) {
	if to == "" {
		return s.Head(), cmp.Or(s.source.Branch(), Main), nil
	}
	if head, err = s.FindState(ctx, to); err != nil {
		return head, "", err
	}
	list, err := s.source.Branches(ctx)
	if slices.ContainsFunc(list, func(b Branch) bool { return b.Name == to }) {
		return head, to, err
	}
	return head, cmp.Or(head.Branch, Main), err
}

// unwritten is the fault that a bundle cannot be written; nil for no error.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unusable, "the bundle cannot be written").Because(err)
}
