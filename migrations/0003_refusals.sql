-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Reads and refusals are pruned apart.
DROP INDEX prov_other;
CREATE INDEX prov_reads ON prov (seq) WHERE commit_seq = 0 AND outcome = 'ok';
CREATE INDEX prov_refusals ON prov (seq) WHERE commit_seq = 0 AND outcome <> 'ok';

PRAGMA user_version = 3;
