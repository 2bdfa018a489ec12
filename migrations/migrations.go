// Package migrations holds the numbered db migrations, which create and change the tables of the SQLite file.
// (Migrations of the graph's schema are in schema/migration.) Never change a shipped file; add the next number.
package migrations

import "embed"

// FS holds the SQL files, one for each format of the file. Their comments with +goose mean nothing any more.
//
//go:embed *.sql
var FS embed.FS
