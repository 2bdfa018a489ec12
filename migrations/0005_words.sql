-- +goose NO TRANSACTION
-- The caller holds one transaction around all pending files; see db/migrate.go.

-- +goose Up
-- The words of the texts of the dictionary: those of a term stand at the place that
-- db/words.go makes of its id. They are cut in Go, so that the tokenizer has to part them
-- at spaces alone.
CREATE VIRTUAL TABLE words USING fts5(word, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '~'");
INSERT INTO words (words, rank) VALUES ('hashsize', 8388608);
CREATE VIRTUAL TABLE word_places USING fts5vocab(words, instance);

-- The last term that is in the index. Those that came after it are few, and are read. The
-- terms that were there before are added by db/migrate.go.
CREATE TABLE words_until (term INTEGER NOT NULL) STRICT;
INSERT INTO words_until (term) VALUES (0);

PRAGMA user_version = 5;
