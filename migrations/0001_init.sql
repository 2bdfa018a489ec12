-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Ids are sequential from 1, so they take one to four bytes in an index.
CREATE TABLE terms (
  id       INTEGER PRIMARY KEY,
  kind     INTEGER NOT NULL,
  value    TEXT NOT NULL,
  datatype INTEGER,
  lang     TEXT,
  hash     INTEGER NOT NULL
) STRICT;
CREATE INDEX terms_hash ON terms (hash);

-- The current state of line 1. It has no line column: a leading constant costs
-- every join, and a branch keeps its own rows elsewhere.
CREATE TABLE live (
  s     INTEGER NOT NULL,
  p     INTEGER NOT NULL,
  o     INTEGER NOT NULL,
  g     INTEGER NOT NULL,
  added INTEGER NOT NULL,
  PRIMARY KEY (s, p, o, g)
) STRICT, WITHOUT ROWID;
CREATE INDEX live_pos ON live (p, o, s, g, added);
CREATE INDEX live_osp ON live (o, s, p, g, added);
CREATE INDEX live_g ON live (g, p, o, s, added) WHERE g <> 0;

CREATE TABLE hist (
  line    INTEGER NOT NULL,
  s       INTEGER NOT NULL,
  p       INTEGER NOT NULL,
  o       INTEGER NOT NULL,
  g       INTEGER NOT NULL,
  added   INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  PRIMARY KEY (line, s, p, o, g, added)
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
  line INTEGER NOT NULL,
  seq  INTEGER NOT NULL,
  s    INTEGER NOT NULL,
  p    INTEGER NOT NULL,
  o    INTEGER NOT NULL,
  g    INTEGER NOT NULL,
  op   INTEGER NOT NULL,
  PRIMARY KEY (line, seq, s, p, o, g)
) STRICT, WITHOUT ROWID;

CREATE TABLE commits (
  seq            INTEGER PRIMARY KEY,
  id             BLOB NOT NULL,
  parent         BLOB,
  parent2        BLOB,
  line           INTEGER NOT NULL,
  ts             INTEGER NOT NULL,
  author         TEXT NOT NULL,
  message        TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  schema_seq     INTEGER NOT NULL,
  flags          INTEGER NOT NULL,
  added          INTEGER NOT NULL,
  removed        INTEGER NOT NULL,
  quads          INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX commits_id ON commits (id);

CREATE TABLE lines (
  line   INTEGER PRIMARY KEY,
  parent INTEGER,
  fork   INTEGER,
  name   TEXT UNIQUE,
  head   INTEGER NOT NULL
) STRICT;
INSERT INTO lines (line, name, head) VALUES (1, 'main', 0);

CREATE TABLE prov (
  seq        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL,
  capability TEXT NOT NULL,
  version    TEXT NOT NULL,
  agent      TEXT NOT NULL,
  via        TEXT NOT NULL,
  started    INTEGER NOT NULL,
  ended      INTEGER NOT NULL,
  inputs     BLOB,
  outcome    TEXT NOT NULL,
  error      TEXT NOT NULL,
  trace      TEXT NOT NULL,
  cost       INTEGER NOT NULL,
  commit_seq INTEGER NOT NULL,
  used       TEXT,
  generated  TEXT
) STRICT;
CREATE INDEX prov_commit ON prov (commit_seq) WHERE commit_seq <> 0;
CREATE INDEX prov_other ON prov (seq) WHERE commit_seq = 0;

CREATE TABLE idempotency (
  seq    INTEGER PRIMARY KEY,
  key    TEXT NOT NULL UNIQUE,
  digest BLOB NOT NULL,
  result BLOB NOT NULL,
  ts     INTEGER NOT NULL
) STRICT;

PRAGMA user_version = 1;
