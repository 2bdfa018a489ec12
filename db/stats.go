package db

import (
	"context"
	"os"
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

// commitCount counts the commits of the view. As long as there is main alone, the last one has their number.
const commitCount = `SELECT CASE WHEN EXISTS (SELECT 1 FROM lines WHERE line > 1) THEN (SELECT count(*) FROM commits)
	ELSE (SELECT max(seq) FROM commits) END`

// Stats returns the sizes of the file. Its cost does not grow with the data.
func (r *Reader) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Quads: r.head.Quads}
	for _, q := range []struct {
		sql  string
		into *int64
	}{
		{"SELECT max(id) FROM terms", &s.Terms},
		{commitCount, &s.Commits},
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
