-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Tokens by which callers are known, as hashes. A revoked one stays, so that its name is not
-- given twice. The digest of a row covers all but the time of its last use.
-- See docs/decisions/0139-tokens.md.
CREATE TABLE tokens (
  seq     INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  hash    BLOB NOT NULL,
  scopes  TEXT NOT NULL,
  members TEXT NOT NULL,
  created INTEGER NOT NULL,
  creator TEXT NOT NULL,
  expires INTEGER NOT NULL,
  revoked INTEGER NOT NULL,
  revoker TEXT NOT NULL,
  sum     BLOB NOT NULL,
  used    INTEGER NOT NULL DEFAULT 0
) STRICT;

PRAGMA user_version = 13;
