-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- Budgets limit what callers may use in a period, in seconds; a limit of 0 is none. changed
-- is later than that of all changes before, so that the number of rows and the greatest one
-- identify the contents. spending is what was used in the period that began at began, with
-- what processes have reserved; it has no digest, because it changes with the calls.
-- Times and working time are in microseconds. See docs/decisions/0144-budgets.md.
CREATE TABLE budgets (
  seq        INTEGER PRIMARY KEY,
  actor      TEXT NOT NULL,
  capability TEXT NOT NULL,
  period     INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  rows       INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  time       INTEGER NOT NULL,
  cost       INTEGER NOT NULL,
  changed    INTEGER NOT NULL UNIQUE,
  author     TEXT NOT NULL,
  sum        BLOB NOT NULL,
  UNIQUE (actor, capability, period)
) STRICT;

CREATE TABLE spending (
  budget INTEGER NOT NULL,
  actor  TEXT NOT NULL,
  began  INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  rows   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL,
  time   INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  PRIMARY KEY (budget, actor)
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_began ON spending(began);

PRAGMA user_version = 14;
