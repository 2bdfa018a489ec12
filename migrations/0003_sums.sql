-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Digests of the rows that no commit's id covers; db/sums.go says what is in them.
-- The rows that are there get theirs in the same transaction, by db/migrate.go.
ALTER TABLE prov ADD COLUMN dry_run INTEGER NOT NULL DEFAULT 0;
ALTER TABLE prov ADD COLUMN sum BLOB NOT NULL DEFAULT x'';
ALTER TABLE idempotency ADD COLUMN sum BLOB NOT NULL DEFAULT x'';
ALTER TABLE commits ADD COLUMN chain BLOB NOT NULL DEFAULT x'';

-- Reads and refusals are pruned apart.
DROP INDEX prov_other;
CREATE INDEX prov_reads ON prov (seq) WHERE commit_seq = 0 AND outcome = 'ok';
CREATE INDEX prov_refusals ON prov (seq) WHERE commit_seq = 0 AND outcome <> 'ok';

-- The format is the file's user_version.
DELETE FROM meta WHERE key = 'format';

PRAGMA user_version = 3;
