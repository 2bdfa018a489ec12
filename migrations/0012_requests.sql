-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Whether the head of a branch is moved only by those who may decide for it.
ALTER TABLE lines ADD COLUMN protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1));

-- Names of commits.
CREATE TABLE tags (
  seq        INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  commit_seq INTEGER NOT NULL,
  ts         INTEGER NOT NULL,
  author     TEXT NOT NULL,
  sum        BLOB NOT NULL
) STRICT;

-- Calls that wait for somebody who may decide: the capability and its arguments, the branch
-- that it changes and the commit that it merges, both as they were when it was asked for.
-- See docs/decisions/0130-requests.md.
CREATE TABLE requests (
  seq         INTEGER PRIMARY KEY,
  capability  TEXT NOT NULL,
  args        TEXT NOT NULL,
  line        INTEGER NOT NULL,
  head        INTEGER NOT NULL,
  source_line INTEGER NOT NULL,
  source      INTEGER NOT NULL,
  agent       TEXT NOT NULL,
  asked       INTEGER NOT NULL,
  state       TEXT NOT NULL,
  decider     TEXT NOT NULL,
  decided     INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  commit_seq  INTEGER NOT NULL,
  sum         BLOB NOT NULL
) STRICT;
CREATE INDEX requests_pending ON requests (seq) WHERE state = 'pending';

PRAGMA user_version = 12;
