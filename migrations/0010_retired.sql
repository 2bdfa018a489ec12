-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Retired statements are found by the same columns as the present ones, so that an earlier
-- commit is read as the newest is. See docs/decisions/0008-branch-and-at.md.
CREATE INDEX hist_pos ON hist (line, p, o, s, g, added, removed);
CREATE INDEX hist_osp ON hist (line, o, s, p, g, added, removed);
CREATE INDEX hist_g ON hist (line, g, p, o, s, added, removed) WHERE g <> 0;

PRAGMA user_version = 10;
