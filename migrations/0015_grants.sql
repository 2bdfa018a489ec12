-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- What people gave to clients. Each grant belongs to the token of the same seq, whose hash is
-- that of its access token. code, family and refresh are hashes of secrets, too; a refresh
-- token begins with the secret of its family. until is when the access token expires.
-- See docs/decisions/0150-sign-in-of-hosted-clients.md.
CREATE TABLE grants (
  seq       INTEGER PRIMARY KEY,
  person    TEXT NOT NULL,
  members   TEXT NOT NULL,
  client    TEXT NOT NULL,
  host      TEXT NOT NULL,
  title     TEXT NOT NULL,
  issuer    TEXT NOT NULL,
  redirect  TEXT NOT NULL,
  challenge TEXT NOT NULL,
  code      BLOB NOT NULL,
  family    BLOB NOT NULL,
  refresh   BLOB NOT NULL,
  until     INTEGER NOT NULL,
  sum       BLOB NOT NULL
) STRICT;

PRAGMA user_version = 15;
