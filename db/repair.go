package db

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/db/stmt"
	"trails/db/wordindex"
)

// Mend repairs what can be computed from the rest of the file, when [File.Verify] finds problems: indexes, the index
// of words, and the text of a changed descriptor if the digest of its row shows that texts has the original. texts
// are descriptors without their versions, by id, "@" and version. It never changes a statement, a commit or a term,
// and makes no commit. Like [File.Record] it does not wait for long writes. It returns a line for each repair, or in
// a dry run for each that it would make. Verify says whether all is well afterwards.
func (f *File) Mend(ctx context.Context, texts map[string]string, dryRun bool) (done []string, err error) {
	report, err := f.Verify(ctx, VerifyOptions{})
	foreign := func(p string) bool { return strings.HasSuffix(p, foreignProblem) }
	if report.Problems = slices.DeleteFunc(report.Problems, foreign); err != nil || report.OK() {
		return nil, err // foreign objects are removed by TakeOut
	}
	aboutIndexes := slices.ContainsFunc(report.Problems, func(p string) bool {
		return !strings.HasPrefix(p, descriptorChain.name) && !strings.HasPrefix(p, "artifact")
	})
	err = f.beside(ctx, "mend", shortWait, func(c *conn) error {
		if done, err = c.mendDescriptors(texts, dryRun); err != nil || !aboutIndexes {
			return err
		}
		done = append(done, "the indexes of all tables, and the index of words")
		if dryRun {
			return nil
		}
		for _, statement := range []string{"REINDEX", "INSERT INTO words (words) VALUES ('delete-all')"} {
			if err := c.Exec(statement, nil); err != nil {
				return fmt.Errorf("build indexes anew: %w", err)
			}
		}
		last, err := c.ID("SELECT max(id) FROM terms")
		if err != nil {
			return err
		}
		return wordindex.Add(c.Conn, 0, last)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// mendDescriptors restores the descriptor texts that fit the digests of their rows.
func (c *conn) mendDescriptors(texts map[string]string, dryRun bool) (done []string, err error) {
	type written struct {
		seq  int64
		text string
	}
	var changed []written
	var before []byte
	err = c.Exec(descriptorChain.rows, func(s *stmt.Stmt) error {
		row := []any{s.ColumnInt64(0), s.ColumnText(1), s.ColumnText(2), s.ColumnText(3), s.ColumnInt64(4), s.ColumnText(5), s.ColumnText(6), s.ColumnInt64(7)}
		chain := s.Blob(8)
		id := s.ColumnText(1) + "@" + s.ColumnText(2)
		if text, known := texts[id]; known && text != row[3] && !bytes.Equal(descriptorChain.sum(before, row...), chain) {
			row[3] = text
			if bytes.Equal(descriptorChain.sum(before, row...), chain) {
				changed = append(changed, written{s.ColumnInt64(0), text})
				done = append(done, "the descriptor of capability "+s.ColumnText(1)+", version "+s.ColumnText(2))
			}
		}
		before = chain
		return nil
	}, 0, -1)
	if err != nil || dryRun {
		return done, err
	}
	for _, w := range changed {
		if err := c.Exec("UPDATE descriptors SET descriptor = ? WHERE seq = ?", nil, w.text, w.seq); err != nil {
			return nil, fmt.Errorf("mend a descriptor: %w", err)
		}
	}
	return done, nil
}
