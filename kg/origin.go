package kg

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
)

// Origin is the class of source that a statement comes from; see [policy.Origin].
type Origin = policy.Origin

// origins collects where the content of a write comes from, besides its caller. The zero value is from nowhere else.
type origins struct {
	classes []policy.Origin // each once
	sources []string
}

// maxSources bounds the sources that provenance names for one write.
const maxSources = 100

func (o *origins) add(class policy.Origin, sources ...string) {
	if !slices.Contains(o.classes, class) {
		o.classes = append(o.classes, class)
	}
	for _, name := range sources {
		if name != "" && len(o.sources) < maxSources && !slices.Contains(o.sources, name) {
			o.sources = append(o.sources, name)
		}
	}
}

// lowers returns the session of a caller whose writes are of the lowest of these classes and of its own.
func (o *origins) lowers(s *Session) *Session {
	lower := *s
	for _, class := range o.classes {
		lower.principal.Origin = min(lower.principal.Origin, class)
	}
	return &lower
}

// used are the IRIs by which provenance has them. Of the classes only those count that lower what the activity is without.
func (o *origins) used(a Activity) (iris []string) {
	for _, class := range o.classes {
		if class < a.Origin() {
			iris = append(iris, class.IRI())
		}
	}
	for _, name := range o.sources {
		iris = append(iris, policy.SourceIRI(name))
	}
	return iris
}

// said adds the classes of the commits that added statements, as it passes their changes on. Changes that name no commit are
// of the last one.
func (o *origins) said(ctx context.Context, r *db.Reader, last Seq, changes iter.Seq2[db.Change, error]) iter.Seq2[db.Change, error] {
	known := map[Seq]bool{}
	return func(yield func(db.Change, error) bool) {
		for c, err := range changes {
			if by := cmp.Or(c.Seq, last); err == nil && c.Op == history.OpAdd && !known[by] {
				var class policy.Origin
				class, err = r.CommitOrigin(ctx, by)
				known[by] = true
				o.add(class)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}
