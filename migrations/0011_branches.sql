-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Branches. hist has the statements of a branch under its number, until 9223372036854775807 while
-- they are there, and those of earlier lines that it removed under the negative number. No table
-- changes, but a program that knows main alone must not write. See
-- docs/decisions/0113-branches-in-the-file.md.

PRAGMA user_version = 11;
