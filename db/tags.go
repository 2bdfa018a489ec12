package db

import (
	"context"
	"time"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// Tag is a name of a commit, which it keeps until it is removed.
type Tag struct {
	Name   string
	Commit history.Commit
	// Author gave the name, at this time.
	Author string
	Time   time.Time
}

// tagSums is the table of tags.
var tagSums = summedTable{name: "tags", column: "sum", covers: "the name and its commit", rows: `SELECT seq, name, commit_seq, ts, author, sum
	FROM tags WHERE seq > ? ORDER BY seq LIMIT ? + 0`}

// maxTags bounds the tags of a file.
const maxTags = 10_000

// Tags lists the tags in the order in which they were made. A reader with rights sees those of the commits that it sees.
func (r *Reader) Tags(ctx context.Context) (list []Tag, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "tags", err)
	}
	return r.tags("ORDER BY seq")
}

// CommitOfTag returns the commit with this tag; ok is false if there is no such tag.
func (r *Reader) CommitOfTag(ctx context.Context, name string) (c history.Commit, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return c, false, r.fail(ctx, "tag", err)
	}
	list, err := r.tags("WHERE name = ?", name)
	if err != nil || len(list) == 0 {
		return c, false, r.fail(ctx, "tag", err)
	}
	return list[0].Commit, true, nil
}

func (r *Reader) tags(where string, args ...any) (list []Tag, err error) {
	err = r.conn.Exec("SELECT name, commit_seq, ts, author FROM tags "+where, func(s *stmt.Stmt) error {
		list = append(list, Tag{Name: s.ColumnText(0), Commit: history.Commit{Seq: s.Seq(1)}, Time: s.Time(2), Author: s.ColumnText(3)})
		return nil
	}, args...)
	seen := list[:0]
	for _, t := range list {
		if err != nil {
			break
		}
		var of []history.Commit
		if of, err = r.commitsOfFile("WHERE c.seq = ?", t.Commit.Seq); len(of) == 1 {
			t.Commit = of[0]
			seen = append(seen, t)
		}
	}
	return seen, err
}

// AddTag gives a commit a name. One that a branch or another tag has is the fault Conflict.
func (w *Writer) AddTag(ctx context.Context, t Tag) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	return w.broken(ctx, "tag", w.addTag(t))
}

func (w *Writer) addTag(t Tag) error {
	if err := w.conn.refuseName(t.Name); err != nil {
		return err
	}
	count, err := w.conn.Int64("SELECT count(*) FROM tags")
	if err != nil {
		return err
	}
	if count >= maxTags {
		return fault.New(fault.TooLarge, "a file has at most %d tags; remove one that is not needed", maxTags)
	}
	last, err := w.conn.Int64("SELECT max(seq) FROM tags")
	if err != nil {
		return err
	}
	row := []any{last + 1, t.Name, t.Commit.Seq, t.Time.UnixMicro(), t.Author}
	return w.conn.Exec("INSERT INTO tags (seq, name, commit_seq, ts, author, sum) VALUES (?, ?, ?, ?, ?, ?)", nil, append(row, tagSums.sum(nil, row...))...)
}

// RemoveTag removes a tag, and reports whether there was one. The commit stays.
func (w *Writer) RemoveTag(ctx context.Context, name string) (bool, error) {
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	err := w.conn.Exec("DELETE FROM tags WHERE name = ?", nil, name)
	return w.conn.Changes() > 0, w.broken(ctx, "remove tag", err)
}
