-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Results of tools that are kept for a while, each for one owner. They are no part of the
-- history. seq rises whenever something is kept, again too, so that the least is what was
-- kept longest ago.
CREATE TABLE artifacts (
	seq        INTEGER PRIMARY KEY,
	owner      TEXT NOT NULL,
	handle     TEXT NOT NULL,
	content    INTEGER NOT NULL,
	label      TEXT NOT NULL,
	media_type TEXT NOT NULL,
	tool       TEXT NOT NULL,
	created    INTEGER NOT NULL,
	expires    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifacts_handle ON artifacts (owner, handle);
CREATE INDEX artifacts_expires ON artifacts (expires);
CREATE INDEX artifacts_content ON artifacts (content);

-- The bytes of artifacts, once for all that have the same. hash is their SHA-256, NULL when
-- no artifact has them any more: then their chunks go, a few at a time.
CREATE TABLE artifact_contents (
	id   INTEGER PRIMARY KEY,
	hash BLOB,
	size INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifact_contents_hash ON artifact_contents (hash);

CREATE TABLE artifact_chunks (
	content INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	data    BLOB NOT NULL,
	PRIMARY KEY (content, at)
) STRICT;

PRAGMA user_version = 7;
