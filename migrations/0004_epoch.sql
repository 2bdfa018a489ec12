-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- epoch is made anew when a backup is restored. seal is made anew by every transaction
-- that writes, and before is the seal that it found: so the write-ahead log says which
-- file it belongs to. The first ones are made by db/migrate.go; db/seal.go says more.
ALTER TABLE lines ADD COLUMN epoch BLOB;
ALTER TABLE lines ADD COLUMN seal BLOB;
ALTER TABLE lines ADD COLUMN before BLOB;

PRAGMA user_version = 4;
