package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/db/stmt"
	"trails/fault"
)

// A file from somebody else is data. Objects that SQLite would execute by itself, or read in place of a table, are
// found when the file is opened, as is everything else that the migrations do not make. See
// docs/decisions/0087-a-file-is-data.md.

// objectsDigest identifies the tables and indexes of [disk.Format]; see [digestOf].
const objectsDigest = "df3779c9d6b0bb48013a4fbe6523837f73bfe89ce7302b9c19218f0fc3084f9c"

// object is one row of sqlite_schema.
type object struct {
	kind, name, table string
	sql               string // with white space reduced to single blanks
}

func (o object) id() string { return o.kind + " " + o.name }

const objectRows = "SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema"

// optional are tables that no file of the migrations creates: the one of [migrated], and those of SQLite.
var optional = map[string]string{
	"table " + migrated:     oneLine(createMigrated),
	"table sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
	"table sqlite_stat1":    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"table sqlite_stat4":    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}

func newObject(kind, name, table, sql string) object {
	return object{kind, name, table, oneLine(sql)}
}

func oneLine(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// objects returns the objects of a database by kind and name, without the [optional] ones.
func objects(c *conn) (map[string]object, error) {
	list := map[string]object{}
	return list, c.Exec(objectRows, func(s *stmt.Stmt) error {
		o := newObject(s.ColumnText(0), s.ColumnText(1), s.ColumnText(2), s.ColumnText(3))
		if optional[o.id()] != o.sql || o.sql == "" {
			list[o.id()] = o
		}
		return nil
	})
}

// digestOf returns a digest of a list of objects.
func digestOf(list map[string]object) string {
	h := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(list)) {
		fmt.Fprintf(h, "%q %q %q\n", id, list[id].table, list[id].sql)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// objectsOf returns the objects that the migrations up to a format create.
func objectsOf(format int) (map[string]object, error) {
	raw, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: stmt.Of(raw)}
	defer c.Close()
	if err := c.runMigrations(0, format); err != nil {
		return nil, err
	}
	return objects(c)
}

// foreign is an object that no format has, or a table that differs from the one of the format.
type foreign struct {
	what string   // description for the owner of the file
	anew bool     // an index of the format that was changed; out also creates it again
	out  []string // statements that remove it; nil for what may hold data
}

// foreign lists the objects that the file has and its format has not. Missing objects are not listed: those mean
// damage.
func (c *conn) foreign(format int) ([]foreign, error) {
	got, err := objects(c)
	if err != nil || format == disk.Format && digestOf(got) == objectsDigest {
		return nil, err
	}
	want, err := objectsOf(format)
	if err != nil {
		return nil, err
	}
	var list []foreign
	for _, id := range slices.Sorted(maps.Keys(got)) {
		o := got[id]
		made, known := want[id]
		switch {
		case known && made == o:
		case o.kind == "index" && o.sql == "": // SQLite's own object, of a table that is listed
		case known && o.kind == "index":
			text := fmt.Sprintf("%s that is not as format %d has it", id, format)
			list = append(list, foreign{text, true, []string{"DROP INDEX " + quoteName(o.name), made.sql}})
		case known || optional[id] != "":
			generated, err := c.generatedColumns(o, made)
			if err != nil {
				return nil, err
			}
			text := fmt.Sprintf("%s that is not as format %d has it", id, format)
			if len(generated) > 0 {
				text = id + " with the generated column " + strings.Join(generated, ", ")
			}
			list = append(list, foreign{what: text})
		case o.kind == "trigger" || o.kind == "index":
			list = append(list, foreign{id + " on " + o.table, false, []string{"DROP " + strings.ToUpper(o.kind) + " " + quoteName(o.name)}})
		case o.kind == "view":
			list = append(list, foreign{id, false, []string{"DROP VIEW " + quoteName(o.name)}})
		case strings.HasPrefix(strings.ToUpper(o.sql), "CREATE VIRTUAL"):
			list = append(list, foreign{what: "virtual " + id})
		default:
			list = append(list, foreign{what: id})
		}
	}
	return list, nil
}

// generatedColumns names the computed columns of a table, except for those that the migrations make.
func (c *conn) generatedColumns(o, made object) (names []string, err error) {
	err = c.Exec("SELECT name FROM pragma_table_xinfo(?) WHERE hidden IN (2, 3)", func(s *stmt.Stmt) error {
		if name := s.ColumnText(0); !strings.Contains(made.sql, name+" TEXT NOT NULL GENERATED ALWAYS") {
			names = append(names, name)
		}
		return nil
	}, o.name)
	return names, err
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// namesOf lists the descriptions.
func namesOf(list []foreign) []string {
	var names []string
	for _, f := range list {
		names = append(names, f.what)
	}
	return names
}

// foreignNamed is how many objects an error names.
const foreignNamed = 5

// foreignFault refuses a file because of these objects. A file with a base can be opened with Inspect.
func foreignFault(path, base string, list []foreign) error {
	names := namesOf(list)
	if more := len(names) - foreignNamed; more > 0 {
		names = append(names[:foreignNamed:foreignNamed], fmt.Sprintf("%d more", more))
	}
	reads := ", and verify, doctor, backup and export read it"
	if base == "" {
		reads = ""
	}
	way := "trails doctor %[1]s --fix takes it out"
	switch data := slices.ContainsFunc(list, func(f foreign) bool { return f.out == nil }); {
	case data && base != "":
		way = "trails export %[1]s --output DATA.nq writes what the graph holds, and trails init NEW --from DATA.nq --base %[3]s makes a file of it"
	case data:
		way = "ask who made it for a trails export"
	}
	return fault.New(fault.Unusable, "%[1]s has what no trails file has: %[2]s; it was not changed"+reads+": "+way, fault.Path(path), strings.Join(names, ", "), base)
}

// Foreign is nil, or the fault Unusable that names the objects which no format has, such as triggers and views, and
// the way out. A file with such objects was opened with [Options.Inspect] and cannot be written.
func (f *File) Foreign() error {
	if len(f.foreign) == 0 {
		return nil
	}
	return foreignFault(f.path, f.meta.Base, f.foreign)
}

// TakeOut drops the triggers, views and indexes that no format has from the file at path, and names them; they hold
// no data. In a dry run it drops nothing. Nobody else may have the file open. It is the way to open a file that is
// refused.
func TakeOut(ctx context.Context, path string, dryRun bool) (done []string, err error) {
	place, err := disk.Hold(ctx, path)
	if err != nil {
		return nil, err
	}
	f := newFile(place, Options{}.withDefaults())
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.place.Format(); err != nil {
		return nil, err
	}
	if err := f.place.Writable(); err != nil {
		return nil, err
	}
	c, err := f.connect(ctx, writing)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := stmt.Retry(ctx, f.opts.LockWait, func() error { return c.Exec("BEGIN IMMEDIATE", nil) }); err != nil {
		return nil, asFault(ctx, f.path, "open", err)
	}
	done, err = c.takeOut(f.path, dryRun)
	end := "COMMIT"
	if err != nil || dryRun {
		end = "ROLLBACK"
	}
	return done, asFault(ctx, f.path, "mend", errors.Join(err, c.End(end)))
}

func (c *conn) takeOut(path string, dryRun bool) (done []string, err error) {
	format, err := c.Int64("PRAGMA user_version")
	if err != nil {
		return nil, err
	}
	if format > disk.Format {
		return nil, disk.Newer(path, int(format))
	}
	list, err := c.foreign(int(format))
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if f.out == nil {
			continue
		}
		for _, statement := range f.out {
			if dryRun {
				break
			}
			if err := c.Once(statement); err != nil {
				return nil, fmt.Errorf("%s: %w", statement, err)
			}
		}
		done = append(done, f.what+", which is taken out")
	}
	return done, nil
}
