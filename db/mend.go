package db

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Mend puts right what follows from the rest of the file, when [File.Verify] finds something
// wrong: indexes, the index of words, and the text of a descriptor that was changed, where the
// digest of its row proves that texts has the one that was written. texts are descriptors
// without their versions, by id, "@" and version. It never changes a statement, a commit or a
// term, makes no commit, and gives way to writers as [File.Record] does. It returns a line for
// each thing that it did, or would do in a dry run; whether all is well then, Verify says.
func (f *File) Mend(ctx context.Context, texts map[string]string, dryRun bool) (done []string, err error) {
	report, err := f.Verify(ctx, VerifyOptions{})
	foreign := func(p string) bool { return strings.HasSuffix(p, foreignProblem) }
	if report.Problems = slices.DeleteFunc(report.Problems, foreign); err != nil || report.OK() {
		return nil, err // what is foreign is for TakeOut
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
			if err := c.exec(statement, nil); err != nil {
				return fmt.Errorf("build indexes anew: %w", err)
			}
		}
		last, err := c.id("SELECT max(id) FROM terms")
		if err != nil {
			return err
		}
		return c.indexTexts(0, last)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// mendDescriptors writes the texts again with which the digests of their rows are right.
func (c *conn) mendDescriptors(texts map[string]string, dryRun bool) (done []string, err error) {
	type written struct {
		seq  int64
		text string
	}
	var changed []written
	var before []byte
	err = c.exec(descriptorChain.rows, func(s *stmt) error {
		row := []any{s.ColumnInt64(0), s.ColumnText(1), s.ColumnText(2), s.ColumnText(3), s.ColumnInt64(4), s.ColumnText(5), s.ColumnText(6), s.ColumnInt64(7)}
		chain := s.blob(8)
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
		if err := c.exec("UPDATE descriptors SET descriptor = ? WHERE seq = ?", nil, w.text, w.seq); err != nil {
			return nil, fmt.Errorf("mend a descriptor: %w", err)
		}
	}
	return done, nil
}
