-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- What the texts of properties with the word embed mean, as vectors of an endpoint. They are
-- derived: they can be dropped and made anew, and are in no commit. A vector is the signed
-- bytes of numbers times scale billionths; a text that the endpoint refuses has the scale 0, and in numbers the reason. digest is of the model, the text, the scale and the numbers.
-- See docs/decisions/0162-search-by-meaning.md.
CREATE TABLE vectors (
  term    INTEGER PRIMARY KEY,
  scale   INTEGER NOT NULL,
  digest  INTEGER NOT NULL,
  numbers BLOB NOT NULL
) STRICT;
CREATE INDEX vectors_refused ON vectors (term) WHERE scale = 0; -- each search counts them

-- The one row says what made them, how many numbers each has (0 before the first), the last commit whose texts
-- were looked at, how many of these had no vector, the last failure, and which process makes them until when.
CREATE TABLE vector_space (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  url     TEXT NOT NULL,
  model   TEXT NOT NULL,
  length  INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  problem TEXT NOT NULL,
  owner   TEXT NOT NULL,
  until   INTEGER NOT NULL
) STRICT;
INSERT INTO vector_space VALUES (1, '', '', 0, 0, 0, '', '', 0);

PRAGMA user_version = 16;
