-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- The index of words is merged when eight of its segments have about the same size, where FTS5
-- would merge four of them: a word is then written less often. See docs/decisions/0037-full-text.md.
INSERT INTO words (words, rank) VALUES ('automerge', 8);

PRAGMA user_version = 8;
