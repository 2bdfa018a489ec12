// Package migrations holds the numbered steps that make and change the tables of
// the SQLite file. They are db migrations; those of the graph's schema are data.
// A shipped file is never changed: the next number gets its own.
package migrations

import "embed"

// FS holds the SQL files in the form that goose reads.
//
//go:embed *.sql
var FS embed.FS
