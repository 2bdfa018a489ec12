package kg

import (
	"context"
	"io"
	"slices"

	"trails/fault"
	"trails/kg/bundle"
)

// Bundling says what a bundle has besides the head of the snapshot.
type Bundling struct {
	// Without are commits whose histories are left out.
	Without []Commit
	// Compressed makes it a gzip file.
	Compressed bool
	Progress   func(Progress)
}

// Bundled is what a bundle contains.
type Bundled struct {
	Head, Base string
	Commits    int
	// Needs are the commits that a file must have to take it.
	Needs []string
}

// WriteBundle writes the history of the snapshot's head as a bundle, see package [bundle]. The same commits give the same
// bytes. It is the history of everybody, so a reader with rights is refused with fault.Denied.
func (s *Snapshot) WriteBundle(ctx context.Context, w io.Writer, b Bundling) (Bundled, error) {
	head := s.Head()
	switch {
	case !s.SeesAll():
		return Bundled{}, fault.New(fault.Denied, "a bundle has whole commits, and you may see a part of the graph only; ask somebody who may see all")
	case head.ID.IsZero():
		return Bundled{}, fault.New(fault.Precondition, "there is no commit yet, so there is nothing to bundle")
	}
	lineage, err := s.source.Lineage(ctx, head, b.Without)
	if err != nil {
		return Bundled{}, err
	}
	h := bundle.Header{Base: string(s.graph.Base()), Branch: s.source.Branch(), Head: head.ID.Whole(), Commits: len(lineage.Steps), Needs: []string{}}
	for _, id := range lineage.Needs {
		h.Needs = append(h.Needs, id.Whole())
	}
	if h.Commits == 0 {
		h.Needs = []string{h.Head}
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
	return Bundled{Head: h.Head, Base: h.Base, Commits: h.Commits, Needs: slices.Clone(h.Needs)}, unwritten(out.Close())
}

// unwritten is the fault that a bundle cannot be written; nil for no error.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unusable, "the bundle cannot be written").Because(err)
}
