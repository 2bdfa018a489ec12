package db

import (
	"context"
	"os"

	"trails/db/leaf"
)

// Stats are the sizes of a file.
type Stats struct {
	Quads, Terms, Commits, Activities int64
	// FileBytes and LogBytes are the current sizes of the file and of its write-ahead log, not those at the time of
	// the reader.
	FileBytes, LogBytes int64
	// LongLog is [Options.LongLog].
	LongLog                     int64
	Pages, FreePages, PageBytes int64
	// Artifacts is the number of artifacts of all owners, and ArtifactBytes their size; equal content counts once.
	// Expired artifacts count until they are removed.
	Artifacts, ArtifactBytes int64
}

// commitCount counts the commits of the view. As long as there is main alone, and all of it may be seen, the last one
// has their number.
func (r *Reader) commitCount() string {
	if r.conn.sight != nil {
		return "SELECT count(*) FROM commits"
	}
	return `SELECT CASE WHEN EXISTS (SELECT 1 FROM lines WHERE line > 1) THEN (SELECT count(*) FROM commits)
		ELSE (SELECT max(seq) FROM commits) END`
}

// Quads returns the number of statements of the view. For a reader who may not see everything they are counted.
func (r *Reader) Quads(ctx context.Context) (int64, error) {
	if r.conn.sight == nil {
		return r.head.Quads, nil
	}
	return r.number(ctx, "statements", leaf.Count)
}

// IsEmpty reports whether the view has no statement.
func (r *Reader) IsEmpty(ctx context.Context) (bool, error) {
	if r.conn.sight == nil {
		return r.head.Quads == 0, nil
	}
	n, err := r.number(ctx, "statements", leaf.IsAny)
	return n == 0, err
}

// Stats returns the sizes of the file. Its cost does not grow with the data, unless the reader may not see everything.
func (r *Reader) Stats(ctx context.Context) (s Stats, err error) {
	if s.Quads, err = r.Quads(ctx); err != nil {
		return s, err
	}
	for _, q := range []struct {
		sql  string
		into *int64
	}{
		{"SELECT max(id) FROM terms", &s.Terms},
		{r.commitCount(), &s.Commits},
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

// Sizes returns the current sizes of the file and of its write-ahead log.
func (f *File) Sizes() (file, log int64) { return sizeOf(f.path), f.logSize() }

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
