-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Digests of what is said of artifacts, so that an edit of an owner is found out; db/sums.go
-- says what is in them. The rows that are there get theirs in the same transaction, by
-- db/migrate.go.
ALTER TABLE artifacts ADD COLUMN sum BLOB NOT NULL DEFAULT x'';

PRAGMA user_version = 9;
