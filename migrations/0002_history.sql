-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- What the graphs of commits and of provenance are asked by.
CREATE INDEX commits_ts ON commits (ts);
CREATE INDEX commits_parent ON commits (parent) WHERE parent IS NOT NULL;
CREATE INDEX commits_parent2 ON commits (parent2) WHERE parent2 IS NOT NULL;
CREATE INDEX prov_id ON prov (id);
CREATE INDEX prov_started ON prov (started);

PRAGMA user_version = 2;
