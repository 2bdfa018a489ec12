package db

import (
	"context"
	"os"
)

// Stats are a file's sizes.
type Stats struct {
	Quads, Terms, Commits, Activities int64
	// FileBytes and LogBytes are the sizes of the file and of its write-ahead log
	// now, not at the reader's time.
	FileBytes, LogBytes int64
	// LongLog is [Options.LongLog].
	LongLog                     int64
	Pages, FreePages, PageBytes int64
	// Artifacts are those that the file keeps, of all owners, and ArtifactBytes what they
	// take: equal bytes count once. What has expired counts until it is removed.
	Artifacts, ArtifactBytes int64
}

// Stats returns the file's sizes. Their cost does not grow with the data's.
func (r *Reader) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Quads: r.head.Quads}
	for _, q := range []struct {
		sql  string
		into *int64
	}{
		{"SELECT max(id) FROM terms", &s.Terms},
		{"SELECT max(seq) FROM commits", &s.Commits},
		{"SELECT max(seq) FROM prov", &s.Activities},
		{"PRAGMA page_count", &s.Pages},
		{"PRAGMA freelist_count", &s.FreePages},
		{"PRAGMA page_size", &s.PageBytes},
		{"SELECT count(*) FROM artifacts", &s.Artifacts},
		{"SELECT sum(size) FROM artifact_contents WHERE hash IS NOT NULL", &s.ArtifactBytes},
	} {
		n, err := r.number(ctx, "stats", q.sql)
		if err != nil {
			return s, err
		}
		*q.into = n
	}
	s.FileBytes, s.LogBytes = r.file.Sizes()
	s.LongLog = r.file.opts.LongLog
	return s, nil
}

// Sizes returns the bytes of the file and of its write-ahead log now.
func (f *File) Sizes() (file, log int64) { return sizeOf(f.path), f.logSize() }

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
