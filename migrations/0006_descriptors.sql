-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- What the capabilities of the file were, version by version: rows are only added. A
-- descriptor is its JSON without the version. commit_seq is the head at that time, 0 before
-- the first commit; agent is the author of the schema that the descriptor follows from,
-- empty for one that the program has whatever the file holds. db/sums.go says what chain is.
CREATE TABLE descriptors (
	seq        INTEGER PRIMARY KEY,
	capability TEXT NOT NULL,
	version    TEXT NOT NULL,
	id         TEXT NOT NULL GENERATED ALWAYS AS (capability || '@' || version) VIRTUAL,
	descriptor TEXT NOT NULL,
	ts         INTEGER NOT NULL,
	agent      TEXT NOT NULL,
	program    TEXT NOT NULL,
	commit_seq INTEGER NOT NULL,
	chain      BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX descriptors_id ON descriptors (id);

PRAGMA user_version = 6;
