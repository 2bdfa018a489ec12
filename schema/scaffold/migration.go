package scaffold

import (
	"trails/schema"
	"trails/schema/migration"
)

// Migration returns the file of a migration between two schemas. An invalid name or schema is a
// fault.
func Migration(from *schema.Schema, number int, name string, to []byte) (Draft, error) {
	if err := migration.CheckName(name); err != nil {
		return Draft{}, err
	}
	next, err := schema.ParseYAML(to, from.Base)
	if err != nil {
		return Draft{}, err
	}
	text, err := migration.New(from, next)
	return Draft{"migrations/" + migration.FileName(number, name), text}, err
}
